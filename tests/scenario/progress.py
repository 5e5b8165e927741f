"""A clock for waits: it runs only as far as the processes of this test get the CPU that they want.

A test on a machine that is three times slower, or busy with other work, has three times the patience. Where nothing
of the test wants the CPU, the clock is an ordinary one, so that a test that hangs ends in time.
"""

import http.client
import os
import pathlib
import select
import socket
import subprocess
import threading
import time

DEADLINE = 300  # seconds of this clock after which a condition counts as never coming true
LOOK_EVERY = 5.0  # seconds: a look at all processes costs milliseconds
LEAST_SHARE = 0.05  # many threads that never rest hinder each other; their waits end, too
SLICE = 1.0  # seconds of one wait within the system, between two looks at this clock


def _parents():
    """{process: (its parent, its name)}"""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = pathlib.Path("/proc", entry, "stat").read_text()
        except OSError:  # it has ended
            continue
        name, _, rest = text.partition("(")[2].rpartition(")")
        found[int(entry)] = (int(rest.split()[1]), name)
    return found


def processes_of(own, parents):
    """This process and all below it; and every PostgreSQL that is a child of an ancestor, as one that has left its
    starter is."""
    children, ancestors, at = {}, set(), own
    for process, (parent, _) in parents.items():
        children.setdefault(parent, []).append(process)
    while at in parents:
        at = parents[at][0]
        ancestors.add(at)
    waiting = [own] + [each for each, (parent, name) in parents.items() if name == "postgres" and parent in ancestors]
    found = set()
    while waiting:
        process = waiting.pop()
        if process not in found:
            found.add(process)
            waiting += children.get(process, [])
    return found


def _times():
    """{thread: (nanoseconds on a CPU, nanoseconds in wait for one)} of the processes of this test."""
    found = {}
    for process in processes_of(os.getpid(), _parents()):
        try:
            for thread in os.listdir(f"/proc/{process}/task"):
                ran, waited, _ = pathlib.Path(f"/proc/{process}/task/{thread}/schedstat").read_text().split()
                found[int(thread)] = (int(ran), int(waited))
        except OSError:
            continue
    return found


def share(before, after):
    """Which part of the CPU that they wanted these threads have got; 1 where they wanted none."""
    ran = waited = 0
    for thread, (now_ran, now_waited) in after.items():
        had_run, had_waited = before.get(thread, (0, 0))
        if now_ran >= had_run and now_waited >= had_waited:
            ran += now_ran - had_run
            waited += now_waited - had_waited
    return max(LEAST_SHARE, ran / (ran + waited)) if ran + waited else 1.0


class Clock:
    def __init__(self, clock=time.monotonic, times=_times):
        self._clock, self._times = clock, times
        self._lock = threading.Lock()
        self._counted, self._looked_at, self._seen = 0.0, clock(), None

    def seconds(self):
        with self._lock:
            now = self._clock()
            if self._seen is None or now - self._looked_at >= LOOK_EVERY:
                seen = self._times()
                part = share(self._seen, seen) if self._seen is not None else 1.0
                self._counted += (now - self._looked_at) * part
                self._looked_at, self._seen = now, seen
            return self._counted


CLOCK = Clock()


class Patience:
    """It is over when the clock of progress has gone on by `deadline` seconds."""

    def __init__(self, deadline=DEADLINE, clock=None):
        self._clock, self._deadline = clock or CLOCK, deadline
        self._began, self._began_by_wall = self._clock.seconds(), time.monotonic()

    def is_over(self):
        return self._clock.seconds() - self._began >= self._deadline

    def check(self, what):
        if self.is_over():
            raise AssertionError(f"never came true: {what}; waited {self._clock.seconds() - self._began:.0f} s with the CPU at "
                                 f"hand, {time.monotonic() - self._began_by_wall:.0f} s by the wall clock")


def wait_until(what, condition, deadline=DEADLINE):
    patience, pause = Patience(deadline), 0.02
    while True:
        value = condition()
        if value:
            return value
        patience.check(what)
        time.sleep(pause)
        pause = min(pause * 1.25, 0.5)


def ended(process, deadline=DEADLINE):
    """The exit code of a subprocess.Popen, once it has ended."""
    patience = Patience(deadline)
    while True:
        try:
            return process.wait(timeout=SLICE)
        except subprocess.TimeoutExpired:
            patience.check(f"the end of {_words(process.args)}")


def completed(command, deadline=DEADLINE, text="", **more):
    """As subprocess.run() with captured output, given `text` as its input."""
    given, patience = text, Patience(deadline)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          **more) as process:
        while True:
            try:
                out, errors = process.communicate(given, timeout=SLICE)
                return subprocess.CompletedProcess(command, process.returncode, out, errors)
            except subprocess.TimeoutExpired:
                given = None  # it is on its way already
                try:
                    patience.check(f"the end of {_words(command)}")
                except AssertionError:
                    process.kill()
                    raise


def readable(file, what, deadline=DEADLINE):
    """Returns once there is something to read, or the other side has ended."""
    patience, waiting = Patience(deadline), select.poll()
    waiting.register(file, select.POLLIN)
    while not waiting.poll(SLICE * 1000):
        patience.check(what)


class _PatientSocket(socket.socket):
    deadline = DEADLINE

    def recv_into(self, *arguments):
        readable(self, f"an answer of {self.getpeername()}", self.deadline)
        return super().recv_into(*arguments)


class Connection(http.client.HTTPConnection):
    """To HOST:PORT; waits for what it reads as wait_until() does, `timeout` seconds of the clock above at a time."""

    def __init__(self, address, timeout=DEADLINE):
        super().__init__(address, timeout=timeout)

    def connect(self):
        self.sock = _PatientSocket()
        self.sock.deadline = self.timeout
        self.sock.connect((self.host, self.port))


def _words(command):
    return command if isinstance(command, str) else " ".join(map(str, command))

#!/usr/bin/env python3
"""Runs a test; with --postgres beside a PostgreSQL cluster that is there only for it, and only while it runs.

run_test.py [--postgres] [--template CLUSTER] [--costs FILE NAME] [--] COMMAND…

The cluster's URL is in RECEIPTD_TEST_DATABASE; where that is set already, none is made. The template is a stopped cluster
(scripts/postgres.sh): to copy it takes a third of making one; RECEIPTD_TEST_TEMPLATE tells the test of it. FILE gets a
line with the seconds of CPU that the test used, as costs.py reads it. What the command leaves running is ended, and makes
the test fail; so does a command that stands still: neither it nor what it started, PostgreSQL apart, has used any CPU or
written anything for five minutes.
"""

import contextlib
import ctypes
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

POSTGRES = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "postgres.sh"
STANDS_STILL_AFTER = float(os.environ.get("RECEIPTD_TEST_STANDS_STILL_AFTER", 300))  # seconds
LOOK_EVERY = min(5.0, STANDS_STILL_AFTER / 5)
PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
FAILED, BAD_USAGE = 1, 2
INTERRUPTS = signal.SIGHUP, signal.SIGINT, signal.SIGTERM


class Cluster:
    def __init__(self, template):
        self.parent = pathlib.Path(tempfile.mkdtemp(prefix="receiptd-test-"))
        self.parent.chmod(0o755)
        self.folder = self.parent / "cluster"
        copy = ["--copy", template] if template else []
        try:
            self.url = self._run("start", "--memory", *copy, self.folder)
            self.process = int(self._run("pid", self.folder))
        except BaseException:
            self.remove()
            raise

    def remove(self):
        self._run("remove", self.folder)
        shutil.rmtree(self.parent)

    @staticmethod
    def _run(*arguments):
        done = subprocess.run([POSTGRES, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"run_test.py: postgres.sh {arguments[0]} failed")
        return done.stdout.strip()


class Stat:
    """A line of /proc/PID/stat."""

    def __init__(self, text):
        name, _, rest = text.partition("(")[2].rpartition(")")
        fields = rest.split()
        self.name, self.state, self.parent = name, fields[0], int(fields[1])
        self.ticks = sum(map(int, fields[11:15]))  # of CPU, its children that have ended included


def processes():
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                found[int(entry)] = Stat(pathlib.Path("/proc", entry, "stat").read_text())
            except OSError:  # it has ended
                pass
    return found


def below(top, but_for, all_processes):
    """What runs below a process, {pid: Stat}, without `but_for` and what runs below that."""
    children = {}
    for pid, stat in all_processes.items():
        children.setdefault(stat.parent, []).append(pid)
    found, waiting = {}, list(children.get(top, []))
    while waiting:
        pid = waiting.pop()
        if pid != but_for:
            found[pid] = all_processes[pid]
            waiting += children.get(pid, [])
    return {pid: stat for pid, stat in found.items() if stat.state != "Z"}


def written_by(pid):
    try:
        lines = pathlib.Path(f"/proc/{pid}/io").read_text().splitlines()
        return int(dict(line.split(": ") for line in lines)["wchar"])
    except OSError:
        return 0


class Watch:
    """Tells how long the processes of a test have done nothing."""

    def __init__(self):
        self.seen, self.moved_at = None, time.monotonic()

    def seconds_without_progress(self, running):
        seen = {pid: (stat.ticks, written_by(pid)) for pid, stat in running.items()}
        now = time.monotonic()
        if seen != self.seen:
            self.seen, self.moved_at = seen, now
        return now - self.moved_at


class Interrupted(Exception):
    pass


class Test:
    def __init__(self, command, cluster):
        self.cluster = cluster.process if cluster else None
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        self.main = os.posix_spawnp(command[0], command, os.environ, setsigmask=[],
                                    setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
        self.exit_code = None

    def run(self):
        """Its exit code."""
        watch, look_at = Watch(), time.monotonic() + LOOK_EVERY
        while self.exit_code is None:
            signal.sigtimedwait([signal.SIGCHLD], LOOK_EVERY)
            self.reap()
            if self.exit_code is None and time.monotonic() >= look_at:
                look_at = time.monotonic() + LOOK_EVERY
                if watch.seconds_without_progress(self.running()) >= STANDS_STILL_AFTER:
                    say(f"the test stands still: nothing of it has used any CPU or written anything for "
                        f"{STANDS_STILL_AFTER:.0f} s: {names(self.running())}")
                    self.end_all()
                    return FAILED
        left = self.running()
        if left:
            say(f"the test has ended, and left this running: {names(left)}")
            self.end_all()
            return self.exit_code or FAILED
        return self.exit_code

    def running(self):
        return below(os.getpid(), self.cluster, processes())

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.main:
                code = os.waitstatus_to_exitcode(status)
                self.exit_code = code if code >= 0 else 128 - code

    def end_all(self):
        while left := self.running():
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            signal.sigtimedwait([signal.SIGCHLD], 0.1)
            self.reap()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def names(stats):
    return ", ".join(f"{stat.name} ({pid})" for pid, stat in sorted(stats.items()))


def say(text):
    print(f"run_test.py: {text}", file=sys.stderr, flush=True)


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def interrupt(number, _frame):
    raise Interrupted(128 + number)


def parse(arguments):
    own, template, costs, rest = False, None, None, list(arguments)
    while rest and rest[0].startswith("--"):
        option = rest.pop(0)
        if option == "--":
            break
        if option == "--postgres":
            own = True
        elif option == "--template" and rest:
            template = rest.pop(0)
        elif option == "--costs" and len(rest) >= 2:
            costs = pathlib.Path(rest.pop(0)), rest.pop(0)
        else:
            rest = []
    if not rest:
        print(__doc__, file=sys.stderr)
        sys.exit(BAD_USAGE)
    return own and "RECEIPTD_TEST_DATABASE" not in os.environ, template, costs, rest


def main(arguments):
    own_cluster, template, costs, command = parse(arguments)
    for number in INTERRUPTS:
        signal.signal(number, interrupt)
    # A `python3` that is a script, which looks for the interpreter, would cost each program of a test as much again.
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    # What outlives the process that started it, as PostgreSQL does, is ours to wait for.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    cluster, test, began, in_test = None, None, time.monotonic(), 0.0
    try:
        if own_cluster:
            cluster = Cluster(template)
            os.environ["RECEIPTD_TEST_DATABASE"] = cluster.url
            if template:
                os.environ["RECEIPTD_TEST_TEMPLATE"] = os.path.abspath(template)
        before = cpu_of_children()
        test = Test(command, cluster)
        code = test.run()
        in_test = cpu_of_children() - before
    except Interrupted as e:
        code = e.args[0]
    finally:
        for number in INTERRUPTS:
            signal.signal(number, signal.SIG_IGN)
        if test:
            test.end_all()
        if cluster:
            cluster.remove()
            with contextlib.suppress(ChildProcessError):  # it ended before
                os.waitpid(cluster.process, 0)
    if costs:
        file, name = costs
        of_postgres = cpu_of_children() - in_test
        with file.open("a") as lines:
            lines.write(f"{name}\t{in_test:.3f}\t{of_postgres:.3f}\t{time.monotonic() - began:.3f}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

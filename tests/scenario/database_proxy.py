"""A proxy before PostgreSQL that knows when a transaction is committed: by it a scenario lets a program or the server die
at a named step, and not after a random time.

Of the protocol it reads as much as it needs: the frames of the client's messages, and the text of statements.
"""

import contextlib
import signal
import socket
import struct
import threading
import urllib.parse

from progress import wait_until

# BEFORE: the server has not received the COMMIT. AT: it has committed, and the client does not know that.
# AFTER: the client has received the answer, and nothing that it sent since then has reached the server.
BEFORE, AT, AFTER = MOMENTS = ("before", "at", "after")
HEADER = struct.Struct("!cI")  # of a message: its type, and its length without the type
QUERY, PARSE = b"Q", b"P"
READY = b"Z\0\0\0\5I"  # ends an answer outside a transaction
PROTOCOL_3 = 3 << 16  # asks for a session; other codes ask for TLS, for GSS or for a cancellation


class Statements:
    """The statements in a stream of a client, cut into pieces anywhere."""

    def __init__(self):
        self._rest, self._skip, self._in_session = b"", 0, False

    def read(self, data):
        """The statements that end in `data`, each with the places in `data` where it begins and ends."""
        known = len(self._rest)
        data, at = self._rest + data, min(self._skip, len(data))
        self._skip -= at
        while not self._skip and (frame := self._frame(data, at)):
            kind, end = frame
            if kind in (QUERY, PARSE) and end > len(data):
                break
            if kind in (QUERY, PARSE):
                yield max(at - known, 0), end - known, data[at + HEADER.size:end]
            self._skip, at = max(end - len(data), 0), min(end, len(data))
        self._rest = data[at:]

    def _frame(self, data, at):
        """The type of the message that begins there and the place where it ends; nothing if its header is cut."""
        if len(data) < at + (HEADER.size if self._in_session else 8):
            return None
        if self._in_session:
            kind, length = HEADER.unpack_from(data, at)
            return kind, at + 1 + length
        length, code = struct.unpack_from("!II", data, at)
        self._in_session = code >> 16 == PROTOCOL_3 >> 16
        return b"", at + length


class Step:
    """The n-th commit from now on of those that have one of the texts in a statement; a statement outside of a transaction
    is one. Without texts it is the n-th COMMIT. From there until it is left, no connection of the proxy commits."""

    def __init__(self, number, moment, about):
        assert moment in MOMENTS, moment
        self.moment = moment
        self.is_reached, self.is_left = threading.Event(), threading.Event()
        self.left, self._about = number, [text.encode() for text in about] or [b"BEGIN"]

    def is_it(self, said):
        """Whether the commit of these statements is the one."""
        if not any(text in said for text in self._about):
            return False
        self.left -= 1
        return self.left == 0

    def reach(self):
        """Waits there until it is left."""
        self.is_reached.set()
        self.is_left.wait()


class Connection:
    """One of a client's: two threads, each of which carries one direction."""

    def __init__(self, proxy, client, server):
        self._proxy, self._client, self._server = proxy, client, server
        self._said = None  # the statements of the open transaction
        self._step = None  # reached by the COMMIT that is under way
        self._held_after = None  # the step that was reached when this connection had its answer
        self.is_cut, self._ended = False, []
        for pump in (self._carry_to_server, self._carry_to_client):
            threading.Thread(target=self._until_its_end, args=(pump,), daemon=True).start()

    def cut(self):
        self.is_cut = True
        for end in (self._client, self._server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _until_its_end(self, pump):
        with contextlib.suppress(OSError):
            pump()
        self.cut()
        self._ended.append(pump)
        if len(self._ended) == 2:
            self._client.close()
            self._server.close()
            self._proxy.forget(self)

    def _carry_to_server(self):
        statements = Statements()
        while data := self._client.recv(65536):
            if self._held_after:
                self._held_after.is_left.wait()
                self._held_after = None
            sent = 0
            for begin, end, text in statements.read(data):
                if text in (b"COMMIT\0", b"ROLLBACK\0") and self._said and self._proxy.at_end:
                    self._proxy.at_end(self._said, self._server.getsockname()[1])
                if (said := self._committed_by(text)) is None:
                    continue
                step = self._proxy.count(said, self)
                if step and step.moment == BEFORE:
                    self._server.sendall(data[sent:begin])
                    sent = begin
                    step.reach()
                elif step:
                    self._step = step
            self._server.sendall(data[sent:])

    def _committed_by(self, text):
        """The statements that this one commits; nothing if it leaves a transaction open."""
        if text.startswith(b"BEGIN"):
            self._said = text
            return None
        if self._said is None:  # it commits itself
            return text
        said = self._said
        self._said = None if text in (b"COMMIT\0", b"ROLLBACK\0") else said + text
        return said if text == b"COMMIT\0" else None

    def _carry_to_client(self):
        answer = b""
        while data := self._server.recv(65536):
            if self._step is None:
                self._client.sendall(data)
                continue
            answer += data
            if not answer.endswith(READY):
                continue
            step, self._step = self._step, None
            if step.moment == AT:
                step.reach()
            else:
                self._held_after = step
            self._client.sendall(answer)
            step.is_reached.set()
            answer = b""


class Proxy:
    """TCP to the database at `url`, at another one; until it is cut."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.behind = (parts.hostname, parts.port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = url.replace(f"{parts.hostname}:{parts.port}", f"127.0.0.1:{self.listener.getsockname()[1]}")
        self._lock = threading.Lock()
        self.at_end = None  # called with the statements of a transaction and its port at the server, before it ends
        self._is_cut, self._step, self._connections = False, None, set()
        threading.Thread(target=self._accept, daemon=True).start()

    def step(self, number, moment, about=()):
        """Waits in wait() until the step is there; then let a program die, and leave it by cut_off() or go_on()."""
        with self._lock:
            assert self._step is None, "a step is left before the next one is named"
            self._step = Step(number, moment, about)
            return self._step

    def wait(self, process):
        """Until the step is reached, if the program does not end before."""
        step = self._step
        wait_until("a step at a commit", lambda: step.is_reached.wait(0.1) or process.poll() is not None)
        assert step.is_reached.is_set(), f"it ended before the step: {process.returncode}"

    def kill(self, process):
        """SIGKILL at the step."""
        self.wait(process)
        process.kill()
        assert process.wait() == -signal.SIGKILL, f"it ended by itself: {process.returncode}"
        self.cut_off()

    def cut_off(self):
        """Leaves the step: what waits there never arrives, as its program is dead, and all connections end."""
        self._cut_all()
        self.go_on()

    def go_on(self):
        """Leaves the step: what waits there arrives."""
        with self._lock:
            left, self._step = self._step, None
        left.is_left.set()

    def set_cut(self, is_cut):
        self._is_cut = is_cut
        if is_cut:
            self._cut_all()

    def stop(self):
        self.set_cut(True)
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    # --- For its connections -----------------------------------------------------------------------

    def count(self, said, connection):
        """The step, if it is this commit; waits while another one is at the step, and fails if it was cut off there."""
        while not connection.is_cut:
            with self._lock:
                step = self._step
                if step is None:
                    return None
                if step.left > 0:
                    return step if step.is_it(said) else None
            step.is_left.wait()
        raise ConnectionAbortedError

    def forget(self, connection):
        with self._lock:
            self._connections.discard(connection)

    def _cut_all(self):
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            connection.cut()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                if self._is_cut:
                    raise OSError
                server = socket.create_connection(self.behind)
            except OSError:
                client.close()
                continue
            connection = Connection(self, client, server)
            with self._lock:
                self._connections.add(connection)


def first_there(proxies, *step):
    """The number of the proxy whose program comes to such a step first; the others go on. Which of several daemons gets some
    work is nobody's choice."""
    steps = [proxy.step(*step) for proxy in proxies]
    wait_until("one comes to a step", lambda: any(each.is_reached.is_set() for each in steps))
    first = next(number for number, each in enumerate(steps) if each.is_reached.is_set())
    for number, proxy in enumerate(proxies):
        if number != first:
            proxy.go_on()
    return first

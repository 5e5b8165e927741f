"""SQL by libpq itself: a psql for each question would start a program and a session, which costs more than the answer."""

import collections
import ctypes
import threading

CONNECTION_OK = 0
COMMAND_OK, TUPLES_OK = 1, 2
IDLE = 0
KEPT = 4  # sessions of a thread: its database, that of maintenance, and one or two more

_pq = ctypes.CDLL("libpq.so.5")
for _name, _answer, _arguments in (
        ("PQconnectdb", ctypes.c_void_p, [ctypes.c_char_p]), ("PQfinish", None, [ctypes.c_void_p]),
        ("PQstatus", ctypes.c_int, [ctypes.c_void_p]), ("PQtransactionStatus", ctypes.c_int, [ctypes.c_void_p]),
        ("PQerrorMessage", ctypes.c_char_p, [ctypes.c_void_p]),
        ("PQexec", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]), ("PQclear", None, [ctypes.c_void_p]),
        ("PQresultStatus", ctypes.c_int, [ctypes.c_void_p]), ("PQntuples", ctypes.c_int, [ctypes.c_void_p]),
        ("PQnfields", ctypes.c_int, [ctypes.c_void_p]),
        ("PQfname", ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_int]), ("PQftype", ctypes.c_uint, [ctypes.c_void_p, ctypes.c_int]),
        ("PQgetvalue", ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]),
        ("PQgetisnull", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int, ctypes.c_int])):
    getattr(_pq, _name).restype = _answer
    getattr(_pq, _name).argtypes = _arguments


_be_quiet = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)(lambda _, notice: None)
_pq.PQsetNoticeProcessor.argtypes = [ctypes.c_void_p, type(_be_quiet), ctypes.c_void_p]


class Refused(AssertionError):
    """What PostgreSQL says against a statement."""


class Session:
    def __init__(self, url):
        self._connection = _pq.PQconnectdb(url.encode())
        if not self.is_good():
            raise Refused(self._error())
        _pq.PQsetNoticeProcessor(self._connection, _be_quiet, None)

    def __del__(self):
        _pq.PQfinish(self._connection)

    def is_good(self):
        return _pq.PQstatus(self._connection) == CONNECTION_OK

    def ask(self, query):
        """Rows of the last statement, as lists of strings; NULL is None."""
        return self.table(query)[1]

    def table(self, query):
        """Its columns too: ([(name, number of its type)], rows)."""
        result = _pq.PQexec(self._connection, query.encode())
        try:
            if _pq.PQresultStatus(result) not in (COMMAND_OK, TUPLES_OK):
                raise Refused(f"{query}\n{self._error()}")
            columns = range(_pq.PQnfields(result))
            return ([(_pq.PQfname(result, column).decode(), _pq.PQftype(result, column)) for column in columns],
                    [[self._cell(result, row, column) for column in columns] for row in range(_pq.PQntuples(result))])
        finally:
            _pq.PQclear(result)

    def forget(self):
        """Begins anew, as a new session would; False: it cannot."""
        if not self.is_good() or _pq.PQtransactionStatus(self._connection) != IDLE:
            return False
        _pq.PQclear(_pq.PQexec(self._connection, b"DISCARD ALL"))
        return self.is_good()

    def _error(self):
        return _pq.PQerrorMessage(self._connection).decode(errors="replace")

    @staticmethod
    def _cell(result, row, column):
        if _pq.PQgetisnull(result, row, column):
            return None
        return _pq.PQgetvalue(result, row, column).decode()


_of_thread = threading.local()


def ask(url, query):
    """As Session.ask(), in a session that knows nothing of earlier questions."""
    sessions = _of_thread.__dict__.setdefault("sessions", collections.OrderedDict())
    session = sessions.pop(url, None)
    if session is None or not session.forget():
        session = Session(url)
    try:
        return session.ask(query)
    finally:
        if session.is_good():
            sessions[url] = session
        while len(sessions) > KEPT:
            sessions.popitem(last=False)

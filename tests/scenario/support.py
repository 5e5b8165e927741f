"""What the scenarios share: a sandbox, a daemon and a database of their own for each test.

The database cluster is told by RECEIPTD_TEST_DATABASE (./dev test starts one); the programs by
RECEIPTD_BUILD (default: build/). Waiting is on conditions, and gives up by the progress of the test (progress.py).
"""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request
import uuid

import databases
import libpq
import progress
from progress import DEADLINE, completed, ended, wait_until  # noqa: F401 (scenarios have them from here)
from receiver import EVERY_FINDING

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RECEIPTD_BUILD", ROOT / "build"))
SAMPLE = ROOT / "sandbox" / "sample"
RECORDED = ROOT / "tests" / "data" / "recorded"
SHARED = ROOT.parent / "shared" / "data"


def count_of(sweep, few=0):
    """How much of something to do: `few` among the tests, as much as asked for by ./dev sweep."""
    return int(os.environ.get(f"RECEIPTD_SWEEP_{sweep.upper()}", few))


def database_url(name):
    return re.sub(r"/[^/?]*(\?|$)", rf"/{name}\1", os.environ["RECEIPTD_TEST_DATABASE"], count=1) \
        if "://" not in os.environ["RECEIPTD_TEST_DATABASE"] \
        else re.sub(r"^(\w+://[^/]*)/[^?]*", rf"\1/{name}", os.environ["RECEIPTD_TEST_DATABASE"])


def sql(url, query):
    """Rows as lists of strings; NULL is None."""
    return libpq.ask(url, query)


def value(url, query):
    return sql(url, query)[0][0]


def free_port():
    """Below those that the kernel gives to whoever asks for any: one of these could be taken before it is used."""
    first_of_kernel = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(min(10_000, first_of_kernel), max(first_of_kernel, 32_768))
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Sandbox:
    """receiptd-sandbox on free ports: `replay`, or `run` with its control. Its hosts are `regular`, with more of them
    `regular_2` and so on, and `archival`."""

    def __init__(self, folder, *arguments, command="replay", regular_hosts=1):
        self.controlled = command == "run"
        ports = ["--listen", "127.0.0.1:0"] * regular_hosts + ["--archival-listen", "127.0.0.1:0"]
        if self.controlled:
            ports += ["--control-listen", "127.0.0.1:0"]
        self.out = open(folder / f"sandbox-{uuid.uuid4().hex[:6]}.out", "w+")
        self.process = subprocess.Popen(
            [BUILD / "receiptd-sandbox", command, *ports, "--quiet", *map(str, arguments)],
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=subprocess.STDOUT)
        wait_until("the sandbox is ready", self._ready)

    def _ready(self):
        if self.process.poll() is not None:
            raise AssertionError("the sandbox ended: " + self._text())
        text = self._text()
        urls = dict(re.findall(r"^((?:regular|archival|control)\S*) (\S+)$", text, re.M))
        if not (self.controlled and "control" in urls or not self.controlled and "archival" in urls):
            return False
        self.control = urls.pop("control", None)
        for host, url in urls.items():
            setattr(self, host.replace("-", "_"), url)
        return True

    def ask(self, path, body=None):
        """JSON of the control: GET, or POST with a body."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.control + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def lie(self, host, name, **more):
        """One more lie of a host, from now on: docs/sandbox.md lists them."""
        lies = self.lies(host) + [{"lie": name, **more}]
        return self.ask("/lies", {"host": host, "lies": lies})[host][-1]

    def lies(self, host):
        """As they could be told anew."""
        return [{name: value for name, value in lie.items() if name != "told"} for lie in self.ask("/lies")[host]]

    def told(self, host):
        """How many answers of a host have told its lies; those that ended by themselves do not count."""
        return sum(lie["told"] for lie in self.ask("/lies")[host])

    def truth(self, host=None):
        """Ends the lies of a host, or of all."""
        self.ask("/lies", {"lies": []} | ({"host": host} if host else {}))

    def answered(self, *methods):
        """How many requests for these methods the regular host has answered, by its own metrics."""
        with urllib.request.urlopen(self.regular + "/metrics") as page:
            counts = re.findall(r'requests_total\{.*method="(\w+)".*\} (\d+)', page.read().decode())
        return sum(int(count) for method, count in counts if method in methods)

    def rpc(self, method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.archival, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["result"]

    def _text(self):
        self.out.flush()
        return pathlib.Path(self.out.name).read_text()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.out.close()


class Scenario(unittest.TestCase):
    """A folder, a fresh database, and helpers that start programs; everything is gone afterwards."""

    empty_database = False  # True: without receiptd's schema
    program = BUILD / "receiptd"

    def setUp(self):
        if "RECEIPTD_TEST_DATABASE" not in os.environ:
            self.skipTest("RECEIPTD_TEST_DATABASE is not set: ./dev test starts a cluster")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="receiptd-scenario-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.maintenance = os.environ["RECEIPTD_TEST_DATABASE"]
        self.database = self.make_database()

    def make_database(self):
        name = databases.make_empty(self.maintenance) if self.empty_database else \
            databases.make_migrated(self.maintenance, BUILD / "receiptd", database_url)
        self.addCleanup(sql, self.maintenance, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        return database_url(name)

    def sandbox(self, *arguments, command="replay", regular_hosts=1):
        made = Sandbox(self.folder, *arguments, command=command, regular_hosts=regular_hosts)
        self.addCleanup(made.stop)
        return made

    def config(self, sandbox, *, source="rpc", scope="all", start='"head"', database=None, network="mainnet",
               patience="200ms", follow="", neardata="", upstream="", extra="", hosts=("regular", "archival"),
               whole_blocks="archival"):
        """A file for a daemon before these hosts; source neardata has whole blocks of `whole_blocks`."""
        path = self.folder / f"receiptd-{uuid.uuid4().hex[:6]}.toml"
        url_file = path.with_suffix(".url")
        url_file.write_text(database or self.database)
        url_file.chmod(0o600)
        url_of = lambda host: getattr(sandbox, host.replace("-", "_"))
        upstreams = "".join(f'[[upstream]]\nname = "{host}"\nkind = "{host.split("-")[0]}"\nurl = "{url_of(host)}"\n'
                            f'{upstream}\n' for host in hosts)
        if f'"{EVERY_FINDING}"' in extra:
            extra += f'[[rule]]\nname = "{EVERY_FINDING}"\nkind = "finding"\n'
        # A regular host of the sandbox redirects old heights to the archival one, at another port.
        whole = (f'[neardata]\nurl = "{url_of(whole_blocks)}"\nredirect_hosts = ["127.0.0.1"]\n{neardata}\n'
                 if source == "neardata" else "")
        path.write_text(f'[chain]\nnetwork = "{network}"\n{upstreams}{whole}'
                        f'[database]\nurl_file = "{url_file}"\n'
                        f'[follow]\nsource = "{source}"\nscope = "{scope}"\nstart = {start}\npatience = "{patience}"\n'
                        f'{follow}\n[http]\nlisten = "127.0.0.1:0"\n{extra}')
        return path

    def receiptd(self, *arguments, expect=0, deadline=DEADLINE, stdin=""):
        """Runs a command to its end; returns (stdout, stderr)."""
        done = completed([self.program, *map(str, arguments)], deadline, stdin)
        if expect is not None:
            self.assertEqual(done.returncode, expect, f"receiptd {arguments}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def start(self, *arguments, within=(), env=None):
        """A daemon that goes on; ended with the test. `within`: a command that runs it; `env`: variables beside ours."""
        log = open(self.folder / f"daemon-{uuid.uuid4().hex[:6]}.log", "w+")
        self.addCleanup(log.close)
        process = subprocess.Popen([*within, self.program, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **(env or {})})
        process.log = lambda: pathlib.Path(log.name).read_text()
        self.addCleanup(self.kill, process)
        return process

    def kill(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()

    def page(self, process, path):
        """GET from a running daemon; returns (status, text)."""
        found = wait_until("the daemon serves its pages",
                           lambda: process.poll() is not None or re.search(r"listen=(\S+)", process.log()))
        self.assertIsNone(process.poll(), process.log())
        with contextlib.closing(progress.Connection(found[1])) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def query(self, text, database=None):
        return sql(database or self.database, text)

    def value(self, text, database=None):
        return value(database or self.database, text)

    def trees_are_whole(self, database=None):
        """No tree waits for more of it. (One whose first rows are looked for in an hour waits for nothing that is to come.)"""
        return (self.value("SELECT count(*) FROM pending_trees", database) == "0"
                and self.value("SELECT count(*) FROM late_trees WHERE isfinite(since)", database) == "0")

    def fingerprint(self, database=None):
        """Every history table's content, whatever the order of its rows."""
        tables = ["blocks", "chunks", "transactions", "receipts", "data_receipts", "events",
                  "transaction_results", "findings", "global_contract_distributions"]
        return {table: self.query(
            f"SELECT count(*), coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint), 0) FROM {table} t",
            database)[0] for table in tables}

    def rows(self, table, database, without=()):
        """The rows of a table, each a sorted JSON object."""
        gone = "".join(f" - '{column}'" for column in without)
        return {row[0] for row in self.query(f"SELECT to_jsonb(t){gone} FROM {table} t", database)}

    def shared(self, path):
        full = SHARED / path
        if not full.exists():
            self.skipTest(f"{full} is not here")
        return full


class Shared(Scenario):
    """Tests that only read: begin() makes what they read, once for all of them."""

    @classmethod
    def setUpClass(cls):
        if "RECEIPTD_TEST_DATABASE" in os.environ:
            cls.made = cls("begin")
            cls.addClassCleanup(cls.made.doCleanups)
            Scenario.setUp(cls.made)
            cls.made.begin()

    def setUp(self):
        if "RECEIPTD_TEST_DATABASE" not in os.environ:
            self.skipTest("RECEIPTD_TEST_DATABASE is not set: ./dev test starts a cluster")
        vars(self).update({name: what for name, what in vars(self.made).items() if not name.startswith("_")})

    def begin(self):
        raise NotImplementedError


class OwnCluster(Scenario):
    """With a cluster of its own, that may be crashed: a copy of run_test.py's template, if it has one."""

    empty_cluster = False  # True: without receiptd's roles and databases

    def setUp(self):
        super().setUp()
        self.cluster = self.folder / "cluster"
        self.start_cluster()
        self.addCleanup(self.postgres, "remove", self.cluster)

    def start_cluster(self):
        template = None if self.empty_cluster else os.environ.get("RECEIPTD_TEST_TEMPLATE")
        self.postgres("start", "--memory", *(["--copy", template] if template else []), self.cluster)

    def postgres(self, *arguments):
        return subprocess.run([ROOT / "scripts" / "postgres.sh", *map(str, arguments)], check=True,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.strip()


def main():
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])

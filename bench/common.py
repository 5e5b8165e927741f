"""What the benchmarks share: the machine, the replay server, the daemon and the database, each watched
from outside (/proc, SQL), so that nothing measured measures itself."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("RECEIPTD_BENCH_BUILD", ROOT / "build"))
TICKS = os.sysconf("SC_CLK_TCK")

# Large mainnet blocks of 1 to 3 MB: on average 1.64 MB of JSON and 331 executed receipts.
LARGE_BLOCKS = ("100596707", "105793821", "114158749", "115185108", "115185109", "115598802", "117969098",
                "151768255")
RECORDED = ROOT / "../shared/data/whole-block"
SAMPLE = ROOT / "sandbox/sample/whole-block"

SETTINGS = ("server_version", "shared_buffers", "max_wal_size", "checkpoint_timeout", "fsync",
            "synchronous_commit", "full_page_writes", "wal_compression", "autovacuum")


def blocks_folder(folder):
    """Fills `folder` with links to the blocks to replay; returns (what they are, mean bytes of JSON)."""
    recorded = [RECORDED / f"{height}.json" for height in LARGE_BLOCKS]
    if all(path.exists() for path in recorded):
        chosen, what = recorded, f"{len(recorded)} recorded mainnet blocks of 0.8 to 3 MB, repeated"
    else:
        chosen = sorted(SAMPLE.glob("*.json"))
        what = f"the {len(chosen)} small blocks of sandbox/sample, repeated: the large ones are not here"
    for path in chosen:
        (folder / path.name).symlink_to(path.resolve())
    return what, sum(path.stat().st_size for path in chosen) / len(chosen)


def shell(*command):
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else "unknown"


def print_ground(database):
    model = "unknown"
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory = int(open("/proc/meminfo").readline().split()[1]) / 1e6
    print(f"machine: {model}, {os.cpu_count()} cores, {memory:.0f} GB; load average {os.getloadavg()[0]:.1f} before")
    print(f"commit: {shell('git', 'describe', '--always', '--dirty')}")
    shown = [f"{name}={database.ask('SHOW ' + name)}" for name in SETTINGS]
    print("PostgreSQL: " + " ".join(shown))


class Database:
    def __init__(self, url):
        self.url = url

    def ask(self, sql):
        command = ["psql", self.url, "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", sql]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.rstrip("\n")

    def rows(self, sql):
        return [line.split("\t") for line in self.ask(sql).splitlines()]

    def recreate(self):
        """The same database, empty."""
        base, name = self.url.rsplit("/", 1)
        other = Database(base + "/postgres")
        other.ask(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        other.ask(f'CREATE DATABASE "{name}"')

    def sibling(self, name):
        return Database(self.url.rsplit("/", 1)[0] + "/" + name)

    def postmaster(self):
        return int(self.ask("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"))


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cluster_cpu_seconds(postmaster):
    """The CPU time of every process of the cluster, those that have ended included."""
    fields = open(f"/proc/{postmaster}/stat").read().rsplit(")", 1)[1].split()
    total = sum(int(field) for field in fields[11:15]) / TICKS
    for pid in open(f"/proc/{postmaster}/task/{postmaster}/children").read().split():
        try:
            total += cpu_seconds(pid)
        except (FileNotFoundError, ProcessLookupError):
            pass  # ended meanwhile: the next reading has it
    return total


def memory_mb(pid, field):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Sandbox:
    """receiptd-sandbox replay; `with` ends it."""

    def __init__(self, folder, *arguments):
        command = [BUILD / "receiptd-sandbox", "replay", "--whole-blocks", folder, "--listen", "127.0.0.1:0",
                   "--archival-listen", "127.0.0.1:0", "--quiet", *arguments]
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("regular "):
                self.url = line.split()[1]
            if line.startswith("archival "):
                return
        raise SystemExit("receiptd-sandbox did not start")

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as answer:
            return answer.read().decode()

    def cpu(self):
        return cpu_seconds(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Chain:
    """receiptd-sandbox run, a chain of its own; `with` ends it."""

    def __init__(self, *arguments, genesis_time="now"):
        listen = [word for name in ("", "archival-", "control-") for word in (f"--{name}listen", "127.0.0.1:0")]
        self.process = subprocess.Popen([str(word) for word in (BUILD / "receiptd-sandbox", "run", *listen, "--quiet",
                                                                "--genesis-time", genesis_time, *arguments)],
                                        stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("regular "):
                self.url = line.split()[1]
            if line.startswith("control "):
                self.control = line.split()[1]
                return
        raise SystemExit("receiptd-sandbox did not start")

    def ask(self, path, body=None):
        """JSON of the control: GET, or POST with a body."""
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.control + path, data)) as answer:
            return json.load(answer)

    def pause(self):
        self.ask("/pause", {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def write_config(path, sandbox, database, source, scope, start, network="mainnet"):
    port = free_port()
    config = f"""[chain]
network = "{network}"
[[upstream]]
name = "regular"
kind = "regular"
url = "{sandbox.url}"
[database]
url_file = "database.url"
[follow]
source = "{source}"
scope = "{scope}"
start = {start}
[http]
listen = "127.0.0.1:{port}"
"""
    if source == "neardata":
        config += f'[neardata]\nurl = "{sandbox.url}"\n'
    path.write_text(config)
    url_file = path.parent / "database.url"
    url_file.touch(mode=0o600)
    url_file.write_text(database.url)
    return port


class Daemon:
    """A command of receiptd; its lines are kept with their time of arrival, its memory is watched."""

    def __init__(self, *arguments, environment=None):
        command = [str(BUILD / "receiptd"), *[str(word) for word in arguments]]
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})
        self.lines = []
        self.peak_mb = 0.0
        self.rss_mb = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        threading.Thread(target=self._watch, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append((time.time_ns(), line.rstrip("\n")))

    def _watch(self):
        while self.process.returncode is None:
            try:
                self.peak_mb = max(self.peak_mb, memory_mb(self.process.pid, "VmHWM"))
                self.rss_mb.append(memory_mb(self.process.pid, "VmRSS"))
            except (FileNotFoundError, ProcessLookupError):
                return
            time.sleep(0.05)

    def wait(self):
        """Ends with it; returns (seconds it ran, CPU seconds it took)."""
        _, status, usage = os.wait4(self.process.pid, 0)
        seconds = time.monotonic() - self.started
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.reader.join()
        if self.process.returncode != 0:
            print("\n".join(line for _, line in self.lines[-20:]), file=sys.stderr)
            raise SystemExit(f"receiptd ended with {self.process.returncode}")
        return seconds, usage.ru_utime + usage.ru_stime

    def wait_until_ready(self, port):
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz"):
                    return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("receiptd did not become ready")

    def stop(self):
        self.process.terminate()
        return self.wait()


def series(port, name):
    """A metric's values by their labels, as they are written."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    found = (line.rsplit(" ", 1) for line in lines if line.startswith((name + " ", name + "{")))
    return {labels[len(name):]: float(value) for labels, value in found}


def metric(port, *names):
    """Sum over the series of each of the names."""
    return [sum(series(port, name).values()) for name in names]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def workspace():
    """A temporary folder, removed at the end."""
    return tempfile.TemporaryDirectory(prefix="receiptd-bench.", dir=os.environ.get("TMPDIR", "/tmp"))


def line_of(name, value, target=""):
    print(f"  {name:<44} {value:>22}   {target}".rstrip())

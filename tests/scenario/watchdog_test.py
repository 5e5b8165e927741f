"""A daemon that stands still says so by a way of its own, and its pings cease until it works again."""

import ctypes
import json
import os
import signal
import subprocess

import support
from receiver import SECRET, Receiver, secret_file, signed
from schemas import faults

TOKEN = "T0KEN"


class Alarm(Receiver):
    """Takes the messages (POST) and the pings (GET) of daemons, and keeps all in the order in which they came."""

    def __init__(self):
        self.came = []  # ("ping", path), ("refused" or "told", (headers, body))
        self.refuse = 0  # messages, from now on
        super().__init__()

    def asked(self, path):
        with self.lock:
            self.came.append(("ping", path))

    def take(self, headers, body):
        with self.lock:
            what = "refused" if self.refuse > 0 else "told"
            self.refuse -= what == "refused"
            self.came.append((what, (dict(headers.items()), body)))
            return "500" if what == "refused" else "ok"

    def all(self, what):
        with self.lock:
            return [how for kind, how in self.came if kind == what]

    def told(self, type_of_message):
        """(headers, body) of the messages that were taken."""
        return [(headers, json.loads(body)) for headers, body in self.all("told")
                if json.loads(body)["type"] == type_of_message]


class Watchdog(support.OwnCluster):
    def setUp(self):
        super().setUp()
        self.watched = self.postgres("database", self.cluster, "watched")
        self.alarm = Alarm()
        self.addCleanup(self.alarm.stop)
        self.chain = self.sandbox("--block-time-ms", 400, "--genesis-time", "now", command="run")

    def daemon(self, name="one"):
        """Follows the chain; whoever reads the alarm knows its pings by its name."""
        ping = self.folder / f"ping-{name}.url"
        ping.write_text(f"{self.alarm.origin}/{TOKEN}/{name}\n")
        ping.chmod(0o600)
        config = self.config(
            self.chain, source="neardata", start='"head"', network="sandbox", database=self.watched, extra=(
                f'[[endpoint]]\nname = "ops"\nurl = "{self.alarm.url}"\nallow_private = true\n'
                f'secret_file = "{secret_file(self.folder)}"\n[watchdog]\nendpoint = "ops"\nstalled_after = "10s"\n'
                f'ping_url_file = "{ping}"\nping_every = "1s"\n'))
        return self.start("run", "--config", config)

    def pings(self, name="one"):
        return len([path for path in self.alarm.all("ping") if path == f"/{TOKEN}/{name}"])

    def more_pings(self, name="one"):
        before = self.pings(name)
        support.wait_until("it pings", lambda: self.pings(name) > before + 1)

    def server_processes(self):
        postmaster = self.postgres("pid", self.cluster)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", postmaster], capture_output=True, text=True).stdout
        return [int(pid) for pid in [postmaster, *children.split()]]

    def signal_server(self, which):
        for pid in self.server_processes():
            os.kill(pid, which)

    def assert_stalled_and_recovered(self, daemon, part, why, go_on):
        """Once it is told that the part stands still, nothing pings; go_on() ends it, and that is told, too."""
        stalled = support.wait_until("it tells that it stands still", lambda: self.alarm.told("daemon.stalled"))
        self.assertEqual(len(stalled), 1)
        headers, body = stalled[0]
        self.assertEqual(body["data"]["parts"][0]["part"], part, body)
        self.assertIn(why, body["data"]["parts"][0]["why"] or "", body)
        go_on()
        (headers, over), = support.wait_until("it works again", lambda: self.alarm.told("daemon.recovered"))
        self.assertEqual(over["data"]["episode"], body["data"]["episode"])
        self.assertEqual([each["part"] for each in over["data"]["parts"]],
                         [each["part"] for each in body["data"]["parts"]])
        self.more_pings()
        for told in (body, over):
            schema = json.loads(self.page(daemon, "/v1/schemas/" + told["type"])[1])
            self.assertEqual(faults(told, schema), [])
        self.assertNotIn(TOKEN, daemon.log())

    def test_a_database_that_is_gone(self):
        daemon = self.daemon()
        self.more_pings()
        self.alarm.refuse = 2
        port = self.watched.rpartition(":")[2].partition("/")[0]
        self.postgres("stop", self.cluster, "immediate")
        self.assert_stalled_and_recovered(daemon, "database", "", lambda: self.postgres("start", self.cluster, port))
        attempts = [*self.alarm.all("refused"), self.alarm.all("told")[0]]
        self.assertEqual(len(attempts), 3)
        self.assertEqual({(headers["webhook-id"], body) for headers, body in attempts},
                         {(attempts[0][0]["webhook-id"], attempts[0][1])}, "repeats are the same")
        for headers, body in attempts:
            self.assertTrue(signed(headers, body, SECRET), headers)
        kinds = [kind for kind, _ in self.alarm.came]
        outage = kinds[kinds.index("refused"):kinds.index("told")]  # it takes 15 s
        self.assertLessEqual(outage.count("ping"), 1, "one may have been on its way")

    def test_a_database_that_does_not_answer(self):
        daemon = self.daemon()
        self.more_pings()
        self.signal_server(signal.SIGSTOP)
        self.addCleanup(self.signal_server, signal.SIGCONT)
        self.assert_stalled_and_recovered(daemon, "database", "", lambda: self.signal_server(signal.SIGCONT))

    def test_hosts_that_tell_nothing(self):
        daemon = self.daemon()
        self.more_pings()
        self.chain.ask("/faults", {"faults": [{"fault": "500"}]})
        self.assert_stalled_and_recovered(daemon, "follower", "no host tells a newer block",
                                          lambda: self.chain.ask("/faults", {"faults": []}))

    def test_an_event_loop_that_is_held_up(self):
        daemon = self.daemon()
        self.more_pings()
        thread = HeldThread(daemon.pid)
        if not thread.held:
            self.skipTest("this machine does not let a test stop one thread of a program")
        self.addCleanup(thread.let_go)
        self.assert_stalled_and_recovered(daemon, "event loop", "", thread.let_go)

    def test_only_the_leader_pings(self):
        leader = self.daemon("one")
        self.more_pings("one")
        other = self.daemon("two")
        support.wait_until("the other one waits", lambda: json.loads(
            self.page(other, "/v1/status")[1])["leader"] == {**self.leader(leader), "is_this_one": False})
        self.more_pings("one")
        self.assertEqual(self.pings("two"), 0)
        self.kill(leader)
        self.more_pings("two")
        self.assertEqual(self.alarm.all("told"), [])

    def leader(self, daemon):
        return json.loads(self.page(daemon, "/v1/status")[1])["leader"]


class HeldThread:
    """Stops the main thread of a child process, and no other of its threads (ptrace)."""

    SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17

    def __init__(self, pid):
        self.pid = pid
        self.ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        self.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self.ptrace.restype = ctypes.c_long
        self.held = self.ptrace(self.SEIZE, pid, None, None) == 0 and self.ptrace(self.INTERRUPT, pid, None, None) == 0
        if self.held:
            os.waitpid(pid, 0x40000000)  # until it has stopped; __WALL

    def let_go(self):
        if self.held:
            self.ptrace(self.DETACH, self.pid, None, None)
        self.held = False


if __name__ == "__main__":
    support.main()

#!/usr/bin/env python3
"""Clients that mean harm can neither stop nor swell a daemon that follows a chain (./dev sweep flood).

One program (flood.py) holds many connections: idle, slow, endless, or with bombs in them; a host sends bombs, too.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

import progress
import support

TOKEN = "the-token-of-the-flood"
BLOCK_MS, TPS = 500, 20
FEW = 1_500          # connections of the test, more than the daemon takes
BLOCKS = 20          # followed meanwhile
PROBES = ("/livez", "/readyz", "/metrics")
OWN = 32             # connections that the daemon itself may have opened meanwhile, to the database and hosts
# Asked of a sweep alone: a test may run beside others.
MOST_MEMORY_MB = 150
MOST_LAG, MOST_WAIT = 2.0, 1.0  # seconds


class Prober(threading.Thread):
    """Asks for the probes, one after the other, each over a new connection."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address, self.over, self.took, self.failed = address, False, [], []
        self.start()

    def run(self):
        while not self.over:
            for path in PROBES:
                began = time.monotonic()
                try:
                    with contextlib.closing(progress.Connection(self.address, timeout=60)) as connection:
                        connection.request("GET", path)
                        answer = connection.getresponse()
                        text = answer.read().decode()
                    if answer.status >= 400 and (answer.status != 503 or path != "/readyz" or "connections" in text):
                        self.failed.append((path, answer.status))
                except (OSError, http.client.HTTPException, AssertionError) as error:
                    self.failed.append((path, str(error)))
                self.took.append(time.monotonic() - began)
            time.sleep(0.05)

    def stop(self):
        self.over = True
        self.join()


class Following(support.Scenario):
    """A daemon before two hosts."""

    within = ()

    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", BLOCK_MS, "--traffic", "mixed", "--tps", TPS, "--seed", 5, command="run",
                                  regular_hosts=2)
        token_file = self.folder / "token"
        token_file.write_text(TOKEN)
        token_file.chmod(0o600)
        settings = self.config(self.chain, network="sandbox", hosts=("regular", "regular-2"),
                               extra=f'token_file = "{token_file}"\n')
        self.daemon = self.start("run", "--config", settings, within=self.within)
        support.wait_until("blocks are stored", lambda: self.stored() > 0)
        self.address = re.search(r"listen=(\S+)", self.daemon.log())[1]

    def stored(self):
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-4000:])
        exists = self.value("SELECT to_regclass('blocks')")
        return int((exists and self.value("SELECT max(block_height) FROM blocks")) or 0)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd"))


class FewDescriptors(Following):
    """The operating system lets the daemon have a few only."""

    within = ("prlimit", "--nofile=200:200")

    def test_silent_clients_take_none_that_the_database_needs(self):
        host, port = self.address.rsplit(":", 1)
        silent = []
        self.addCleanup(lambda: [client.close() for client in silent])
        for _ in range(300):
            silent.append(socket.create_connection((host, int(port))))
        self.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                   "AND pid <> pg_backend_pid()")
        wanted = self.stored() + 5
        support.wait_until("blocks are stored", lambda: self.stored() >= wanted)
        for path in PROBES:
            self.assertIn(self.page(self.daemon, path)[0], (200, 503))
        self.assertEqual(self.page(self.daemon, "/v1/status")[0], 200)
        self.assertNotIn("Too many open files", self.daemon.log())


class Flooded(Following):
    def setUp(self):
        super().setUp()
        self.count = support.count_of("flood", FEW)

    def behind(self):
        """Seconds of the chain's time that the newest stored block is behind the newest final one."""
        final = self.chain.rpc("block", {"finality": "final"})["header"]["height"]
        return max(0, final - self.stored()) * BLOCK_MS / 1000

    def memory(self, line):
        status = pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text()
        return int(re.search(line + r":\s+(\d+) kB", status)[1]) / 1024

    def attack(self):
        attacker = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("flood.py"), self.address,
                                     str(self.count), TOKEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.kill, attacker)
        progress.readable(attacker.stdout, "the attacker has opened its connections")
        self.assertEqual(attacker.stdout.readline(), "opened\n")
        return attacker

    def follow(self, blocks):
        """The greatest lag while the chain goes on by so many blocks."""
        wanted, most, patience = self.stored() + blocks, 0, progress.Patience()
        while self.stored() < wanted:
            most = max(most, self.behind())
            patience.check(f"{blocks} blocks under attack are stored")
            time.sleep(0.2)  # between two samples
        return most

    def test_a_flood_neither_stops_nor_swells_it(self):
        before = self.descriptors()
        memory_before = self.memory("VmRSS")
        prober = Prober(self.address)
        self.addCleanup(prober.stop)
        attacker = self.attack()
        self.chain.lie("regular", "gzip_bomb", times=3, bytes=1 << 26)
        self.chain.lie("regular", "deep_json", times=3)
        most_behind = self.follow(BLOCKS if self.count == FEW else 4 * BLOCKS)
        most_descriptors = self.descriptors()
        prober.stop()
        seen = json.loads(attacker.communicate()[0])
        self.assertEqual(prober.failed, [])
        support.wait_until("all descriptors are back", lambda: self.descriptors() <= before + OWN)
        support.wait_until("no height is missing", lambda: self.value("SELECT count(*) FROM gaps") == "0")
        peak = self.memory("VmHWM")
        print(f"{seen['most open']} connections at once, {seen['opened']} in all; of the daemon: {most_descriptors} descriptors, "
              f"memory {memory_before:.0f} MB before and {peak:.0f} MB at most, {most_behind:.1f} s behind at most; "
              f"{len(prober.took)} probes in {max(prober.took):.2f} s at most", file=sys.stderr)
        if self.count != FEW:
            self.assertLess(peak, MOST_MEMORY_MB)
            self.assertGreater(seen["most open"], 0.9 * self.count)
            self.assertLess(most_behind, MOST_LAG)
            self.assertLess(max(prober.took), MOST_WAIT)


if __name__ == "__main__":
    support.main()

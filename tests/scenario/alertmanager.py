"""Debian's Prometheus Alertmanager, for scenarios that send to it."""

import json
import pathlib
import re
import shutil
import subprocess
import unittest
import urllib.error
import urllib.request

import support
from receiver import EVERY_FINDING

needed = unittest.skipUnless(shutil.which("prometheus-alertmanager"), "prometheus-alertmanager is not installed")


class Alertmanager:
    """On a free loopback port, without a cluster."""

    def __init__(self, folder):
        config = folder / "alertmanager.yml"
        config.write_text("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n")
        self.log = open(folder / "alertmanager.log", "w+")
        self.origin = f"http://127.0.0.1:{support.free_port()}"
        self.process = subprocess.Popen(
            ["prometheus-alertmanager", f"--config.file={config}", f"--storage.path={folder / 'alertmanager'}",
             f"--web.listen-address={self.origin.removeprefix('http://')}", "--cluster.listen-address="],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        support.wait_until("Alertmanager is ready", self._ready)

    def _ready(self):
        assert self.process.poll() is None, pathlib.Path(self.log.name).read_text()
        try:
            with urllib.request.urlopen(f"{self.origin}/-/ready") as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError):
            return False

    def endpoint(self, name, keys=""):
        """The section of a configuration that sends every finding here."""
        return (f'[[endpoint]]\nname = "{name}"\nchannel = "alertmanager"\nurl = "{self.origin}"\nallow_private = true\n'
                f'rules = ["{EVERY_FINDING}"]\n{keys}')

    def alerts(self):
        with urllib.request.urlopen(f"{self.origin}/api/v2/alerts") as answer:
            return json.load(answer)

    def counted(self, metric):
        """The sum of a metric's series that are about version 2 of its API."""
        with urllib.request.urlopen(f"{self.origin}/metrics") as answer:
            text = answer.read().decode()
        return sum(float(value) for value in re.findall(rf'^{metric}{{[^}}]*version="v2"}} (\S+)$', text, re.M))

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

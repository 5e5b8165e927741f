"""The command line itself: what it takes for a word, what shells complete, and what its manual says."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import unittest

import support

COMMANDS = support.ROOT / "docs" / "commands.md"


def run(*arguments, **more):
    done = subprocess.run([support.BUILD / "receiptd", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, **more)
    return done.returncode, done.stdout, done.stderr


class Words(unittest.TestCase):
    def test_a_slip_of_the_keyboard_is_answered_by_what_was_meant(self):
        for words, meant in ((["statu"], "did you mean status?"), (["alerts", "lits"], "did you mean list?"),
                             (["status", "--jsno"], "did you mean --json?"),
                             (["--config", "x", "chek-config"], "did you mean check-config?")):
            code, out, err = run(*words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn(meant, err)

    def test_the_version_names_the_commit_of_the_sources(self):
        code, out, _ = run("--version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^receiptd \d+\.\d+\.\d+ \((unknown|[0-9a-f]{12}(\+changes)?)\)\n$")
        told = json.loads(run("version", "--json")[1])
        self.assertEqual(out, f"receiptd {told['version']} ({told['commit']})\n")

    def test_the_document_of_the_commands_is_that_of_the_program(self):
        self.assertEqual(COMMANDS.read_text(), run("manual", "--markdown")[1],
                         "run ./dev docs: docs/commands.md is not what the program says")

    @unittest.skipUnless(shutil.which("man"), "man-db is not installed")
    def test_man_reads_the_manual_without_a_warning(self):
        for program in ("receiptd", "receiptd-sandbox"):
            page = subprocess.run([support.BUILD / program, "manual"], capture_output=True, text=True, check=True).stdout
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"], input=page,
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)


class Configuration(support.Scenario):
    def named(self, name, network):
        path = self.folder / name
        path.write_text(f'[chain]\nnetwork = "{network}"\nwrong = 1\n')
        return path

    def read(self, *arguments, **environment):
        """The file whose fault is told."""
        clean = {name: value for name, value in os.environ.items() if name != "RECEIPTD_CONFIG"}
        code, _, err = run("check-config", *arguments, cwd=self.folder, env=clean | environment)
        self.assertEqual(code, 2, err)
        return err.split(":")[0]

    def test_the_option_counts_before_the_environment_and_that_before_the_working_directory(self):
        option, environment = self.named("option.toml", "a"), self.named("environment.toml", "b")
        self.named("receiptd.toml", "c")
        self.assertEqual(self.read("--config", option, RECEIPTD_CONFIG=str(environment)), str(option))
        self.assertEqual(self.read(RECEIPTD_CONFIG=str(environment)), str(environment))
        self.assertEqual(self.read(), "receiptd.toml")
        self.assertEqual(self.read(RECEIPTD_CONFIG=""), "receiptd.toml")


class Completion(unittest.TestCase):
    """By the shells themselves, where they are installed."""

    def setUp(self):
        self.path = f"{support.BUILD}:{os.environ['PATH']}"

    def shell(self, name, script):
        if not shutil.which(name):
            self.skipTest(f"{name} is not installed")
        done = subprocess.run([name, "-c", script], capture_output=True, text=True, env=os.environ | {"PATH": self.path})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_bash(self):
        offers = lambda *words: sorted(self.shell("bash", f"""source <(receiptd completion bash)
            COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _receiptd
            [ ${{#COMPREPLY[@]}} -eq 0 ] || printf '%s\\n' "${{COMPREPLY[@]}}" """))
        self.assertEqual(offers("receiptd", "alerts", "list", "--state", "de"), ["dead", "delivered"])
        self.assertEqual(offers("receiptd", "check"), ["check-config"])
        self.assertEqual(offers("receiptd", "--config", "/etc/passw"),
                         sorted(str(one) for one in support.pathlib.Path("/etc").glob("passw*")))

    def test_fish(self):
        offers = lambda line: [one.split("\t")[0] for one in
                               self.shell("fish", f"receiptd completion fish | source; complete -C '{line}'")]
        self.assertEqual(sorted(offers("receiptd alerts list --state de")), ["dead", "delivered"])
        self.assertEqual(offers("receiptd check"), ["check-config"])

    def test_zsh(self):
        offers = lambda *words: [one.split(":")[0] for one in self.shell("zsh", f"""
            compdef() {{ }}
            _describe() {{ print -rl -- "${{(@P)2}}" }}
            eval "$(receiptd completion zsh)"
            words=({' '.join(words)}); CURRENT={len(words)}; _receiptd""")]
        self.assertEqual(sorted(offers("receiptd", "alerts", "list", "--state", "de")), ["dead", "delivered"])
        self.assertEqual(offers("receiptd", "check"), ["check-config"])


class Terminal(support.Scenario):
    """`receiptd tx` on a terminal, and where its output goes elsewhere."""

    tx = ("4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4", "vietnq77.near")
    escape = re.compile("\x1b\\[[0-9;]*m")

    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--rpc", support.RECORDED / "rpc/mainnet-76538229")
        self.settings = self.config(self.chain)
        self.receiptd("migrate", "--config", self.settings)

    def on_a_terminal(self, columns, **environment):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
        process = subprocess.Popen([support.BUILD / "receiptd", "tx", *self.tx, "--config", self.settings], stdin=theirs,
                                   stdout=theirs, stderr=subprocess.DEVNULL, env=clean | environment)
        os.close(theirs)
        text = b""
        while part := self.read(ours):
            text += part
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        return text.decode().replace("\r\n", "\n")

    def read(self, terminal):
        try:
            return os.read(terminal, 65536)
        except OSError:  # Linux says so when the other side is closed
            return b""

    def test_no_line_of_the_tree_is_wider_than_the_terminal(self):
        text = self.on_a_terminal(70)
        self.assertIn("\x1b[31m[failure]\x1b[0m", text)
        tree = self.escape.sub("", text).split(" receipts, ")[0].splitlines()
        self.assertGreater(len(tree), 3)
        self.assertLessEqual(max(map(len, tree)), 70)
        self.assertIn("← root cause", self.escape.sub("", self.on_a_terminal(200)))

    def test_no_colour_where_it_is_not_wanted_and_nothing_is_cut_elsewhere(self):
        plain, _ = self.receiptd("tx", *self.tx, "--config", self.settings)
        self.assertNotIn("\x1b", plain)
        self.assertNotIn("…", plain)
        self.assertRegex(plain, r"\d+ receipts, \d+ failed, [\d.]+ Tgas burnt, [\d.]+ NEAR in fees, settled after [\d.]+ s")
        self.assertNotIn("\x1b", self.on_a_terminal(400, NO_COLOR="1"))
        self.assertNotIn("\x1b", self.on_a_terminal(400, TERM="dumb"))
        self.assertEqual(self.escape.sub("", self.on_a_terminal(400)), plain)


if __name__ == "__main__":
    unittest.main()

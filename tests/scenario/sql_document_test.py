"""docs/sql.md: every question is answered, by a database that a daemon filled from the sandbox, as the document shows.

RECEIPTD_SQL_DOCUMENT=write puts the answers of this run into the document.
"""

import os
import re
import subprocess

import support
from days_of_long_ago import days_of_long_ago_locked, make_days_of_long_ago
from handed_in import TOKEN, fail_in_a_block, final_hash, key_of, nonce_of, send
from libpq import Session
from signer import Signed

DOCUMENT = support.ROOT / "docs" / "sql.md"
QUESTION = re.compile(r"^## (\d+\. [^\n]+)\n\n```sql\n(.*?)```\n\n```\n(.*?)```\n", re.M | re.S)
INSERTION = re.compile(r"```sql\n(INSERT INTO watches [^\n]*;)\n```")
ASKED_ABOUT = re.compile(r"(?:transaction_result|receipt_tree)\('(\w{43,44})'")  # questions 1 and 2
BLOCKS = 150
WATCHING = '[[watch]]\nname = "everything"\nsigner = "*"\n[watching]\nstuck_after_pending = "1s"\n'


class SqlDocument(support.Scenario):
    def filled_database(self, insertion):
        """A day of traffic with all that the questions ask about: a lost watch, a skipped nonce, a failed transaction."""
        self.chain = self.sandbox("--block-time-ms", 50, "--traffic", "failures", "--tps", 80, "--seed", 1, command="run")
        genesis = self.chain.ask("/status")["genesis_height"]
        config = self.config(self.chain, source="neardata", network="sandbox", start=genesis + 1, extra=WATCHING)
        self.receiptd("migrate", "--config", config)
        self.psql("receiptd_watcher", insertion)
        daemon = self.start("run", "--config", config)
        fail_in_a_block(self.chain)
        self.skip_nonces()
        last = max(genesis + BLOCKS, self.chain.ask("/status")["height"])
        for what, query in {
                "the chain is long enough": f"SELECT coalesce(max(block_height), 0) >= {last} FROM blocks",
                "something is stuck": "SELECT count(*) > 0 FROM stuck_watches",
                "watches have ended": "SELECT count(*) > 0 FROM watches WHERE stage = 'final'"}.items():
            support.wait_until(what, lambda: daemon.poll() is not None or self.value(query) == "t")
            self.assertIsNone(daemon.poll(), daemon.log()[-3000:])
        self.chain.ask("/pause", {})

    def skip_nonces(self):
        account = "alice.sandbox"
        key = key_of(self.chain, account)
        nonce = nonce_of(self.chain, account, key) + 4
        send(self.chain, Signed(key, account, "bob.sandbox", nonce, final_hash(self.chain), TOKEN))

    def psql(self, role, query):
        """The text that psql prints."""
        return subprocess.run(["psql", self.database, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", f"SET ROLE {role}",
                               "-c", "SET timezone = 'UTC'", "-c", query], check=True, capture_output=True, text=True).stdout

    def days_of_long_ago_locked_by(self, query):
        session = Session(self.database)
        session.ask(f"BEGIN; SET LOCAL ROLE receiptd_readonly; SET LOCAL timezone = 'UTC'; {query}")
        return days_of_long_ago_locked(session)

    def test_the_questions_are_answered_as_shown(self):
        text = DOCUMENT.read_text()
        questions = QUESTION.findall(text)
        self.assertEqual([title.split(".")[0] for title, *_ in questions], [str(i) for i in range(1, 21)])
        self.filled_database(INSERTION.search(text)[1])
        asked_about, = ASKED_ABOUT.findall(questions[0][1])
        known = self.value("SELECT tx_hash FROM transaction_results WHERE verdict = 'callback_failed' AND receipts = 6 "
                           "ORDER BY block_height LIMIT 1")
        make_days_of_long_ago(self)
        for title, query, shown in questions:
            with self.subTest(title):
                self.assertEqual(self.days_of_long_ago_locked_by(query.replace(asked_about, known)), set())
            with self.subTest(title):
                answer = self.psql("receiptd_readonly", query.replace(asked_about, known))
                self.assertEqual(columns(answer), columns(shown))
                self.assertNotIn("(0 rows)", answer)
                text = text.replace(query + "```\n\n```\n" + shown, query + "```\n\n```\n" + without_blanks(answer))
        if os.environ.get("RECEIPTD_SQL_DOCUMENT") == "write":
            DOCUMENT.write_text(text.replace(asked_about, known))


def columns(answer):
    return [cell.strip() for cell in answer.split("\n")[0].split("|")]


def without_blanks(answer):
    return "\n".join(line.rstrip() for line in answer.rstrip().split("\n")) + "\n"


if __name__ == "__main__":
    support.main()

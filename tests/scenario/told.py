"""Scenarios whose one endpoint is told everything that receipts do, and more."""

import json

import support
from receiver import Receiver, secret_file

RULES = '''
[[rule]]
name = "all-events"
kind = "event"
account = "*"

[[rule]]
name = "all-transfers"
kind = "transfer"
cause = ["transfer", "refund", "returned"]
account = "*"

[[rule]]
name = "all-keys"
kind = "key_added"
account = "*"

[[rule]]
name = "all-verdicts"
kind = "verdict"
account = "*"
'''
NAMES = ["all-events", "all-transfers", "all-keys", "all-verdicts"]
# Beside them, and beside the default rule.
MORE_RULES = '''
[[rule]]
name = "callbacks"
kind = "failed_receipt"
role = "callback"

[[rule]]
name = "handled"
kind = "finding"
handled = true

[[rule]]
name = "large"
kind = ["transfer", "verdict"]
any = [{amount_at_least = "1000000000000000000000000", token = "near"}, {verdict = ["failed", "callback_failed"]}]
'''


class Told(support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)

    def lively_chain(self, tps=40):
        chain = self.sandbox("--block-time-ms", 50, "--traffic", "mixed", "--tps", tps, "--seed", 7,
                             "--genesis-time", "now", command="run")
        self.genesis = chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        return chain

    def come_to(self, chain, height):
        support.wait_until("the chain is there", lambda: chain.rpc(
            "block", {"finality": "final"})["header"]["height"] > height,
            deadline=support.DEADLINE + (height - self.genesis) * 0.1)
        chain.ask("/traffic", {"tps": 0})
        chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        chain.ask("/pause", {})

    def configured(self, chain, source, database, names=NAMES, more="", start=None, **settings):
        hook = (f'[[endpoint]]\nname = "team"\nurl = "{self.receiver.url}"\nallow_private = true\n'
                f'secret_file = "{secret_file(self.folder)}"\nrules = {json.dumps(names)}\n')
        return self.config(chain, source=source, start=start or self.genesis + 1, database=database,
                           patience="60s", follow="batch_blocks = 2\n", extra=hook + RULES + more, **settings)

    def follow(self, config, last, deadline=support.DEADLINE):
        daemon = self.start("run", "--config", config, "--until", last)
        self.assertEqual(support.ended(daemon, deadline), 0, daemon.log()[-4000:])

    def column(self, query, database):
        return [row[0] for row in self.query(query, database)]

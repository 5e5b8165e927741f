"""One of two hosts lies: nothing ends by its word, and a host of another network is not used."""
import json
import signal
import unittest

from signer import b58encode
from submit_test import Submitting
from support import wait_until


class OneLiar(Submitting):
    """`regular` lies; `archival`, which serves the whole blocks, too, does not."""

    def watch_one_that_is_never_sent(self):
        transaction = self.transfer(nonce=self.nonce() + 5)
        public = "ed25519:" + b58encode(self.keys["alice.sandbox"].public)
        self.query("INSERT INTO watches (tx_hash, sender_id, nonce, public_key) VALUES "
                   f"('{transaction.hash}', 'alice.sandbox', {self.nonce() + 5}, '{public}')")
        return transaction.hash

    def stage(self, tx_hash):
        return self.value(f"SELECT stage FROM watches WHERE tx_hash = '{tx_hash}'")

    def told(self, daemon, host):
        upstreams = json.loads(self.page(daemon, "/v1/status")[1])["upstreams"]
        return next(each for each in upstreams if each["name"] == host)

    def ready(self, daemon):
        return json.loads(self.page(daemon, "/readyz")[1])

    def run_once(self):
        """Until something is stored, from hosts that agree."""
        daemon = self.start("--config", self.settings, "run")
        wait_until("it is ready", lambda: self.ready(daemon)["ready"])
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()


class Ends(OneLiar):
    def test_a_watch_ends_by_no_lie_of_one_host(self):
        self.begin("--block-time-ms", "150")
        daemon = self.start("--config", self.settings, "run")
        self.chain.lie("regular", "nonce")
        self.chain.lie("regular", "unknown_transaction")
        tx_hash = self.watch_one_that_is_never_sent()
        # It is asked for its sender after five seconds, and then every few.
        # What a check ends is written together with its number.
        asked = lambda: int(self.value(f"SELECT checks FROM watches WHERE tx_hash = '{tx_hash}'")) >= 4
        wait_until("its sender has been asked for", asked)
        self.assertIn(self.stage(tx_hash), ("accepted", "pending"))
        self.assertEqual(self.value("SELECT count(*) FROM findings WHERE kind <> 'stuck'"), "0")
        # Two hosts that say so end it, and both are in the evidence.
        self.chain.lie("archival", "nonce")
        wait_until("two hosts have said it", lambda: self.stage(tx_hash) == "dropped")
        evidence = json.loads(self.value(f"SELECT evidence FROM watches WHERE tx_hash = '{tx_hash}'"))
        self.assertTrue(evidence["asked"].startswith("archival, regular"), evidence)
        self.assertIsNone(daemon.poll())

    def test_a_key_that_is_gone_ends_a_watch_by_the_word_of_two(self):
        self.begin("--block-time-ms", "150")
        daemon = self.start("--config", self.settings, "run")
        self.chain.lie("regular", "missing_key")
        tx_hash = self.watch_one_that_is_never_sent()
        asked = lambda: int(self.value(f"SELECT checks FROM watches WHERE tx_hash = '{tx_hash}'")) >= 3
        wait_until("its sender has been asked for", asked)
        self.assertIn(self.stage(tx_hash), ("accepted", "pending"))
        self.chain.lie("archival", "missing_key")
        wait_until("two hosts have said it", lambda: self.stage(tx_hash) == "dropped")
        self.assertEqual(self.value(f"SELECT reason FROM watches WHERE tx_hash = '{tx_hash}'"), "key_removed")
        evidence = json.loads(self.value(f"SELECT evidence FROM watches WHERE tx_hash = '{tx_hash}'"))
        self.assertIn("access_key_missing_at", evidence)
        self.assertIsNone(daemon.poll())

    def test_what_one_host_refuses_and_another_takes_is_sent(self):
        self.begin("--block-time-ms", "150")
        self.start("--config", self.settings, "run")
        missing = {"SignerDoesNotExist": {"signer_id": "alice.sandbox"}}
        for error in (missing, "Expired", "InvalidSignature", {"ActionsValidation": "DeleteActionMustBeFinal"}):
            with self.subTest(error=error):
                self.chain.lie("regular", "invalid_transaction", error=error)
                transaction = self.transfer()
                self.submit(transaction)
                wait_until("it is final", lambda: self.stage(transaction.hash) == "final")
                self.chain.truth()
        transaction = self.transfer()
        for host in ("regular", "archival"):
            self.chain.lie(host, "invalid_transaction", error=missing)
        self.assertIn("signer_missing", "".join(self.submit(transaction, expect=20)))

    def test_a_validity_that_one_host_shortens_ends_nothing_sooner(self):
        self.begin("--block-time-ms", "150")
        self.start("--config", self.settings, "run")
        self.chain.lie("regular", "validity_period", blocks=1500)
        self.submit(self.transfer())
        self.assertEqual(self.value("SELECT valid_until - block_hash_height FROM watches"), "86401")


class Networks(OneLiar):
    def test_a_host_of_another_network_is_put_aside_until_it_is_of_ours(self):
        self.begin("--block-time-ms", "150")
        self.settings = self.config(self.chain, network="sandbox", start="\"head\"")
        self.run_once()
        self.chain.lie("regular", "network", chain_id="mainnet", blocks=True)
        daemon = self.start("--config", self.settings, "run")
        wait_until("it follows the other host", lambda: self.ready(daemon)["ready"])
        self.assertEqual(self.told(daemon, "regular")["network"], "other_network")
        self.assertIn('"mainnet"', self.told(daemon, "regular")["network_detail"])
        self.assertEqual(self.ready(daemon)["notes"][0]["reason"], "network")
        self.assertEqual(daemon.log().count("upstream is of another network"), 1)
        self.assertIn('receiptd_upstream_other_network{upstream="regular"} 1', self.page(daemon, "/metrics")[1])
        self.chain.truth()
        daemon.send_signal(signal.SIGHUP)
        wait_until("it is asked again", lambda: self.told(daemon, "regular")["network"] == "proven")
        self.assertNotIn("notes", self.ready(daemon))

    def test_a_network_that_was_started_anew_is_refused(self):
        self.begin("--block-time-ms", "150")
        self.run_once()
        self.assertNotEqual(self.value("SELECT genesis_hash FROM chain_identity"), None)
        for host in ("regular", "archival"):
            self.chain.lie(host, "network", blocks=True)
        _, said = self.receiptd("--config", self.settings, "run", expect=1)
        self.assertIn("genesis block", said)
        self.assertIn("has another block", said)

    def test_a_whole_block_service_of_another_network_is_put_aside(self):
        self.begin("--block-time-ms", "150")
        self.settings = self.config(self.chain, network="sandbox", source="neardata", hosts=("regular",))
        self.chain.lie("archival", "network", blocks=True)
        daemon = self.start("--config", self.settings, "run")
        wait_until("it is put aside", lambda: self.told(daemon, "neardata")["network"] == "other_network")
        self.assertEqual(self.value("SELECT count(*) FROM blocks"), "0")
        self.chain.truth()
        daemon.send_signal(signal.SIGHUP)
        wait_until("it follows the chain", lambda: self.ready(daemon)["ready"])

    def test_hosts_that_are_down_at_the_start_are_waited_for(self):
        self.begin("--block-time-ms", "150")
        self.chain.ask("/faults", {"faults": [{"fault": "reset"}]})
        daemon = self.start("--config", self.settings, "run")
        wait_until("it says why", lambda: "upstreams" in str(self.ready(daemon)["reasons"]))
        self.chain.ask("/faults", {"faults": []})
        wait_until("it follows the chain", lambda: self.ready(daemon)["ready"])


if __name__ == "__main__":
    unittest.main()

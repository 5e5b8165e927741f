"""`check-config --online`: what it says of hosts that refuse, belong elsewhere or lag, of the database and of endpoints."""

import json
import threading

import hostile
import receiver
import support

KEY = "online-key-0123456789"


class Online(support.Scenario):
    empty_database = True

    def chain(self, *arguments):
        return self.sandbox("--block-time-ms", 100, "--genesis-time", "now", *arguments, command="run")

    def check(self, config, *arguments, expect=0):
        """{subject: [(result, detail)]}"""
        out, _ = self.receiptd("check-config", "--online", "--json", "--config", config, *arguments, expect=expect)
        found = {}
        for one in json.loads(out)["online"]:
            found.setdefault(one["subject"], []).append((one["result"], one["detail"]))
        return found

    def one(self, found, subject):
        (result, detail), = found[subject]
        return result, detail

    def key_file(self, key):
        path = self.folder / "api.key"
        path.write_text(key)
        path.chmod(0o600)
        return f'api_key_file = "{path}"'

    def test_good_hosts_and_an_empty_database_are_ok(self):
        config = self.config(self.chain(), network="sandbox")
        found = self.check(config)
        for host in ("regular", "archival"):
            result, detail = self.one(found, f"upstream {host}")
            self.assertEqual(result, "ok", detail)
            self.assertRegex(detail, r"^of network sandbox, head \d+ of ")
        self.assertEqual({result for result, _ in found["database"]}, {"ok"}, found)
        self.assertRegex(str(found["database"]), r"PostgreSQL \d+.*migrations are to be applied.*nothing is stored yet")
        self.assertIsNone(self.value("SELECT to_regclass('blocks')"), "it changes nothing")
        out, _ = self.receiptd("check-config", "--online", "--config", config)
        self.assertRegex(out, r"(?m)^ok       upstream regular: of network sandbox")

    def test_a_host_is_shown_with_the_heights_that_it_says_it_holds_and_the_methods_that_it_lacks(self):
        chain = self.sandbox("--block-time-ms", 100, command="run")
        chain.lie("regular", "earliest_height", height=0)
        chain.ask("/faults", {"faults": [
            {"fault": "wrong", "method": "EXPERIMENTAL_protocol_config", "answer": {"error": "METHOD_NOT_FOUND"}}]})
        _, detail = self.one(self.check(self.config(chain, network="sandbox")), "upstream regular")
        self.assertIn("says that it holds heights from 0,", detail)
        self.assertIn("lacks EXPERIMENTAL_protocol_config", detail)

    def test_a_refused_key_is_told_and_not_shown(self):
        chain = self.chain("--api-key", KEY, "--require-key")
        found = self.check(self.config(chain, network="sandbox", upstream=self.key_file("wrong-key-9876")), expect=1)
        result, detail = self.one(found, "upstream regular")
        self.assertEqual(result, "failed")
        self.assertRegex(detail, "refuses our requests.*key")
        self.assertNotIn("wrong-key-9876", str(found))
        found = self.check(self.config(chain, network="sandbox", upstream=self.key_file(KEY)))
        self.assertEqual(self.one(found, "upstream regular")[0], "ok")

    def test_hosts_of_another_network_are_told(self):
        found = self.check(self.config(self.chain(), network="testnet"), expect=1)
        for host in ("regular", "archival"):
            result, detail = self.one(found, f"upstream {host}")
            self.assertEqual(result, "failed")
            self.assertRegex(detail, "not of the network testnet.*sandbox")

    def test_a_host_that_lags_is_a_warning(self):
        chain = self.chain()
        chain.lie("regular", "false_head", ahead=500)
        result, detail = self.one(self.check(self.config(chain, network="sandbox")), "upstream archival")
        self.assertEqual(result, "warning")
        self.assertRegex(detail, r"\d+ blocks behind another host")

    def test_a_host_that_makes_no_whole_blocks_is_a_warning_for_source_indexer(self):
        chain = self.chain()
        no_method = {"fault": "wrong", "method": "EXPERIMENTAL_indexer_block", "answer": {"error": "UNSUPPORTED"}}
        chain.ask("/faults", {"host": "regular", "faults": [no_method]})
        found = self.check(self.config(chain, source="indexer", network="sandbox"))
        self.assertRegex(self.one(found, "upstream archival")[1], ", makes whole blocks$")
        result, detail = self.one(found, "upstream regular")
        self.assertEqual(result, "warning")
        self.assertRegex(detail, "makes no whole blocks .*enable_indexer_rpc")

    def test_hosts_that_do_not_answer_and_an_absent_database_are_told_together(self):
        chain = self.chain()
        config = self.config(chain, network="sandbox", database="postgresql://receiptd:hidden-word@127.0.0.1:9/none")
        chain.stop()
        found = self.check(config, expect=1)
        self.assertEqual([self.one(found, subject)[0] for subject in ("upstream regular", "upstream archival", "database")],
                         ["failed"] * 3)
        self.assertNotIn("hidden-word", str(found))

    def check_behind(self, rule):
        """What is said of the regular host where `rule` answers for both hosts."""
        gate = hostile.Gateway(self.chain().regular, rule)
        self.addCleanup(gate.stop)
        config = self.config(gate, network="sandbox", extra='[timeouts]\nrequest = "2s"\n')
        return self.one(self.check(config, expect=None), "upstream regular")

    def test_a_host_that_does_not_say_its_network_ends_the_check_with_a_sentence(self):
        result, detail = self.check_behind(lambda request: (500, b"{}", {}) if request["method"] == "status" else None)
        self.assertEqual(result, "failed")
        self.assertRegex(detail, "not of the network sandbox: .*")

    def test_a_host_that_holds_its_answers_back_ends_the_check_with_a_sentence(self):
        released = threading.Event()
        self.addCleanup(released.set)
        silent = {"tx_status", "EXPERIMENTAL_tx_status", "EXPERIMENTAL_receipt"}
        result, detail = self.check_behind(
            lambda request: (lambda _: released.wait()) if request["method"] in silent else None)
        self.assertEqual(result, "warning")
        self.assertRegex(detail, "^of network sandbox, .*did not answer all questions within 2000 ms")

    def test_a_database_of_another_network_is_told(self):
        chain = self.chain()
        self.receiptd("run", "--config", self.config(chain, network="sandbox", scope="headers", start='"head"'),
                      "--until", chain.ask("/status")["genesis_height"] + 3, expect=None)
        found = self.check(self.config(chain, network="sandbox", scope="all"), expect=1)
        self.assertIn(("failed", "contains the scope headers, not all"), found["database"])

    def test_endpoints_are_sent_a_message_only_when_that_is_asked_for(self):
        taker = receiver.Receiver()
        self.addCleanup(taker.stop)
        config = self.config(self.chain(), network="sandbox",
                             extra=receiver.endpoint("ops", taker.url, receiver.secret_file(self.folder)))
        self.assertIn("not asked", self.one(self.check(config), "endpoint ops")[1])
        self.assertEqual(taker.requests, [])
        result, detail = self.one(self.check(config, "--test-endpoints"), "endpoint ops")
        self.assertEqual((result, len(taker.requests)), ("ok", 1), detail)
        taker.server.shutdown()
        taker.server.server_close()
        result, detail = self.one(self.check(config, "--test-endpoints", expect=1), "endpoint ops")
        self.assertEqual(result, "failed")
        self.assertIn("did not answer", detail)


if __name__ == "__main__":
    support.main()

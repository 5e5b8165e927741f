"""The commands as people and supervisors use them: exit codes, signals, pages, secrets."""

import json
import re
import signal
import subprocess

import receiver
import support

FIRST, LAST = 100000000, 100000037
KEY = "scenario-key-5f0c"
SERIES = re.compile(r'^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\.)*",?)*\})? '
                    r'(-?[0-9.eE+-]+|\+Inf|-Inf|NaN)$')


class Commands(support.Scenario):
    def whole_blocks(self, *arguments):
        return self.sandbox("--whole-blocks", support.SAMPLE / "whole-block", *arguments)

    def rpc(self, *arguments):
        return self.sandbox("--rpc", support.SAMPLE / "rpc", *arguments)

    def covered(self):
        return int(self.value("SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM coverage, unnest(heights) r"))

    def until_covered(self, heights):
        def enough():
            return self.value("SELECT to_regclass('coverage')") is not None and self.covered() >= heights
        support.wait_until(f"{heights} heights are covered", enough)


class Signals(Commands):
    def test_sigterm_finishes_the_batch_and_exits_0(self):
        sandbox = self.whole_blocks("--repeat", 100000)
        config = self.config(sandbox, source="neardata", start=200000000)
        process = self.start("run", "--config", config)
        self.until_covered(50)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(process, 30), 0, process.log())
        blocks = self.value("SELECT count(*) FROM blocks")
        self.assertEqual(int(blocks), self.covered())
        self.assertEqual(self.value("SELECT count(*) FROM receipts r WHERE NOT EXISTS "
                                    "(SELECT FROM blocks b WHERE b.block_height = r.block_height)"), "0")

    def test_sigterm_while_the_database_is_away_exits_0(self):
        config = self.config(self.whole_blocks(), source="neardata", start=FIRST,
                             database="postgresql://receiptd:x@127.0.0.1:9/none")
        process = self.start("run", "--config", config)
        support.wait_until("it says that it waits", lambda: "trying again" in process.log())
        process.send_signal(signal.SIGTERM)
        self.assertIn(support.ended(process, 30), (0,), process.log())

    def test_sighup_reloads_what_can_be_and_names_what_needs_a_restart(self):
        config = self.config(self.rpc(), start=FIRST, extra='[log]\nlevel = "info"\n')
        process = self.start("run", "--config", config)
        self.until_covered(LAST - FIRST + 1)
        text = config.read_text()
        config.write_text(text.replace('level = "info"', 'level = "debug"').replace("[follow]", "[follow]\nwriters = 3"))
        process.send_signal(signal.SIGHUP)
        support.wait_until("the restart is asked for", lambda: re.search(r"needs a restart.*writers", process.log()))
        self.assertRegex(process.log(), r"reloaded.*log\.level.*debug")
        config.write_text(text.replace("[follow]", "[follow]\nwritters = 3"))
        process.send_signal(signal.SIGHUP)
        support.wait_until("a bad file is refused", lambda: re.search(r"reload refused.*writters", process.log()))
        self.assertIn("receiptd_config_last_reload_successful 0\n", self.page(process, "/metrics")[1])
        config.write_text(text)
        process.send_signal(signal.SIGHUP)
        support.wait_until("it is mended", lambda: "receiptd_config_last_reload_successful 1\n"
                           in self.page(process, "/metrics")[1])
        self.assertEqual(self.page(process, "/livez")[0], 200)


class ExitCodes(Commands):
    def test_run_until_says_whether_everything_is_there(self):
        config = self.config(self.rpc(), start=FIRST)
        self.receiptd("run", "--config", config, "--until", LAST, expect=0)
        self.receiptd("run", "--config", config, "--until", LAST, expect=0)  # nothing left to do

    def test_wrong_arguments_and_configuration_are_2(self):
        self.receiptd("run", "--config", self.folder / "absent.toml", expect=2)
        self.receiptd("run", "--frobnicate", expect=2)
        self.receiptd("backfill", "--config", "x", "--from", 5, "--to", 4, expect=2)
        self.receiptd(expect=2)
        out, _ = self.receiptd("version")
        self.assertTrue(out.startswith("receiptd "))

    def test_check_config_lists_every_problem_with_its_place(self):
        config = self.folder / "bad.toml"
        config.write_text('[chain]\nnetwork = ""\n[[upstream]]\nname = "a"\nkind = "regulra"\nurl = "ftp://x"\n'
                          '[follow]\nwritters = 2\nscope = "accounts"\n[nonsense]\nx = 1\n')
        _, err = self.receiptd("check-config", "--config", config, expect=2)
        lines = err.strip().splitlines()
        for place, word in ((2, "network"), (5, "regular"), (6, "url"), (8, "writers"), (9, "accounts"), (10, "nonsense")):
            self.assertTrue(any(f":{place}:" in line and word in line for line in lines), (place, word, err))
        good, _ = self.receiptd("check-config", "--config", self.config(self.rpc()))
        self.assertIn("ok", good)

    def test_check_config_lists_the_rules_and_who_takes_them(self):
        (self.folder / "hot.txt").write_text("a.near\nb.near\n")
        rules = ('[[rule]]\nname = "deposits"\nkind = ["transfer", "end"]\naccount = "@hot"\n'
                 '[[list]]\nname = "hot"\nfile = "hot.txt"\n')
        taker = lambda rule: receiver.endpoint("ops", "https://hooks.example.org", receiver.secret_file(self.folder),
                                               rules=(rule,))
        config = self.config(self.rpc(), extra=taker("deposits") + rules)
        out, err = self.receiptd("check-config", "--config", config)
        self.assertIn("rule deposits (transfer, end): ops\nlist hot: 2 accounts\n", out)
        self.assertNotIn("default rule", err)
        _, err = self.receiptd("check-config", "--config", self.config(self.rpc(), extra=taker("default")))
        self.assertRegex(err, r':\d+:\d+: warning: endpoint "ops" takes the default rule while follow.scope is "all"')

    def test_migrate_creates_once_and_status_says_so(self):
        self.empty_database = True
        config = self.config(self.rpc(), database=self.make_database())
        out, _ = self.receiptd("migrate", "--status", "--config", config, expect=1)
        self.assertIn("pending  0001", out)
        out, _ = self.receiptd("migrate", "--config", config)
        self.assertIn("applied 0001", out)
        out, _ = self.receiptd("migrate", "--config", config)
        self.assertIn("nothing to do", out)
        out, _ = self.receiptd("migrate", "--status", "--config", config)
        self.assertNotIn("pending", out)


class DatabaseId(Commands):
    def start_and_end(self, config):
        process = self.start("run", "--config", config)
        support.wait_until("it says which id it uses", lambda: "database_id" in process.log())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(process, 30), 0, process.log())
        return process.log(), self.value("SELECT database_id FROM database_identity")

    def test_a_copy_gets_another_id_and_a_replacement_keeps_it(self):
        config = self.config(self.whole_blocks(), source="neardata", start=FIRST)
        self.receiptd("migrate", "--config", config)
        log, first = self.start_and_end(config)
        self.assertIn(first, log)
        support.sql(self.database, "UPDATE database_identity SET database_oid = 1")  # as of a dump that was restored
        self.assertIn(f"keeps its id, {first}", self.receiptd("database", "keep-id", "--config", config)[0])
        log, kept = self.start_and_end(config)
        self.assertEqual(kept, first)
        self.assertNotIn("is a copy", log)
        support.sql(self.database, "UPDATE database_identity SET database_oid = 1")
        log, copy = self.start_and_end(config)
        self.assertNotEqual(copy, first)
        self.assertRegex(log, "is a copy.*keep-id")
        said, _ = self.receiptd("database", "new-id", "--config", config)
        self.assertIn(f"in place of {copy}", said)
        self.assertEqual(self.start_and_end(config)[1], re.search("has the id ([0-9a-f-]{36})", said)[1])


class Together(Commands):
    def test_a_killed_backfill_is_taken_over_and_finished(self):
        sandbox = self.whole_blocks("--repeat", 400)
        slow = self.config(sandbox, source="neardata", neardata="max_requests_per_second = 40")
        killed = self.start("backfill", "--config", slow, "--from", 200000000, "--to", 200000399)
        self.until_covered(10)
        self.kill(killed)
        self.assertLess(self.covered(), 400)
        # The dead process's lease ends by itself after a while; nobody waits for that in a test.
        self.query("UPDATE backfills SET lease_until = now() - interval '1 second'")
        config = self.config(sandbox, source="neardata")
        self.receiptd("backfill", "--config", config, "--from", 200000000, "--to", 200000399)
        self.assertEqual(self.covered(), 400)
        self.assertEqual(self.query("SELECT state FROM backfills"), [["finished"]])
        self.assertEqual(self.value("SELECT count(*) FROM gaps"), "0")

    def test_a_backfill_that_somebody_works_on_is_refused(self):
        sandbox = self.whole_blocks("--repeat", 400)
        slow = self.config(sandbox, source="neardata", neardata="max_requests_per_second = 5")
        self.start("backfill", "--config", slow, "--from", 200000000, "--to", 200000399)
        self.until_covered(1)
        _, err = self.receiptd("backfill", "--config", slow, "--from", 200000000, "--to", 200000399, expect=1)
        self.assertIn("another process", err)

    def test_two_daemons_on_one_database_store_nothing_twice(self):
        sandbox = self.whole_blocks("--repeat", 200)
        alone = self.make_database()
        self.receiptd("run", "--config", self.config(sandbox, source="neardata", start=200000000, database=alone),
                      "--until", 200000199)
        config = self.config(sandbox, source="neardata", start=200000000, follow="batch_blocks = 3\n")
        both = [self.start("run", "--config", config, "--until", 200000199) for _ in range(2)]
        for process in both:
            self.assertEqual(support.ended(process), 0, process.log())
        self.assertEqual(self.fingerprint(), self.fingerprint(alone))


class Pages(Commands):
    def test_ready_when_all_is_there_and_every_metric_line_parses(self):
        config = self.config(self.rpc(), start=FIRST)
        process = self.start("run", "--config", config)
        self.until_covered(LAST - FIRST + 1)
        support.wait_until("it is ready", lambda: self.page(process, "/readyz")[0] == 200)
        self.assertEqual(json.loads(self.page(process, "/readyz")[1]), {"ready": True, "reasons": []})
        self.assertEqual(self.page(process, "/livez"), (200, "ok\n"))
        self.assertEqual(self.page(process, "/nothing")[0], 404)
        status, text = self.page(process, "/metrics")
        self.assertEqual(status, 200)
        for line in text.splitlines():
            self.assertTrue(line.startswith(("# HELP ", "# TYPE ")) or SERIES.match(line), line)
        series = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        self.assertEqual(float(series["receiptd_head_height"]), LAST)
        self.assertEqual(float(series["receiptd_committed_height"]), LAST)
        self.assertEqual(float(series["receiptd_gap_blocks"]), 0)
        self.assertTrue(any(name.startswith("receiptd_rpc_requests_total{") for name in series))
        self.assertTrue(any(name.startswith('receiptd_table_bytes{part="index"') for name in series))
        self.documented(text)

    def documented(self, text):
        """Every series is in docs/metrics.md, with its type and its labels."""
        page = (support.ROOT / "docs/metrics.md").read_text()
        known = {name: (kind, set(re.findall(r"`(\w+)`", labels)))
                 for name, kind, labels in re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*) \|", page, re.M)}
        types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))
        self.assertEqual({name: known.get(name, ("",))[0] for name in types}, types)
        for name, labels in re.findall(r"^(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? \S+$", text, re.M):
            if name in known:
                self.assertEqual(set(re.findall(r'(\w+)="', labels)) - {"le"}, known[name][1], name)

    def test_a_gap_is_said_everywhere(self):
        recorded = self.folder / "holed"
        for part in ("block", "chunk", "tx"):
            (recorded / part).mkdir(parents=True)
            for file in (support.SAMPLE / "rpc" / part).iterdir():
                (recorded / part / file.name).symlink_to(file)
        (recorded / "block" / "100000020.json").unlink()
        config = self.config(self.sandbox("--rpc", recorded), start=FIRST)
        process = self.start("run", "--config", config)
        self.until_covered(LAST - FIRST)
        support.wait_until("the gap is reported", lambda: '"gap"' in self.page(process, "/readyz")[1])
        status, text = self.page(process, "/readyz")
        self.assertEqual(status, 503)
        reasons = json.loads(text)["reasons"]
        self.assertIn("100000020", [one["detail"] for one in reasons if one["reason"] == "gap"][0])
        self.assertIn("receiptd_gap_blocks 1\n", self.page(process, "/metrics")[1])
        self.assertIn("receiptd_unavailable_blocks 1\n", self.page(process, "/metrics")[1])
        out, _ = self.receiptd("status", "--config", config, expect=4)
        self.assertRegex(out, r"100000020 +UNKNOWN_BLOCK")

    def test_status_with_and_without_a_daemon(self):
        sandbox = self.rpc()
        port = support.free_port()
        config = self.config(sandbox, start=FIRST)
        config.write_text(config.read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}"))
        process = self.start("run", "--config", config)
        self.until_covered(LAST - FIRST + 1)
        support.wait_until("it is ready", lambda: self.page(process, "/readyz")[0] == 200)
        with_daemon = json.loads(self.receiptd("status", "--json", "--config", config)[0])
        self.assertEqual(with_daemon["database"]["covered_heights"], LAST - FIRST + 1)
        self.assertEqual(with_daemon["daemon"]["network"], "mainnet")
        self.assertEqual([one["name"] for one in with_daemon["daemon"]["upstreams"]], ["regular", "archival"])
        self.kill(process)
        without = json.loads(self.receiptd("status", "--json", "--config", config, expect=4)[0])
        self.assertIsNone(without["daemon"])
        self.assertEqual(without["database"]["last_height"], LAST)
        self.assertIn("none answers", self.receiptd("status", "--config", config, expect=4)[0])


class Plan(Commands):
    def plan(self, config, *more):
        return self.receiptd("plan", "--config", config, "--blocks", "12", "--trees", "10", *more)[0]

    def test_both_sources_are_reckoned_from_the_chain_without_a_database(self):
        chain = self.sandbox("--block-time-ms", 50, "--traffic", "mixed", "--tps", 80, "--seed", 5, command="run")
        config = self.config(chain, source="neardata", network="sandbox",
                             database="postgresql://nobody@127.0.0.1:1/none")
        support.wait_until("there are blocks", lambda: chain.rpc("block", {"finality": "final"})["header"]["height"]
                           > chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"] + 30)
        rpc, neardata = json.loads(self.plan(config, "--json"))
        self.assertEqual([rpc["source"], rpc["fault"], neardata["source"], neardata["fault"]],
                         ["rpc", None, "neardata", None])
        self.assertGreater(rpc["requests_per_height"]["trees"], 1)
        self.assertEqual(neardata["requests_per_height"]["trees"], 0)
        self.assertAlmostEqual(neardata["requests_per_height"]["blocks"], 1, delta=0.2)
        self.assertGreater(rpc["requests_a_second"], 5 * neardata["requests_a_second"])
        for cost in (rpc, neardata):
            self.assertGreater(cost["disk_bytes_a_day"], 0)
            self.assertGreater(cost["seconds_per_height"], 0)
        self.assertRegex(self.plan(config, "--disk", "500GB"), r"500 GB of disk last \d+ days")

    def test_a_host_that_does_not_answer_is_said(self):
        chain = self.rpc()
        config = self.config(chain, start=FIRST)
        chain.stop()
        _, error = self.receiptd("plan", "--config", config, expect=1)
        self.assertRegex(error, "rpc: no answer: ")


class Drafts(Commands):
    def test_rules_are_checked_without_a_configuration(self):
        draft = self.folder / "draft.toml"
        draft.write_text('[[rule]]\nname = "pay"\nkind = "finding"\nreceiver = "pay.near"\n')
        out, _ = self.receiptd("rules", "check", draft)
        self.assertEqual(out, f"{draft}: ok, 1 rule\nrule pay (finding): no endpoint\n")
        draft.write_text('[[rule]]\nname = "pay"\nkind = "fnding"\n[[rule]]\nname = "pay"\nkind = "end"\nsingner = "a.near"\n')
        out, error = self.receiptd("rules", "check", draft, expect=2)
        self.assertEqual(out, "")
        for place in (":3:", ":5:", ":7:"):
            self.assertIn(f"{draft}{place}", error)
        self.receiptd("rules", "check", self.folder / "none.toml", expect=2)


class Keys(Commands):
    def keyed(self, sandbox, key, **settings):
        secret = self.folder / f"key-{len(list(self.folder.iterdir()))}"
        secret.write_text(key + "\n")
        secret.chmod(0o600)
        auth = settings.pop("auth", "bearer")
        lines = f'api_key_file = "{secret}"\nauth = "{auth}"\n'
        whole = lines if settings.get("source") == "neardata" else ""
        return self.config(sandbox, start=FIRST, upstream=lines, neardata=whole, **settings)

    def test_bearer_and_query_keys_open_every_host(self):
        for source, auth in (("rpc", "bearer"), ("rpc", "query"), ("neardata", "bearer"), ("neardata", "query")):
            with self.subTest(source=source, auth=auth):
                serve = self.rpc if source == "rpc" else self.whole_blocks
                sandbox = serve("--require-key", "--api-key", KEY)
                config = self.keyed(sandbox, KEY, auth=auth, source=source, database=self.make_database())
                out, err = self.receiptd("run", "--config", config, "--until", LAST)
                self.assertNotIn(KEY, out + err)

    def test_a_refused_key_puts_the_host_aside_and_is_said_once(self):
        sandbox = self.rpc("--require-key", "--api-key", KEY)
        wrong = "wrong-key-17aa"
        config = self.keyed(sandbox, wrong, extra='[log]\nlevel = "trace"\n')
        process = self.start("run", "--config", config)
        support.wait_until("both hosts are put aside", lambda: '"upstreams"' in self.page(process, "/readyz")[1])
        self.assertEqual(self.page(process, "/readyz")[0], 503)
        self.assertEqual(process.log().count("upstream refuses our requests"), 2)  # one line a host
        self.assertIn('receiptd_upstream_refused{upstream="regular"} 1', self.page(process, "/metrics")[1])
        # The right key in the same file and a SIGHUP, and it goes on.
        secret = re.search(r'api_key_file = "([^"]+)"', config.read_text())[1]
        with open(secret, "w") as file:
            file.write(KEY)
        process.send_signal(signal.SIGHUP)
        self.until_covered(LAST - FIRST + 1)
        self.assert_silent(process.log(), wrong, KEY)

    def test_no_secret_is_ever_said(self):
        sandbox = self.rpc("--require-key", "--api-key", KEY, "--fault", "500:0.05,malformed:0.05,reset:0.05")
        config = self.keyed(sandbox, KEY, auth="query", patience="30s", extra='[log]\nlevel = "trace"\n')
        process = self.start("run", "--config", config)
        self.until_covered(LAST - FIRST + 1)
        said = [process.log(), *(self.page(process, path)[1] for path in ("/readyz", "/metrics", "/v1/status", "/livez"))]
        for command, code in ((("status", "--json"), 4), (("migrate", "--status"), 0), (("check-config",), 0)):
            said += self.receiptd(*command, "--config", config, expect=code)
        password = re.search(r"//[^:]+:([^@]+)@", self.database)[1]
        self.assert_silent("".join(said), KEY, password)
        broken = self.config(sandbox, database=self.database.replace("/scenario_", "/no_such_"))
        _, err = self.receiptd("migrate", "--config", broken, expect=1)
        self.assert_silent(err, KEY, password)
        stored = subprocess.run(["pg_dump", self.database], capture_output=True, text=True, check=True).stdout
        self.assert_silent(stored, KEY, password)

    def assert_silent(self, text, *secrets):
        for secret in secrets:
            self.assertNotIn(secret, text)


if __name__ == "__main__":
    support.main()

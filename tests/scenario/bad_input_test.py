"""Whatever comes in: a clear error, a metric, nothing lost, nothing half-written."""

import base64
import json
import os
import shutil
import subprocess
import re

import hostile
import support

FIRST, LAST = 100000000, 100000037
HEIGHTS = LAST - FIRST + 1
BROKEN = 100000020


class BadInput(support.Scenario):
    def rpc(self, *arguments):
        return self.sandbox("--rpc", support.SAMPLE / "rpc", *arguments)

    def refused(self, config, *words, command=("run",), code=1):
        _, err = self.receiptd(*command, "--config", config, expect=code)
        for word in words:
            self.assertIn(word, err)
        complaints = [line for line in err.strip().splitlines() if " info " not in line]
        self.assertLess(len(complaints), 7, err)
        return err

    def covered(self, database=None):
        return int(self.value("SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM coverage, unnest(heights) r", database))

    def doctored(self, kind, name, change):
        """A copy of the sample with one file changed; `change` gets and may return the JSON value or its text."""
        copy = self.folder / f"doctored-{kind}"
        source = support.SAMPLE / kind
        shutil.copytree(source, copy, copy_function=lambda a, b: os.symlink(a, b))
        file = copy / name
        made = change(json.loads(file.read_text()))
        file.unlink()
        file.write_text(made if isinstance(made, str) else json.dumps(made))
        return copy


class Databases(BadInput):
    empty_database = True

    def test_a_database_that_is_not_there(self):
        config = self.config(self.rpc(), database=support.database_url("no_such_database"))
        self.refused(config, "no_such_database", "create the database first")

    def test_a_server_that_lets_nobody_in(self):
        wrong = re.sub(r"//([^:]+):[^@]+@", r"//\1:wrong-password@", self.database)
        err = self.refused(self.config(self.rpc(), database=wrong), "check user and password")
        self.assertNotIn("wrong-password", err)

    def test_a_user_without_rights(self):
        role = "scenario_" + os.urandom(4).hex()
        self.query(f"CREATE ROLE {role} LOGIN PASSWORD 'p'")
        self.addCleanup(support.sql, self.maintenance, f"DROP ROLE {role}")
        poor = re.sub(r"//[^@]+@", f"//{role}:p@", self.database)
        self.refused(self.config(self.rpc(), database=poor), role, "receiptd migrate")
        self.assertIsNone(self.value("SELECT to_regclass('blocks')"))

    def test_a_schema_from_the_future_or_with_a_changed_past(self):
        config = self.config(self.rpc(), start=FIRST)
        self.receiptd("migrate", "--config", config)
        self.query("UPDATE schema_migrations SET checksum = repeat('0', 64) WHERE version = 1")
        self.refused(config, "0001", "made by another receiptd")
        self.query("DELETE FROM schema_migrations")
        self.query("INSERT INTO schema_migrations (version, name, checksum) VALUES (1, '0001_x.sql', 'x')")
        self.refused(config)
        fresh = self.make_database()
        config = self.config(self.rpc(), start=FIRST, database=fresh)
        self.receiptd("migrate", "--config", config)
        support.sql(fresh, "INSERT INTO schema_migrations (version, name, checksum) "
                           "SELECT max(version) + 1, '9999_future.sql', 'x' FROM schema_migrations")
        self.refused(config, "newer", "9999_future.sql")
        self.assertEqual(self.value("SELECT count(*) FROM blocks", fresh), "0")

    def test_a_database_of_another_network_or_scope(self):
        sandbox = self.rpc()
        self.receiptd("run", "--config", self.config(sandbox, start=FIRST, scope="headers"), "--until", FIRST + 3)
        other = self.sandbox("--rpc", support.SAMPLE / "rpc", "--chain-id", "testnet")
        self.refused(self.config(other, network="testnet", scope="headers"), "mainnet", "testnet")
        self.refused(self.config(sandbox, scope="all"), "headers", "follow.scope")
        self.assertEqual(self.covered(), 4)

    def test_a_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        self.folder.chmod(0o755)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m", "none", str(disk)], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no small disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], check=True)
        script = support.ROOT / "scripts" / "postgres.sh"

        def postgres(*arguments):
            return subprocess.run([script, *map(str, arguments)], check=True, capture_output=True, text=True).stdout.strip()

        cluster = disk / "cluster"
        postgres("start", "--fast", cluster)
        self.addCleanup(postgres, "stop", cluster, "immediate")
        database = postgres("database", cluster, "small")
        sandbox = self.sandbox("--whole-blocks", support.SAMPLE / "whole-block", "--repeat", 200)
        config = self.config(sandbox, source="neardata", start=200000000, database=database,
                             neardata="max_requests_per_second = 100")
        process = self.start("run", "--config", config, "--until", 200000199)
        support.wait_until("the first blocks are stored", lambda: "following" in process.log() and self.covered(database))
        filler = disk / "filler"
        subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=64k"], capture_output=True)
        support.wait_until("it says so", lambda: "trying again until it is usable" in process.log() or process.poll() is not None)
        filler.unlink()
        self.assertEqual(support.ended(process), 0, process.log())
        self.assertEqual(self.covered(database), 200)
        self.assertEqual(self.value("SELECT count(*) FROM blocks", database), "200")


class Upstreams(BadInput):
    def through(self, rule, sandbox=None):
        gateway = hostile.Gateway((sandbox or self.rpc()).regular, rule)
        self.addCleanup(gateway.stop)
        return gateway

    def first_of_each(self, answers, method="block"):
        """A rule: the first requests of a method get these answers, the rest go through."""
        left = list(answers)
        return lambda request: left.pop(0) if left and request["method"] == method else None

    def survives(self, answers, **settings):
        config = self.config(self.through(self.first_of_each(answers)), start=FIRST, patience="60s", **settings)
        _, err = self.receiptd("run", "--config", config, "--until", LAST)
        self.assertEqual(self.covered(), HEIGHTS)
        self.assertEqual(self.value("SELECT count(*) FROM blocks"), "36")
        return err

    def test_tls_to_a_port_that_speaks_none(self):
        sandbox = self.rpc()
        config = self.config(sandbox, start=FIRST)
        config.write_text(config.read_text().replace('url = "http://', 'url = "https://'))
        process = self.start("run", "--config", config)
        support.wait_until("it says so", lambda: process.log().count("until it proves its network") == 2)
        self.assertRegex(process.log(), r'upstream=regular origin=https://.* why="does not say .*: tls"')
        self.assertEqual(self.page(process, "/readyz")[0], 503)
        self.assertIn("head_unknown", self.page(process, "/readyz")[1])
        self.assertEqual(self.value("SELECT count(*) FROM blocks"), "0")

    def test_html_instead_of_json(self):
        page = b"<html><body>Bad Gateway</body></html>"
        self.survives([(200, page), (502, page), (200, b""), (404, page)])

    def test_answers_cut_off_or_never_begun(self):
        self.survives([hostile.truncated, hostile.silent, hostile.truncated])

    def test_answers_of_100_megabytes_and_without_end(self):
        self.survives([hostile.huge, hostile.endless], extra='[timeouts]\nmax_response = "4MiB"\n')

    def test_json_that_is_something_else(self):
        garbage = (b"[]", b"null", b'{"jsonrpc":"2.0","id":1,"result":null}', b'{"jsonrpc":"2.0","id":1,"result":[]}',
                   b'{"jsonrpc":"2.0","id":1,"result":{"header":{"height":-1}}}', b'{"error":7}', b"\xff\xfe\x00")
        self.survives([(200, body) for body in garbage])

    def test_retry_after_of_every_kind(self):
        kinds = ("0", "-5", "99999999999999999999999", "soon", "", "Wed, 21 Oct 1815 07:28:00 GMT", "\t1.5e9")
        left = list(kinds)

        def rule(request):
            return (429, b"slow down", {"Retry-After": left.pop(0)}) if left and request["method"] == "block" else None

        sandbox = self.rpc()
        gateway = self.through(rule, sandbox)
        gateway.archival = sandbox.archival
        config = self.config(gateway, start=FIRST, patience="60s")
        self.receiptd("run", "--config", config, "--until", LAST)
        self.assertEqual(self.covered(), HEIGHTS)

    def test_an_upstream_of_another_network(self):
        other = self.sandbox("--rpc", support.SAMPLE / "rpc", "--chain-id", "testnet")
        self.refused(self.config(other, start=FIRST), "testnet", "mainnet", "nothing was stored")
        self.assertEqual(self.value("SELECT count(*) FROM blocks"), "0")

    def test_a_head_that_goes_backwards(self):
        sandbox = self.rpc("--block-time-ms", 60, "--start-blocks", 5)
        turn = iter(range(10**9))

        def rule(request):
            if request["method"] == "block" and "finality" in request["params"] and next(turn) % 2:
                return 200, old_head, {}
            return None

        block = (support.SAMPLE / "rpc" / "block" / f"{FIRST + 1}.json").read_text()
        old_head = f'{{"jsonrpc":"2.0","id":1,"result":{block}}}'.encode()
        config = self.config(self.through(rule, sandbox), start=FIRST, patience="60s")
        self.receiptd("run", "--config", config, "--until", LAST)
        self.assertEqual(self.covered(), HEIGHTS)
        self.assertEqual(self.value("SELECT count(*) FROM gaps"), "0")


class BrokenChains(BadInput):
    """Block 100000020 names another parent than the stored one."""

    def doctored_chain(self, kind):
        def change(value):
            (value["block"] if kind == "whole-block" else value)["header"]["prev_hash"] = "1" * 31 + "2"
            return value
        name = f"{BROKEN}.json" if kind == "whole-block" else f"block/{BROKEN}.json"
        return self.doctored(kind, name, change)

    def assert_stopped_below(self):
        self.assertEqual(self.value("SELECT max(block_height) FROM blocks"), str(BROKEN - 1))
        self.assertEqual(self.value("SELECT upper(range_merge(heights)) - 1 FROM coverage"), str(BROKEN - 1))
        self.assertEqual(self.value("SELECT reason FROM unavailable_heights"), "broken_chain")
        self.assertIn(str(BROKEN), self.value("SELECT detail FROM unavailable_heights"))

    def test_a_fork_is_never_stored_and_said_loudly(self):
        for kind, source in (("rpc", "rpc"), ("whole-block", "neardata")):
            with self.subTest(source=source):
                self.database = self.make_database()
                flag = "--rpc" if kind == "rpc" else "--whole-blocks"
                config = self.config(self.sandbox(flag, self.doctored_chain(kind)), source=source, start=FIRST)
                process = self.start("run", "--config", config)
                support.wait_until("readyz says so", lambda: "broken_chain" in self.page(process, "/readyz")[1])
                self.assertEqual(self.page(process, "/readyz")[0], 503)
                self.assertIn("receiptd_broken_chain 1\n", self.page(process, "/metrics")[1])
                self.assertIn(" error ", process.log())
                # It is tried again, and still nothing of it is stored.
                support.wait_until("it is tried again", lambda: process.log().count("does not fit") > 1)
                self.assert_stopped_below()

    def test_run_until_and_backfill_end_with_3(self):
        sandbox = self.sandbox("--rpc", self.doctored_chain("rpc"))
        self.receiptd("run", "--config", self.config(sandbox, scope="headers", start=FIRST), "--until", LAST, expect=3)
        self.assert_stopped_below()
        self.database = self.make_database()
        config = self.config(sandbox, scope="headers", start=FIRST)
        self.receiptd("backfill", "--config", config, "--from", FIRST, "--to", LAST, expect=3)
        self.assert_stopped_below()


class Contents(BadInput):
    """Odd but valid contents are stored as they are; what is no JSON is a gap with a reason."""

    HEIGHT = 100000015  # where dex.sample.near logs

    def serve(self, texts, elsewhere=True):
        """Runs over the sample with these texts as the blocks at their heights, which the JSON-RPC host has, or has not;
        returns how many heights are missing."""
        lost = set() if elsewhere else {int(path.rpartition("/")[2]) for path in texts}
        unknown = {"name": "HANDLER_ERROR", "cause": {"name": "UNKNOWN_BLOCK", "info": {}}, "code": -32000, "message": "gone"}

        def rule(request):
            if request["method"] == "block" and request["params"].get("block_id") in lost:
                return 200, json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": unknown}).encode(), {}
            text = texts.get(request["params"]) if request["method"] == "GET" else None
            return text and (200, text, {})

        gateway = hostile.Gateway(self.sandbox("--whole-blocks", support.SAMPLE / "whole-block").archival, rule)
        self.addCleanup(gateway.stop)
        config = self.config(gateway, source="neardata", start=FIRST)
        self.receiptd("run", "--config", config, "--until", LAST, expect=None)
        missing = HEIGHTS - self.covered()
        self.assertEqual(self.value("SELECT coalesce(sum(heights), 0) FROM gaps"), str(missing))
        return missing

    @staticmethod
    def changed(change, height=HEIGHT):
        """{path: text} of the block with the change."""
        made = change(json.loads((support.SAMPLE / "whole-block" / f"{height}.json").read_text()))
        return {f"/v0/block/{height}": (made if isinstance(made, str) else json.dumps(made)).encode()}

    def store(self, change):
        self.assertEqual(self.serve(self.changed(change)), 0)

    def refuse(self, texts, *words):
        self.assertEqual(self.serve(texts, elsewhere=False), len(texts))
        gaps = self.query("SELECT generate_series(from_height, to_height), reason, detail FROM gaps ORDER BY 1")
        self.assertEqual([[f"/v0/block/{height}", reason] for height, reason, _ in gaps],
                         [[path, "malformed"] for path in sorted(texts)])
        for *_, detail in gaps:
            for word in words:
                self.assertIn(word, detail)

    def logs(self):
        return self.value(f"SELECT to_json(logs) FROM receipts WHERE block_height = {self.HEIGHT} "
                          "AND method_name = 'say'")

    @staticmethod
    def executed(whole, method="say"):
        """The outcome of the method's call; with None, the first of all."""
        for shard in whole["shards"]:
            for item in shard["receipt_execution_outcomes"]:
                if method is None:
                    return item
                for action in item["receipt"]["receipt"]["Action"]["actions"]:
                    if isinstance(action, dict) and action.get("FunctionCall", {}).get("method_name") == method:
                        return item
        raise AssertionError(f"nobody calls {method}")

    def with_logs(self, text):
        def change(whole):
            self.executed(whole)["execution_outcome"]["outcome"]["logs"] = ["@@@"]
            return json.dumps(whole).replace('"@@@"', text)
        return change

    def test_nul_bytes_and_lone_surrogates_in_logs(self):
        self.store(self.with_logs(r'"a\u0000b", "half \ud800 pair", "\udc00", "whole \ud83d\ude00"'))
        self.assertEqual(json.loads(self.logs()), ["a\u2400b", "half \ufffd pair", "\ufffd", "whole \U0001f600"])

    def test_bytes_that_are_no_utf8_make_a_gap_not_a_crash(self):
        [(path, text)] = self.changed(self.with_logs('"@@@"')).items()
        self.refuse({path: text.replace(b"@@@", b"\xff\xfe\xc3")})

    def test_arguments_of_every_kind(self):
        kinds = [b"\xff\xfe\x00", b"", b'{"a":"\\u0000"}', b'{"a":"\\ud800"}', b'{"a":"\xc3"}', b"[" * 20000 + b"]" * 20000,
                 b'{"big":' + b"9" * 4000 + b"}", b"\x00", b" null ", "{\"é\":\"\U0001f600\"}".encode()]

        def change(whole):
            action = self.executed(whole)["receipt"]["receipt"]["Action"]
            call = action["actions"][0]["FunctionCall"]
            action["actions"] = [{"FunctionCall": {**call, "args": base64.b64encode(kind).decode()}} for kind in kinds]
            return whole

        self.store(change)
        actions = json.loads(self.value(f"SELECT actions FROM receipts WHERE block_height = {self.HEIGHT} "
                                        "AND method_name = 'say'"))
        self.assertEqual(len(actions), len(kinds))
        for kind, action in zip(kinds, actions):
            call = action["FunctionCall"]
            self.assertEqual(call["args_json"] if "args_json" in call else base64.b64decode(call["args"]),
                             json.loads(kind) if "args_json" in call else kind)

    def test_events_nested_deeply_or_named_at_length(self):
        deep = json.dumps('EVENT_JSON:{"standard":"x","event":"deep","data":' + "[" * 20000 + "]" * 20000 + "}")
        long = json.dumps('EVENT_JSON:{"standard":"' + "s" * 5000 + '","event":"' + "é" * 5000 + '","data":[]}')
        self.store(self.with_logs(f'{deep}, {long}, "EVENT_JSON:", "EVENT_JSON:[]", "EVENT_JSON:{{}}"'))
        self.assertEqual(len(json.loads(self.logs())), 5)

    def test_account_ids_of_one_and_of_sixty_five_bytes(self):
        texts, ids = {}, []
        for height, name in zip(self.busy_heights(), ("a", "b" * 65, "", "ünïcode")):
            def change(whole):
                outcome = self.executed(whole, None)
                outcome["receipt"]["receiver_id"] = name
                ids.append(outcome["execution_outcome"]["id"])
                return whole
            texts |= self.changed(change, height)
        self.assertEqual(len(texts), 4)
        self.assertEqual(self.serve(texts), 0, "the JSON-RPC host tells these blocks readably")
        self.assertLessEqual({(each,) for each in ids}, {tuple(row) for row in self.query("SELECT receipt_id FROM receipts")})
        self.assertEqual(self.query("SELECT * FROM set_aside"), [])

    @staticmethod
    def busy_heights():
        """Heights of blocks that execute something, no two of them neighbours, so that each is a gap of its own."""
        heights = []
        for path in sorted((support.SAMPLE / "whole-block").glob("*.json")):
            busy = any(shard["receipt_execution_outcomes"] for shard in json.loads(path.read_text())["shards"])
            if busy and (not heights or int(path.stem) > heights[-1] + 1):
                heights.append(int(path.stem))
        return heights

    def test_unknown_fields_nested_deeply(self):
        def change(whole):
            whole["block"]["header"]["future"] = "@@@"
            return json.dumps(whole).replace('"@@@"', "[" * 20000 + "]" * 20000)
        self.assertLessEqual(self.serve(self.changed(change)), 1)


if __name__ == "__main__":
    support.main()

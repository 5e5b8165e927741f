"""A configuration that is watched (config.watch): a change counts without a signal, and a bad one changes nothing."""

import os

import support


class Watched(support.Scenario):
    """The files lie as Kubernetes has those of a ConfigMap: links to a folder that a rename replaces."""

    def setUp(self):
        super().setUp()
        chain = self.sandbox("--block-time-ms", 100, command="run")
        extra = '[config]\nwatch = true\n[[list]]\nname = "vip"\nfile = "vip.txt"\n'
        self.settings = self.config(chain, scope="headers", network="sandbox", extra=extra).read_text()
        self.mount = self.folder / "mount"
        self.mount.mkdir()
        self.swaps = 0
        self.swap(self.settings, "alice.sandbox\n")
        for name in ("receiptd.toml", "vip.txt"):
            (self.mount / name).symlink_to(f"..data/{name}")

    def swap(self, settings, accounts):
        self.swaps += 1
        made = self.mount / f"..{self.swaps}"
        made.mkdir()
        for name, text in {"receiptd.toml": settings, "vip.txt": accounts}.items():
            (made / name).write_text(text)
            (made / name).chmod(0o600)
        (self.mount / "..new").symlink_to(made.name)
        os.rename(self.mount / "..new", self.mount / "..data")

    def test_a_swap_is_taken_and_a_bad_one_changes_nothing(self):
        daemon = self.start("run", "--config", self.mount / "receiptd.toml")
        self.page(daemon, "/livez")
        logged = lambda *words: any(all(word in line for word in words) for line in daemon.log().splitlines())
        debug = self.settings + '[log]\nlevel = "debug"\n'
        self.swap(debug, "alice.sandbox\n")
        support.wait_until("the level is taken", lambda: logged("reloaded", "key=log.level", "debug"))
        self.swap(debug.replace('"debug"', '"loud"'), "bob.sandbox\n")
        support.wait_until("the fault is logged", lambda: logged("reload refused", "loud"))
        self.assertIn("receiptd_config_last_reload_successful 0\n", self.page(daemon, "/metrics")[1])
        self.assertFalse(logged("reloaded", "list (vip)"))
        self.swap(debug, "bob.sandbox\n")
        support.wait_until("the list is taken", lambda: logged("reloaded", "list (vip)"))
        support.wait_until("the metric says so", lambda: "receiptd_config_last_reload_successful 1\n" in self.page(daemon, "/metrics")[1])
        self.assertIsNone(daemon.poll())


if __name__ == "__main__":
    support.main()

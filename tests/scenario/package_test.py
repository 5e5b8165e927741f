"""The Debian packages: what is in them, and what becomes of a machine that installs, upgrades and removes them."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import support

ROUNDS = support.count_of("package")
UNIT = "lib/systemd/system/receiptd.service"
CONFIG = "etc/receiptd/receiptd.toml"
# Parts of each program that no table of ours names.
C_LIBRARIES = {"libc6", "libgcc-s1", "libstdc++6"}


def run(*command, expect=0, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def make_packages(folder, release=1):
    """By the name of the package: its file."""
    run("cpack", "-G", "DEB", "--config", support.BUILD / "CPackConfig.cmake", "-B", folder,
        "-D", f"CPACK_DEBIAN_PACKAGE_RELEASE={release}", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", cwd=support.BUILD)
    return {path.name.split("_")[0]: path for path in folder.glob("*.deb")}


def start_line(unit):
    return re.search(r"^ExecStart=(.*)$", unit, re.M)[1].split()


class Packed(support.Scenario):
    empty_database = True

    @classmethod
    def setUpClass(cls):
        cls.made = pathlib.Path(tempfile.mkdtemp(prefix="receiptd-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        cls.packages = make_packages(cls.made)

    def unpacked(self):
        for package in self.packages.values():
            run("dpkg-deb", "-x", package, self.folder / "root")
        return self.folder / "root"

    def test_they_hold_what_an_operator_looks_for(self):
        root = self.unpacked()
        for name in ("receiptd", "receiptd-sandbox"):
            for path in (f"usr/bin/{name}", f"usr/share/man/man1/{name}.1.gz", f"usr/share/doc/{name}/copyright",
                         f"usr/share/doc/{name}/changelog.gz", f"usr/share/bash-completion/completions/{name}",
                         f"usr/share/zsh/vendor-completions/_{name}", f"usr/share/fish/vendor_completions.d/{name}.fish"):
                self.assertTrue((root / path).is_file(), path)
        for path in (UNIT, "usr/lib/sysusers.d/receiptd.conf", "usr/share/receiptd/grafana/boards/overview.json",
                     "usr/share/receiptd/prometheus/rules.yml", "usr/share/doc/receiptd/README.Debian"):
            self.assertTrue((root / path).is_file(), path)
        self.assertEqual((root / "usr/share/doc/receiptd/examples/receiptd.toml").read_text(),
                         (support.ROOT / "docs" / "receiptd.example.toml").read_text())
        self.assertEqual((root / "etc/receiptd").stat().st_mode & 0o777, 0o750)
        self.assertEqual(list((root / "etc/receiptd").iterdir()), [], "it never starts unconfigured")

    def test_the_unit_starts_the_installed_program(self):
        unit = (self.unpacked() / UNIT).read_text()
        self.assertEqual(start_line(unit)[0], "/usr/bin/receiptd")
        self.assertNotIn("/usr/local", unit)
        self.assertTrue(unit.startswith("[Unit]\n"), "nothing tells how to install it by hand")

    def test_they_need_the_libraries_of_the_notice_and_no_others(self):
        shared = re.findall(r"^\S+ +lib(\S+?)[\d.]*(?:-openssl)?-dev +shared ", (support.ROOT / "NOTICE").read_text()
                            .replace(" prometheus", " libprometheus"), re.M)
        needed = set()
        for package in self.packages.values():
            needed |= {one.split()[0] for one in run("dpkg-deb", "-f", package, "Depends").split(", ")}
        for name in needed - C_LIBRARIES - {"systemd", "ca-certificates", "procps"}:
            self.assertTrue(any(name.startswith("lib" + one) for one in shared), f"NOTICE lacks {name}")
        for one in shared:
            self.assertTrue(any(name.startswith("lib" + one) for name in needed), f"{one} is not needed: NOTICE")

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_has_nothing_to_say(self):
        self.assertEqual(run("lintian", "--allow-root", "--tag-display-limit", "0", *self.packages.values()), "")

    def test_what_is_unpacked_follows_the_sandbox(self):
        root = self.unpacked()
        out = open(self.folder / "sandbox.out", "w")
        self.addCleanup(out.close)
        sandbox = subprocess.Popen([root / "usr/bin/receiptd-sandbox", "run", "--listen", "127.0.0.1:0",
                                    "--archival-listen", "127.0.0.1:0", "--control-listen", "127.0.0.1:0", "--traffic", "mixed"],
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        self.addCleanup(self.kill, sandbox)
        text = (self.folder / "sandbox.out").read_text
        support.wait_until("it is ready", lambda: re.search(r"^ready", text(), re.M))
        hosts = type("Hosts", (), dict(re.findall(r"^(regular|archival) (\S+)$", text(), re.M)))
        config = self.config(hosts, start='"head"', network="sandbox")
        line = [str(config) if word == f"/{CONFIG}" else word for word in start_line((root / UNIT).read_text())]
        log = open(self.folder / "daemon.log", "w")
        self.addCleanup(log.close)
        daemon = subprocess.Popen([root / line[0].lstrip("/"), *line[1:]], stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=subprocess.STDOUT)
        self.addCleanup(self.kill, daemon)
        support.wait_until("it follows", lambda: self.value("SELECT to_regclass('blocks')") and
                           int(self.value("SELECT count(*) FROM blocks")) >= 5)


@unittest.skipUnless(ROUNDS, "./dev sweep package installs them")
class Installed(support.Scenario):
    """In a root made from this machine's own mirror. PostgreSQL is the sweep's, by TCP."""

    empty_database = True

    base = support.ROOT / ".local" / "package-base"

    @classmethod
    def setUpClass(cls):
        cls.made = pathlib.Path(tempfile.mkdtemp(prefix="receiptd-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        cls.old, cls.new = make_packages(cls.made / "1", 1), make_packages(cls.made / "2", 2)
        if not (cls.base / "complete").exists():
            cls.make_base()
        # Downloads are not part of what is tried.
        for package in cls.old.values():
            shutil.copy(package, cls.base / "tmp")
        run("chroot", cls.base, "apt-get", "install", "-y", "-d", "--no-install-recommends",
            *(f"/tmp/{package.name}" for package in cls.old.values()))

    @classmethod
    def make_base(cls):
        """Debian's smallest system, with this machine's sources of packages; kept for the next time."""
        shutil.rmtree(cls.base, ignore_errors=True)
        mirror = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Codename: bookworm", "Created-By: Packages")
        run("debootstrap", "--variant=minbase", "bookworm", cls.base, mirror.split()[0])
        for path in ("sources.list.d", "apt.conf.d", "keyrings", "trusted.gpg.d"):
            if pathlib.Path("/etc/apt", path).is_dir():
                shutil.copytree(f"/etc/apt/{path}", cls.base / "etc/apt" / path, dirs_exist_ok=True)
        if list(pathlib.Path("/etc/apt/sources.list.d").glob("*.sources")):
            (cls.base / "etc/apt/sources.list").unlink(missing_ok=True)
        shutil.copy("/etc/resolv.conf", cls.base / "etc/resolv.conf")
        (cls.base / "etc/apt/apt.conf.d/99keep").write_text('Binary::apt::APT::Keep-Downloaded-Packages "true";\n'
                                                            'APT::Keep-Downloaded-Packages "true";\n')
        (cls.base / "etc/apt/apt.conf.d/docker-clean").unlink(missing_ok=True)
        run("chroot", cls.base, "apt-get", "update")
        (cls.base / "complete").touch()

    def setUp(self):
        super().setUp()
        self.root = self.folder / "root"
        run("cp", "-a", "--reflink=auto", self.base, self.root)
        (self.root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")

    def inside(self, *command, user=None, expect=0):
        as_user = ["--userspec", f"{user}:"] if user else []  # with its login group
        return run("chroot", *as_user, self.root, *command, expect=expect)

    def apt(self, *arguments):
        return self.inside("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-q", "--no-install-recommends",
                           *arguments)

    def install(self, packages):
        for package in packages.values():
            shutil.copy(package, self.root / "tmp")
        self.apt("install", *(f"/tmp/{package.name}" for package in packages.values()))

    def launch(self, name, *command, user):
        log = open(self.folder / f"{name}.log", "w")
        self.addCleanup(log.close)
        process = subprocess.Popen(["chroot", "--userspec", f"{user}:", str(self.root), *map(str, command)],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(self.kill, process)
        return process

    def start_sandbox(self):
        sandbox = self.launch("sandbox", "/usr/bin/receiptd-sandbox", "run", "--listen", "127.0.0.1:0", "--archival-listen",
                    "127.0.0.1:0", "--control-listen", "127.0.0.1:0", "--traffic", "mixed", user="nobody")
        text = (self.folder / "sandbox.log").read_text
        support.wait_until("the sandbox is ready or ends", lambda: sandbox.poll() is not None or re.search(r"^ready", text(), re.M))
        self.assertIsNone(sandbox.poll(), text())
        return type("Hosts", (), dict(re.findall(r"^(regular|archival) (\S+)$", text(), re.M)))

    def configure(self, hosts):
        made = self.config(hosts, start='"head"', network="sandbox")
        text = made.read_text().replace(str(made.with_suffix(".url")), "/etc/receiptd/database.url")
        text = text.replace("127.0.0.1:0", f"127.0.0.1:{support.free_port()}")
        for name, content in (("database.url", self.database), ("receiptd.toml", text)):
            (self.root / "etc/receiptd" / name).write_text(content)
            self.inside("chown", "root:receiptd", f"/etc/receiptd/{name}")
            self.inside("chmod", "640", f"/etc/receiptd/{name}")

    def start_by_the_unit(self):
        return self.launch("daemon", *start_line((self.root / UNIT).read_text()), user="receiptd")

    def blocks(self):
        return int(self.value("SELECT count(*) FROM blocks"))

    def is_ready(self):
        return subprocess.run(["chroot", "--userspec", "receiptd:", self.root, "receiptd", "status"],
                              capture_output=True).returncode == 0

    def test_installed_started_upgraded_removed_and_purged(self):
        for number in range(ROUNDS):
            with self.subTest(round=number):
                self.one_life()

    def one_life(self):
        began = time.monotonic()
        self.install(self.old)
        installed = time.monotonic()
        unconfigured = subprocess.run(["chroot", self.root, *start_line((self.root / UNIT).read_text())],
                                      capture_output=True, text=True)
        self.assertEqual(unconfigured.returncode, 2, unconfigured.stderr)
        user = self.inside("getent", "passwd", "receiptd")
        self.assertRegex(user, r":/usr/sbin/nologin\n$")
        self.assertEqual(self.inside("stat", "-c", "%a %U:%G", "/etc/receiptd"), "750 root:receiptd\n")
        self.configure(self.start_sandbox())
        self.inside("receiptd", "check-config", user="receiptd")
        daemon = self.start_by_the_unit()
        support.wait_until("it is ready or ends", lambda: daemon.poll() is not None or self.is_ready())
        self.assertIsNone(daemon.poll(), (self.folder / "daemon.log").read_text())
        print(f"\ninstalled in {installed - began:.1f} s, following and ready after {time.monotonic() - began:.1f} s")
        run("systemd-analyze", "verify", "--man=no", f"--root={self.root}", "receiptd.service")

        (self.root / "etc/receiptd/note").write_text("mine")
        self.install(self.new)
        self.assertIsNone(daemon.poll(), "nobody restarts it where no systemd runs")
        self.kill(daemon)
        daemon, before = self.start_by_the_unit(), self.blocks()
        support.wait_until("it goes on", lambda: self.blocks() > before)
        self.assertEqual(self.inside("getent", "passwd", "receiptd"), user)
        self.assertEqual((self.root / "etc/receiptd/note").read_text(), "mine")
        self.assertEqual(self.inside("dpkg-query", "-W", "-f", "${Version}", "receiptd")[-2:], "-2")
        self.kill(daemon)

        stored = self.blocks()
        self.apt("remove", "receiptd", "receiptd-sandbox")
        self.assertFalse((self.root / "usr/bin/receiptd").exists())
        self.assertFalse((self.root / UNIT).exists())
        self.assertTrue((self.root / CONFIG).is_file(), "the configuration stays until it is purged")
        self.apt("purge", "receiptd", "receiptd-sandbox")
        self.assertFalse((self.root / "etc/receiptd").exists())
        self.assertEqual(self.blocks(), stored, "the database is not the package's")
        left = run("find", self.root, "-xdev", "-name", "*receiptd*", "-not", "-path", "*/var/*", "-not", "-path", "*/tmp/*")
        self.assertEqual(left, "")

    @unittest.skipUnless(shutil.which("buildah"), "buildah is not installed")
    def test_the_image_of_the_packages_runs_without_rights(self):
        """The stages of the Containerfile behind the one that compiles, from Debian's smallest system, without a registry."""
        context = self.folder / "context"
        (context / "packages").mkdir(parents=True)
        for package in self.old.values():
            shutil.copy(package, context / "packages")
        text = (support.ROOT / "deploy/container/Containerfile").read_text()
        compiles = re.compile(r"^FROM \S+ AS build$.*?(?=^FROM )", re.M | re.S)
        packed = "FROM ${DEBIAN} AS build\nCOPY packages /src/build/packages\n\n"
        self.assertEqual(len(compiles.findall(text)), 1)
        (context / "Containerfile").write_text(compiles.sub(lambda _: packed, text))
        run("tar", "-C", self.root, "--exclude=./var/cache/apt/archives/*.deb", "-cf", self.folder / "base.tar", ".")
        buildah = ["env", "BUILDAH_ISOLATION=chroot", "STORAGE_DRIVER=vfs", "buildah", "--root", self.folder / "images",
                   "--runroot", self.folder / "running"]
        base = run(*buildah, "from", "scratch").strip()
        run(*buildah, "add", base, self.folder / "base.tar", "/")
        run(*buildah, "commit", base, "localhost/debian")
        run(*buildah, "build", "--format", "docker", "--pull-never", "--build-arg", "DEBIAN=localhost/debian", "-t",
            "localhost/receiptd", context)
        made = run(*buildah, "from", "--pull-never", "localhost/receiptd").strip()
        said = run(*buildah, "run", made, "--", "sh", "-c", "id -un; receiptd --version; test -w /etc/receiptd || echo may not write")
        self.assertRegex(said, r"^receiptd\nreceiptd \d.*\nmay not write\n$")


if __name__ == "__main__":
    support.main()

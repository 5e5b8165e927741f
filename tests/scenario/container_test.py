"""The image and the composition of containers, as far as files tell: no container runs here."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
import urllib.parse

import yaml

import libpq
import support

CONTAINER = support.ROOT / "deploy" / "container"
INSTRUCTIONS = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "LABEL", "USER", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK",
                "ENTRYPOINT", "CMD"}


def stages():
    """[(name, [(instruction, arguments)])] of the Containerfile."""
    text = re.sub(r"^#.*\n", "", (CONTAINER / "Containerfile").read_text(), flags=re.M).replace("\\\n", " ")
    found = [("", [])]
    for line in filter(None, map(str.strip, text.splitlines())):
        instruction, arguments = line.split(None, 1)
        if instruction == "FROM":
            found.append((arguments.split(" AS ")[-1], []))
        found[-1][1].append((instruction, arguments))
    return found[1:]


def read(name):
    return yaml.safe_load((CONTAINER / name).read_text())


class Image(unittest.TestCase):
    def test_is_built_in_stages_that_are_there(self):
        known = []
        for name, lines in stages():
            for instruction, arguments in lines:
                self.assertIn(instruction, INSTRUCTIONS)
                for source in re.findall(r"--from=(\S+)", arguments):
                    self.assertIn(source, known)
            known.append(name)
        self.assertEqual(known[-1], known[1], "the last stage is the image that is built without a target")

    def test_no_program_runs_as_root_or_keeps_lists_of_packages(self):
        for name, lines in stages()[1:3]:
            user, = [arguments for instruction, arguments in lines if instruction == "USER"]
            self.assertNotIn(user, ("root", "0"), name)
            for instruction, arguments in lines:
                self.assertFalse("apt-get update" in arguments and "rm -rf /var/lib/apt/lists" not in arguments, arguments)

    def test_its_health_is_the_daemons_readiness(self):
        _, lines = stages()[1]
        check, = [arguments for instruction, arguments in lines if instruction == "HEALTHCHECK"]
        self.assertIn("receiptd status", check)
        self.assertTrue(check.endswith("|| exit 1"), "Docker knows 0 and 1 only")


class Users(support.OwnCluster):
    empty_cluster = True
    PASSWORDS = {"OWNER_DATABASE_PASSWORD": "o'o", "DAEMON_DATABASE_PASSWORD": "d", "GRAFANA_DATABASE_PASSWORD": "g"}

    def setUp(self):
        super().setUp()
        given = self.postgres("url", self.cluster, "postgres")
        self.parts = urllib.parse.urlsplit(given)
        support.sql(given, "CREATE ROLE image SUPERUSER LOGIN PASSWORD 'i'")
        self.image = self.url("image", "i", "postgres")
        support.sql(self.image, f'ALTER ROLE "{self.parts.username}" RENAME TO another')

    def url(self, user, password, database="receiptd"):
        return f"postgresql://{user}:{urllib.parse.quote(password)}@{self.parts.hostname}:{self.parts.port}/{database}"

    def migrate(self, user, password):
        config = self.folder / f"{user}.toml"
        config.write_text(re.sub(r"^url_env = .*$", f'url = "{self.url(user, password)}"',
                                 (CONTAINER / "receiptd.toml").read_text(), flags=re.M))
        config.chmod(0o600)
        return self.receiptd("migrate", "--config", config)[0]

    def test_the_daemon_is_no_superuser_and_strangers_do_not_enter(self):
        done = subprocess.run([CONTAINER / "roles.sh"], capture_output=True, text=True, env=os.environ | self.PASSWORDS | {
            "POSTGRES_USER": "image", "PGHOST": self.parts.hostname, "PGPORT": str(self.parts.port), "PGPASSWORD": "i"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.migrate("receiptd_owner", "o'o")
        self.assertIn("nothing to do", self.migrate("receiptd", "d"))
        self.assertEqual(support.sql(self.image, "SELECT count(*) FROM pg_roles WHERE rolsuper AND rolname LIKE 'receiptd%'"),
                         [["0"]])
        self.assertEqual(support.sql(self.url("grafana", "g"), "SELECT count(*) FROM blocks"), [["0"]])
        support.sql(self.image, "CREATE ROLE stranger LOGIN PASSWORD 's'")
        with self.assertRaisesRegex(libpq.Refused, "permission denied for database"):
            support.sql(self.url("stranger", "s"), "SELECT 1")


class Composition(unittest.TestCase):
    def test_every_mounted_file_is_there_and_nothing_is_published_beyond_loopback(self):
        composition = read("compose.yml")
        for name, service in composition["services"].items():
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                self.assertTrue(source in composition["volumes"] or (CONTAINER / source).exists(), f"{name}: {volume}")
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), f"{name}: {port}")
            if "build" in service:
                self.assertIn(service["build"]["target"], [stage for stage, _ in stages()])
                self.assertTrue((CONTAINER / service["build"]["context"] / service["build"]["dockerfile"]).is_file())
            else:
                self.assertRegex(service["image"], r":v?\d", f"{name} names a version")

    def test_every_variable_is_in_the_example(self):
        used = set(re.findall(r"\$\{(\w+)", (CONTAINER / "compose.yml").read_text()))
        self.assertEqual(used, set(re.findall(r"^(\w+)=", (CONTAINER / "example.env").read_text(), re.M)))

    def test_the_daemon_takes_its_configuration(self):
        done = subprocess.run([support.BUILD / "receiptd", "check-config", "--config", CONTAINER / "receiptd.toml"],
                              capture_output=True, text=True,
                              env=os.environ | {"RECEIPTD_DATABASE": "postgresql://receiptd:x@postgres/receiptd"})
        warning, = done.stderr.splitlines()
        self.assertEqual(done.returncode, 0)
        self.assertIn("everybody who reaches 0.0.0.0:9464 can read", warning)

    def test_the_daemon_answers_to_the_name_that_prometheus_uses(self):
        target, = read("prometheus.yml")["scrape_configs"][0]["static_configs"][0]["targets"]
        settings = (CONTAINER / "receiptd.toml").read_text()
        self.assertIn(target.split(":")[0], re.search(r"^allowed_hosts = (.*)$", settings, re.M)[1])
        self.assertIn(target.split(":")[0], read("compose.yml")["services"])

    def test_grafana_gets_the_data_sources_that_the_dashboards_name(self):
        one_machine = yaml.safe_load((support.ROOT / "dashboards/grafana/provisioning/datasources/receiptd.yml").read_text())
        described = lambda config: [(one["uid"], one["type"]) for one in config["datasources"]]
        self.assertEqual(described(read("grafana-datasources.yml")), described(one_machine))

    def test_prometheus_and_alertmanager_take_theirs(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="receiptd-container-"))
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(CONTAINER / "prometheus.yml", folder)
        shutil.copy(support.ROOT / "dashboards/prometheus/rules.yml", folder)
        for command in (["promtool", "check", "config", folder / "prometheus.yml"],
                        ["amtool", "check-config", CONTAINER / "alertmanager.yml"]):
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Manifests(unittest.TestCase):
    """The manifests of Kubernetes, as far as files tell."""

    def setUp(self):
        text = (support.ROOT / "deploy" / "kubernetes" / "receiptd.yaml").read_text()
        self.named = {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(text)}
        self.daemon = self.named["Deployment", "receiptd"]["spec"]
        self.container, = self.daemon["template"]["spec"]["containers"]
        self.settings = self.named["ConfigMap", "receiptd"]["data"]["receiptd.toml"]

    def keys(self, text):
        """section.key of each."""
        parsed = tomllib.loads(text)
        tables = lambda part: part if isinstance(part, list) else [part]
        return {f"{section}.{key}" for section, part in parsed.items() for table in tables(part) for key in table}

    def test_settings_are_those_of_the_composition_and_what_a_real_network_needs(self):
        self.assertEqual(self.keys((CONTAINER / "receiptd.toml").read_text()) - self.keys(self.settings), {"http.public_url"})
        self.assertEqual(self.keys(self.settings) - self.keys((CONTAINER / "receiptd.toml").read_text()),
                         {"config.watch", "upstream.api_key_env", "upstream.max_requests_per_second", "follow.accounts"})
        environment = set(read("compose.yml")["services"]["receiptd"]["environment"])
        self.assertEqual(set(re.findall(r'^\w+_env = "(\w+)"$', self.settings, re.M)), environment)
        self.assertTrue(tomllib.loads(self.settings)["config"]["watch"])

    def test_the_daemon_takes_them(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="receiptd-manifests-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "receiptd.toml").write_text(self.settings)
        done = subprocess.run([support.BUILD / "receiptd", "check-config", "--config", folder / "receiptd.toml"],
                              capture_output=True, text=True, env=os.environ | {
                                  "RECEIPTD_DATABASE": "postgresql://receiptd:x@postgres/receiptd", "RECEIPTD_API_KEY": "k"})
        warning, = done.stderr.splitlines()
        self.assertEqual(done.returncode, 0)
        self.assertIn("everybody who reaches 0.0.0.0:9464 can read", warning)

    def test_two_replicas_are_asked_what_the_daemon_answers(self):
        self.assertEqual(self.daemon["replicas"], 2)
        port, = self.container["ports"]
        self.assertIn(f':{port["containerPort"]}"', self.settings)
        for probe, path in (("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
            self.assertEqual(self.container[probe]["httpGet"], {"path": path, "port": port["name"]})
            self.assertIn(f'"{path}"', (support.ROOT / "daemon/api/pages.cpp").read_text())

    def test_selectors_and_names_agree(self):
        labels = self.daemon["template"]["metadata"]["labels"]
        for kind in ("Deployment", "PodDisruptionBudget"):
            self.assertEqual(self.named[kind, "receiptd"]["spec"]["selector"]["matchLabels"], labels)
        self.assertEqual(self.named["Service", "receiptd"]["spec"]["selector"], labels)
        self.assertEqual(self.named["NetworkPolicy", "receiptd"]["spec"]["podSelector"]["matchLabels"], labels)
        for _, one in self.named.items():
            self.assertEqual(one["metadata"]["namespace"], "receiptd")

    def test_nothing_runs_as_root_and_the_schemas_owner_runs_no_daemon(self):
        job = self.named["Job", "receiptd-migrate"]["spec"]["template"]["spec"]
        for pod in (job, self.daemon["template"]["spec"]):
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            mount, = pod["containers"][0]["volumeMounts"]
            self.assertEqual(mount["mountPath"], "/etc/receiptd", "a mount of one file is not replaced (subPath)")
            self.assertNotIn("subPath", mount)
            self.assertTrue(pod["containers"][0]["securityContext"]["readOnlyRootFilesystem"])
        secrets = lambda container: [one["secretRef"]["name"] for one in container["envFrom"]]
        self.assertEqual(secrets(job["containers"][0]), ["receiptd-owner"])
        self.assertEqual(secrets(self.container), ["receiptd"])


if __name__ == "__main__":
    unittest.main()

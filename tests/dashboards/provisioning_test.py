"""The commands of dashboards/README.md, as typed, up to where Grafana and Prometheus would start; and what Kubernetes and the containers
get: the same files."""

import pathlib
import re
import subprocess
import sys
import unittest

import yaml

import boards
import grafana

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))
import libpq  # noqa: E402
import support  # noqa: E402

README = boards.ROOT / "dashboards" / "README.md"
PASSWORD = "o'b \\d"
APPLY_LIMIT = 262_144  # bytes: what `kubectl apply` notes of an object


def commands(first):
    """The block of README.md that begins so."""
    blocks = [re.sub(r"^[^\n]*\n", "", block) for block in README.read_text().split("```")[1::2]]
    found, = [block for block in blocks if block.strip().startswith(first)]
    return re.sub(r"^ +", "", found, flags=re.M)


class OnOneMachine(support.OwnCluster):
    def run_typed(self, text):
        """In a shell; folders of the machine are below ours."""
        typed = re.sub(r"(?<= )(?=/(?:etc|var)/)", str(self.folder), text)
        done = subprocess.run(["bash", "-euc", typed], cwd=boards.ROOT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{typed}\n{done.stdout}{done.stderr}")

    def test_grafana_would_start_with_all_boards_and_sources_that_answer(self):
        (self.folder / "etc/grafana/provisioning/datasources").mkdir(parents=True)
        (self.folder / "etc/grafana/provisioning/dashboards").mkdir()
        self.run_typed(commands("install -m 644 dashboards/grafana/provisioning"))
        provider, = yaml.safe_load((self.folder / "etc/grafana/provisioning/dashboards/receiptd.yml").read_text())["providers"]
        shown = pathlib.Path(f"{self.folder}{provider['options']['path']}")
        self.assertEqual({path.name: path.read_text() for path in shown.iterdir()}, {path.name: path.read_text() for path in boards.files()})
        self.check_source()

    def check_source(self):
        """Grafana's user is let in with what the file says, and asks what a board asks."""
        url = self.postgres("url", self.cluster, "postgres")
        libpq.ask(url, "CREATE DATABASE receiptd")
        database = re.sub(r"/[^/]*$", "/receiptd", url)
        self.receiptd("migrate", "--config", self.config(self.sandbox("--genesis-time", "now", command="run"), database=database, network="sandbox"))
        libpq.ask(database, commands("CREATE ROLE").replace("…", PASSWORD.replace("'", "''")))
        made = yaml.safe_load((self.folder / "etc/grafana/provisioning/datasources/receiptd.yml").read_text())["datasources"]
        source, = [each for each in made if each["type"] == "postgres"]
        variable = re.fullmatch(r"\$__env\{(\w+)\}", source["secureJsonData"]["password"])[1]
        self.assertIn(f"`{variable}`", README.read_text())
        host, port = re.search(r"@([^:/]+):(\d+)/", url).groups()
        told = {"host": host, "port": port, "user": source["user"], "dbname": source["jsonData"]["database"], "sslmode": source["jsonData"]["sslmode"]}
        reader = libpq.Session(" ".join(f"{key}={value}" for key, value in told.items())
                               + " password='" + PASSWORD.replace("\\", "\\\\").replace("'", "\\'") + "'")
        for panel, target in boards.targets(boards.load(boards.BOARDS / "failures.json"), "postgres"):
            reader.ask(grafana.Shown(0, 3600).sql(target["rawSql"], panel))

    def test_prometheus_takes_its_configuration_and_the_tests_of_rules_are_there(self):
        start, test = commands("prometheus --config.file").strip().splitlines()
        checked, changed = re.subn(r"^prometheus --config.file ", "promtool check config ", start)
        listed, changed_too = re.subn(r"^promtool test rules ", "ls ", test)
        self.assertEqual((changed, changed_too), (1, 1), "a Prometheus that starts does not end")
        self.run_typed(checked + "\n" + listed)


class InOthersHands(unittest.TestCase):
    def test_kubernetes_gets_each_board_once_and_can_take_it(self):
        made = yaml.safe_load((boards.BOARDS.parent / "kustomization.yaml").read_text())
        self.assertEqual(made["generatorOptions"]["labels"], {"grafana_dashboard": "1"})
        files = {each["name"]: each["files"] for each in made["configMapGenerator"]}
        self.assertEqual(sorted(sum(files.values(), [])), [f"boards/{path.name}" for path in boards.files()])
        for path in boards.files():
            self.assertLess(len(path.read_bytes()), APPLY_LIMIT // 2)
        operator = list(yaml.safe_load_all((boards.BOARDS.parent / "operator.yaml").read_text()))
        self.assertEqual({each["spec"]["configMapRef"]["name"]: [f"boards/{each['spec']['configMapRef']['key']}"] for each in operator}, files)

    def test_the_containers_show_the_folder_of_the_boards(self):
        folder = boards.ROOT / "deploy" / "container"
        volumes = yaml.safe_load((folder / "compose.yml").read_text())["services"]["grafana"]["volumes"]
        mounted = {inside: (folder / outside).resolve() for outside, inside, _ in (each.split(":") for each in volumes)}
        provider, = yaml.safe_load(mounted["/etc/grafana/provisioning/dashboards/receiptd.yml"].read_text())["providers"]
        self.assertEqual(mounted[provider["options"]["path"]], boards.BOARDS)


if __name__ == "__main__":
    support.main()

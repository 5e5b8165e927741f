"""Databases for scenarios: empty ones, and copies of one at this program's schema, since a copy takes a tenth of a migration."""

import pathlib
import subprocess
import tempfile
import uuid

import libpq

# A copy lacks what ALTER DATABASE ... SET gave its template.
TAKE_OVER_SETTINGS = """DO $$ DECLARE setting text; BEGIN
    FOR setting IN SELECT unnest(setconfig) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
        WHERE s.setrole = 0 AND d.datname = '{template}'
    LOOP EXECUTE format('ALTER DATABASE {name} SET %I = %L', split_part(setting, '=', 1),
                        substr(setting, strpos(setting, '=') + 1)); END LOOP; END $$"""


def make_empty(maintenance):
    name = new_name()
    libpq.ask(maintenance, f"CREATE DATABASE {name}")
    return name


def make_migrated(maintenance, receiptd, url_of):
    """`receiptd`: the program; `url_of`: the URL of a database by its name."""
    template, name = make_template(maintenance, receiptd, url_of), new_name()
    libpq.ask(maintenance, f"CREATE DATABASE {name} TEMPLATE {template}")
    libpq.ask(maintenance, TAKE_OVER_SETTINGS.format(template=template, name=name))
    return name


def new_name():
    return "scenario_" + uuid.uuid4().hex[:12]


def make_template(maintenance, receiptd, url_of):
    """The first who needs it makes it, while the others wait. Nobody may connect to it, or it cannot be copied."""
    name = f"scenario_template_{receiptd.stat().st_mtime_ns}"
    first = libpq.Session(maintenance)  # its lock ends with it
    first.ask(f"SELECT pg_advisory_lock(hashtext('{name}'))")
    if first.ask(f"SELECT 1 FROM pg_database WHERE datistemplate AND datname = '{name}'"):
        return name
    first.ask(f"DROP DATABASE IF EXISTS {name}")  # somebody died while making it
    first.ask(f"CREATE DATABASE {name}")
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "migrate.toml")
        config.touch(0o600)
        config.write_text('[chain]\nnetwork = "sandbox"\n[[upstream]]\nname = "none"\nkind = "regular"\n'
                          f'url = "http://127.0.0.1:1"\n[database]\nurl = "{url_of(name)}"\n')
        subprocess.run([receiptd, "migrate", "--config", config], check=True, capture_output=True)
    first.ask(f"ALTER DATABASE {name} IS_TEMPLATE true ALLOW_CONNECTIONS false")
    return name

"""Databases for scenarios: empty ones, and copies of one at this program's schema, since a copy takes a tenth of a migration."""

import datetime
import hashlib
import pathlib
import subprocess
import tempfile
import uuid

import libpq

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A copy lacks what ALTER DATABASE ... SET gave its template.
TAKE_OVER_SETTINGS = """DO $$ DECLARE setting text; BEGIN
    FOR setting IN SELECT unnest(setconfig) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
        WHERE s.setrole = 0 AND d.datname = '{template}'
    LOOP EXECUTE format('ALTER DATABASE {name} SET %I = %L', split_part(setting, '=', 1),
                        substr(setting, strpos(setting, '=') + 1)); END LOOP; END $$"""

# A daemon makes these when it starts, which costs eight times as much as a copy of them.
MAKE_PARTITIONS = """INSERT INTO chain_identity (network, scope, partition_width, created_by) VALUES ('none', 'none', 'day', 'tests');
    SELECT make_partitions('{today}', timestamptz '{today}' + interval '2 days');
    DELETE FROM chain_identity"""


def make_empty(maintenance):
    return copy_of("template1", maintenance)


def make_migrated(maintenance, receiptd, url_of):
    """`receiptd`: the program; `url_of`: the URL of a database by its name."""
    migrated, ahead = make_templates(maintenance, receiptd, url_of)
    return copy_of(ahead, maintenance, migrated)


def make_templates(maintenance, receiptd, url_of):
    migrated = template_name()
    make_template(maintenance, migrated, "template1", lambda: migrate(receiptd, url_of(migrated)))
    today = datetime.datetime.now(datetime.timezone.utc).date()
    ahead = f"{migrated}_{today:%Y%m%d}_ahead"
    make_template(maintenance, ahead, migrated,
                  lambda: libpq.Session(url_of(ahead)).ask(MAKE_PARTITIONS.format(today=today)))
    return migrated, ahead


def copy_of(original, maintenance, settings_of=None):
    """File by file: by way of the log it costs half as much again."""
    name = "scenario_" + uuid.uuid4().hex[:12]
    libpq.ask(maintenance, f"CREATE DATABASE {name} TEMPLATE {original} STRATEGY file_copy")
    if settings_of:
        libpq.ask(maintenance, TAKE_OVER_SETTINGS.format(template=settings_of, name=name))
    return name


def template_name():
    """Tells its content, as that of the integration tests does, which use the same one (migrated_database.hpp)."""
    files = [file for folder in ("migrations", "schema") for file in sorted((ROOT / folder).glob("*.sql"))]
    content = "".join(f"{file.name}\n{file.read_text()}\n" for file in files)
    return "migrated_" + hashlib.sha256(content.encode()).hexdigest()[:16]


def make_template(maintenance, name, original, fill):
    """The first who needs it makes it, while the others wait. Nobody may connect to it, or it cannot be copied."""
    first = libpq.Session(maintenance)  # its lock ends with it
    first.ask(f"SELECT pg_advisory_lock(hashtext('{name}'))")
    if first.ask(f"SELECT 1 FROM pg_database WHERE datistemplate AND datname = '{name}'"):
        return
    first.ask(f"DROP DATABASE IF EXISTS {name}")  # somebody died while making it
    first.ask(f"CREATE DATABASE {name} TEMPLATE {original} STRATEGY file_copy")
    fill()
    first.ask(f"ALTER DATABASE {name} IS_TEMPLATE true ALLOW_CONNECTIONS false")


def migrate(receiptd, url):
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "migrate.toml")
        config.touch(0o600)
        config.write_text('[chain]\nnetwork = "sandbox"\n[[upstream]]\nname = "none"\nkind = "regular"\n'
                          f'url = "http://127.0.0.1:1"\n[database]\nurl = "{url}"\n')
        subprocess.run([receiptd, "migrate", "--config", config], check=True, capture_output=True)

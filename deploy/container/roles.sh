#!/bin/bash
# PostgreSQL runs it once, when the cluster is made: the users of docs/roles.md, and a database that nobody else may enter.
set -eu
psql -v ON_ERROR_STOP=1 -v "owner=$OWNER_DATABASE_PASSWORD" -v "daemon=$DAEMON_DATABASE_PASSWORD" \
    -v "grafana=$GRAFANA_DATABASE_PASSWORD" -U "$POSTGRES_USER" -d "${POSTGRES_DB:-postgres}" <<'SQL'
CREATE ROLE receiptd_daemon;
CREATE ROLE receiptd_readonly;
CREATE ROLE receiptd_watcher;
CREATE ROLE receiptd_owner LOGIN PASSWORD :'owner';
CREATE ROLE receiptd LOGIN PASSWORD :'daemon' IN ROLE receiptd_daemon;
CREATE ROLE grafana LOGIN PASSWORD :'grafana' CONNECTION LIMIT 10 IN ROLE receiptd_readonly;
CREATE DATABASE receiptd OWNER receiptd_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT, TEMPORARY ON DATABASE receiptd FROM PUBLIC;
GRANT CONNECT ON DATABASE receiptd TO receiptd_daemon, receiptd_readonly, receiptd_watcher;
SQL

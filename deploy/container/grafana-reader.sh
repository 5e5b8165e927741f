#!/bin/bash
# PostgreSQL runs it once, when the database is made: Grafana reads as a role that may do nothing else.
set -eu
psql -v ON_ERROR_STOP=1 -v "password=$GRAFANA_DATABASE_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE receiptd_readonly;
CREATE ROLE grafana LOGIN PASSWORD :'password' IN ROLE receiptd_readonly;
SQL

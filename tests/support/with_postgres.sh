#!/usr/bin/env bash
# with_postgres.sh DIR PROGRAM ARGUMENTS…: runs the program with RECEIPTD_TEST_DATABASE set to the cluster in
# DIR (scripts/postgres.sh), if one runs there and the variable is not set already.
# with_postgres.sh --own PROGRAM ARGUMENTS…: with a cluster that is there only while the program runs.
set -euo pipefail
script="$(dirname "$(realpath "$0")")/../../scripts/postgres.sh"
cluster=$1
shift
if [ "$cluster" = --own ]; then
    folder=$(mktemp -d "${TMPDIR:-/tmp}/receiptd-test-postgres.XXXXXX")
    chmod 755 "$folder"
    cluster=$folder/cluster
    trap '"$script" remove "$cluster"; rmdir "$folder"' EXIT
    RECEIPTD_TEST_DATABASE=$("$script" start --memory "$cluster")
    export RECEIPTD_TEST_DATABASE
    "$@"
    exit
fi
if [ -z "${RECEIPTD_TEST_DATABASE:-}" ] && url=$("$script" url "$cluster" 2>/dev/null); then
    export RECEIPTD_TEST_DATABASE=$url
fi
exec "$@"

#!/usr/bin/env bash
# with_postgres.sh DIR PROGRAM ARGUMENTS…: runs the program with RECEIPTD_TEST_DATABASE set to the cluster in
# DIR (scripts/postgres.sh), if one runs there and the variable is not set already.
set -euo pipefail
script="$(dirname "$(realpath "$0")")/../../scripts/postgres.sh"
cluster=$1
shift
if [ -z "${RECEIPTD_TEST_DATABASE:-}" ] && url=$("$script" url "$cluster" 2>/dev/null); then
    export RECEIPTD_TEST_DATABASE=$url
fi
exec "$@"

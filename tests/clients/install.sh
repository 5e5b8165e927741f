#!/usr/bin/env bash
# install.sh [FOLDER]: installs what package-lock.json names into node_modules of the folder (here), unless that is
# there already.
set -euo pipefail
cd "${1:-$(dirname "$(realpath "$0")")}"

major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 18 ]; then
    echo "the client tests need node 18 or newer, this is $(node --version)" >&2
    exit 1
fi
if grep -n '"resolved"' package-lock.json >&2; then
    echo "package-lock.json names a registry: npm install with the .npmrc of this folder" >&2
    exit 1
fi
# Tests of several build folders may start at once.
exec 9<package-lock.json
flock 9
if ! cmp -s package-lock.json node_modules/.installed; then
    npm ci --no-progress
    cp package-lock.json node_modules/.installed
fi

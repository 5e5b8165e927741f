# shellcheck shell=bash
# The demo, sourced by ./dev: a chain on loopback (living, or with --replay a recorded one), the daemon, a
# database, answers. Everything it starts is ended by ./dev's trap; what it makes is in .local/.

readonly DEMO=$LOCAL/demo SAMPLE=$ROOT/sandbox/sample GENESIS=100000000

# serve NAME COMMAND ARGS...: starts the sandbox and sets REGULAR, ARCHIVAL and CONTROL to its addresses.
serve() {
    local name=$1 command=$2 out=$DEMO/$1.out pid tries
    shift 2
    "$BUILD/receiptd-sandbox" "$command" --listen 127.0.0.1:0 --archival-listen 127.0.0.1:0 "$@" \
        >"$out" 2>"$DEMO/$name.log" </dev/null &
    pid=$!
    PIDS+=("$pid")
    for tries in $(seq 100); do
        if grep -qs '^archival ' "$out"; then break; fi
        kill -0 "$pid" 2>/dev/null || { cat "$DEMO/$name.log" >&2; die "receiptd-sandbox ended"; }
        sleep 0.1
    done
    [ "$tries" -lt 100 ] || die "receiptd-sandbox did not get ready: $DEMO/$name.log"
    REGULAR=$(sed -n 's/^regular //p' "$out")
    ARCHIVAL=$(sed -n 's/^archival //p' "$out")
    CONTROL=$(sed -n 's/^control //p' "$out")
}

first_height() { find "$1" -name '*.json' -printf '%f\n' | sort -n | head -n 1 | cut -d. -f1; }
last_height() { find "$1" -name '*.json' -printf '%f\n' | sort -n | tail -n 1 | cut -d. -f1; }

# The key comes from the environment, the database's address with its password from a file.
write_config() {
    local file=$1 database=$2 source=$3 start=$4 network=${5:-mainnet} patience=${6:-2s}
    (umask 077 && scripts/postgres.sh database "$CLUSTER" "$database" >"$DEMO/$database.url")
    cat >"$file" <<END
[chain]
network = "$network"

[[upstream]]
name = "regular"
kind = "regular"
url = "$REGULAR"
api_key_env = "DEMO_API_KEY"

[[upstream]]
name = "archival"
kind = "archival"
url = "$ARCHIVAL"
api_key_env = "DEMO_API_KEY"
$([ "$source" = rpc ] || printf '\n[neardata]\nurl = "%s"\nredirect_hosts = ["127.0.0.1"]\napi_key_env = "DEMO_API_KEY"\n' "$REGULAR")

[database]
url_file = "$database.url"

[follow]
source = "$source"
scope = "all"
start = $start
patience = "$patience"

[http]
listen = "127.0.0.1:0"
END
}

# follow CONFIG UNTIL: the daemon's own lines, indented.
follow() {
    local began ended
    note "receiptd migrate --config ${1#"$ROOT"/}"
    "$BUILD/receiptd" migrate --config "$1" 2>&1 | sed 's/^/    /'
    note "receiptd run --config ${1#"$ROOT"/} --until $2"
    began=$(date +%s%N)
    "$BUILD/receiptd" run --config "$1" --until "$2" 2>&1 | sed 's/^/    /'
    ended=$(date +%s%N)
    note "done in $(((ended - began) / 1000000)) ms"
}

ask() { psql "$(cat "$DEMO/$1.url")" -X -q -v ON_ERROR_STOP=1 -P pager=off -P footer=off -P null=- -f "$2"; }

# --- A living chain ---

# The chain goes on for as long as somebody looks; blocks as fast as NEAR's.
demo_living() {
    local once=$1 waited=0 out=$DEMO/receiptd.log pid page=''
    say "A NEAR-like chain of our own with traffic, a private PostgreSQL, and the daemon between them"
    serve chain run --control-listen 127.0.0.1:0 --block-time-ms 600 --traffic mixed --tps 20 --seed 3 --genesis-time now \
        --retention-blocks 40 --api-key "$DEMO_API_KEY" --require-key --keys-out "$DEMO/keys.json"
    start_cluster "$CLUSTER"
    (umask 077 && head -c 24 /dev/urandom | base64 >"$DEMO/token")
    write_config "$DEMO/receiptd.toml" receiptd rpc $((GENESIS + 1)) sandbox 60s
    echo 'token_file = "token"' >>"$DEMO/receiptd.toml"
    "$BUILD/receiptd" run --config "$DEMO/receiptd.toml" >"$out" 2>&1 </dev/null &
    pid=$!
    PIDS+=("$pid")
    until page=$(grep -oPs ' listen=\K\S+' "$out"); do
        kill -0 "$pid" 2>/dev/null || { cat "$out" >&2; die "receiptd ended"; }
        [ $((waited += 1)) -le 300 ] || die "receiptd did not get ready: $out"
        sleep 0.1
    done
    # Beside us, so that a signal ends us at once.
    python3 scripts/demo_report.py ${once:+"$once"} --page "http://$page" --folder "${DEMO#"$ROOT/"}" --regular "$REGULAR" \
        --archival "$ARCHIVAL" --control "$CONTROL" &
    PIDS+=("$!")
    wait "$!"
    [ -z "$once" ] || show_answers
}

# Shows what the database knows, one tree drawn, and the chain's own check.
show_answers() {
    local hash
    say "What the database knows"
    ask receiptd scripts/demo.sql
    hash=$(psql "$(cat "$DEMO/receiptd.url")" -XAtq -f scripts/demo_pick.sql)
    if [ -n "$hash" ]; then
        say "One that every wallet calls a success: receiptd tx $hash"
        "$BUILD/receiptd" tx --config "$DEMO/receiptd.toml" "$hash" | sed 's/^/    /'
    fi
    say "The chain checks itself: every receipt once, every proof, every yocto"
    curl -fsS "$CONTROL/check" | python3 -m json.tool | sed 's/^/    /'
}

# --- A recorded one ---

demo_rpc() {
    local first last
    first=$(first_height "$SAMPLE/rpc/block") last=$(last_height "$SAMPLE/rpc/block")
    say "1. A gateway on loopback that replays $SAMPLE/rpc"
    serve rpc replay --rpc "$SAMPLE/rpc" --retention-blocks 10 --api-key "$DEMO_API_KEY" --require-key
    note "regular host   $REGULAR (keeps the newest 10 blocks only)"
    note "archival host  $ARCHIVAL (keeps everything)"
    say "2. A private PostgreSQL in .local/postgres"
    start_cluster "$CLUSTER"
    write_config "$DEMO/receiptd.toml" receiptd rpc "$first"
    say "3. The daemon follows heights $first to $last: block and chunk by JSON-RPC, trees by transaction"
    follow "$DEMO/receiptd.toml" "$last"
    say "4. What the database knows now"
    ask receiptd scripts/demo.sql
}

demo_neardata() {
    local first last
    first=$(first_height "$SAMPLE/whole-block") last=$(last_height "$SAMPLE/whole-block")
    say "5. The same daemon on whole blocks (source neardata), heights $first to $last, into a second database"
    serve whole-blocks replay --whole-blocks "$SAMPLE/whole-block" --api-key "$DEMO_API_KEY" --require-key
    write_config "$DEMO/neardata.toml" receiptd_whole neardata "$first"
    follow "$DEMO/neardata.toml" "$last"
    ask receiptd_whole scripts/demo_neardata.sql
}

demo_replay() {
    demo_rpc
    if [ -d "$SAMPLE/whole-block" ]; then demo_neardata; fi
}

demo() {
    local kind=demo_living once=''
    [ -t 1 ] || once=--once
    for option; do
        case $option in
            --once) once=--once ;;
            --replay) kind=demo_replay ;;
            *) die "demo knows --once and --replay, not $option" ;;
        esac
    done
    export DEMO_API_KEY=demo-key-0123456789
    # A demo starts from nothing, so that every run shows the same.
    scripts/postgres.sh remove "$CLUSTER"
    rm -rf "$DEMO"
    mkdir -p "$DEMO"
    "$kind" "$once"
    say "Done. ./dev psql opens the database; README.md tells how to point receiptd at mainnet."
}

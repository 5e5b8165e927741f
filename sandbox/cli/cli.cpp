#include "sandbox/cli/cli.hpp"

#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "sandbox/replay/replay_command.hpp"
#include "sandbox/run/run_command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::sandbox {
namespace {

// CLI11 takes -1 for the greatest number there is, and nan for one within any range.
const CLI::Validator kSeed(
    [](std::string& text) -> std::string {
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        const bool fits = text.size() < 20 || (text.size() == 20 && text <= "18446744073709551615");
        return digits && fits ? "" : "must be a whole number from 0 to 18446744073709551615";
    },
    "");
const CLI::Validator kFinite(
    [](std::string& text) -> std::string {
        return text.find_first_of("nN") == std::string::npos ? "" : "must be a number";
    },
    "");
// An empty key (from a variable that was not set) would accept requests without a key.
const CLI::Validator kApiKey(
    [](std::string& text) -> std::string {
        const bool printable =
            std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
        return !text.empty() && printable ? "" : "must be a word of printable characters, and is not";
    },
    "");

// CLI11 writes to these members; they become ReplayOptions once all is parsed.
struct Arguments {
    ReplayOptions options;
    Repeat repeat;
    std::vector<std::string> api_keys;
    std::string faults;
    std::int64_t block_time_ms = 0, latency_ms = 0, slow_ms = 2000;
};

void add_recording_options(CLI::App& replay, Arguments& args) {
    replay.add_option(
        "--rpc", args.options.rpc_folders,
        "Folder with block/HEIGHT.json, chunk/HASH.json, tx/HASH.json (repeatable). "
        "Serves JSON-RPC; GET /v0/block answers 404 BLOCK_DOES_NOT_EXIST without --whole-blocks");
    replay.add_option("--whole-blocks", args.options.whole_blocks,
                      "Folder with HEIGHT.json, whole blocks. Serves both GET /v0/… and JSON-RPC");
    replay.add_option("--repeat", args.repeat.blocks,
                      "Serve a run of N consecutive heights made of the whole blocks in turn, under new "
                      "heights, hashes, ids and times, linked so that trees complete");
    replay.add_flag(
        "--gzip", args.options.compress,
        "Compress all whole blocks before the start, and serve them so to clients that accept gzip");
    replay.add_option("--first-height", args.repeat.first_height, "First height of --repeat")
        ->capture_default_str();
    replay
        .add_option("--first-time-ns", args.repeat.first_timestamp_nanosec,
                    "Block time of the first block of --repeat, ns since 1970")
        ->check(
            CLI::Range(std::uint64_t{1'000'000'000'000'000'000}, std::uint64_t{9'000'000'000'000'000'000}))
        ->capture_default_str();
}

void add_host_options(CLI::App& replay, Arguments& args) {
    auto& gateway = args.options.gateway;
    replay.add_option("--listen", args.options.listen, "Regular host, HOST:PORT")->capture_default_str();
    replay.add_option("--archival-listen", args.options.archival_listen, "Archival host, HOST:PORT")
        ->capture_default_str();
    replay.add_option("--chain-id", gateway.chain_id, "chain_id of `status`")->capture_default_str();
    replay.add_option(
        "--retention-blocks", gateway.retention_blocks,
        "Newest blocks the regular host keeps (0: all); older whole blocks are redirected to the "
        "archival host");
    replay
        .add_option("--block-time-ms", args.block_time_ms,
                    "The tip advances one block each N ms (0: all is there at once)")
        ->check(CLI::NonNegativeNumber);
    replay
        .add_option("--start-blocks", args.options.tip.start_blocks, "Blocks that are there from the start")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    replay.add_flag("--start-on-first-request", args.options.tip.start_on_first_request,
                    "The tip begins to advance with the first request");
}

void add_trouble_options(CLI::App& replay, Arguments& args) {
    auto& gateway = args.options.gateway;
    replay
        .add_option("--api-key", args.api_keys,
                    "A valid key (repeatable). Without this option every key is accepted")
        ->check(kApiKey);
    replay.add_flag("--require-key", gateway.access.require_key, "Refuse requests without a key (401)");
    replay
        .add_option("--rate-limit", gateway.access.requests_per_second,
                    "Requests per second for each key, then 429. All requests without a key share one limit "
                    "(0: no limit)")
        ->check(CLI::NonNegativeNumber);
    replay.add_option(
        "--fault", args.faults,
        "Share of requests that fail, e.g. 429:0.01,500:0.01,reset:0.005,truncate:0.005,slow:0.02,"
        "html:0.01,malformed:0.01,stale:0.01");
    replay.add_option("--seed", gateway.seed, "Of the faults")->check(kSeed)->capture_default_str();
    replay.add_option("--latency-ms", args.latency_ms, "Added to each answer")->check(CLI::NonNegativeNumber);
    replay.add_option("--slow-ms", args.slow_ms, "Added to the slow ones")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    replay.add_flag("--quiet", args.options.quiet, "No log lines");
}

ReplayOptions finish(Arguments& args) {
    ReplayOptions options = args.options;
    auto plan = parse_fault_plan(args.faults);
    if (plan.has_error()) throw std::runtime_error("--fault: " + plan.error());
    options.gateway.faults = *plan;
    for (auto& key : args.api_keys) options.gateway.access.api_keys.emplace_back(std::move(key));
    options.gateway.latency = std::chrono::milliseconds(args.latency_ms);
    options.gateway.slow = std::chrono::milliseconds(args.slow_ms);
    options.tip.block_time = std::chrono::milliseconds(args.block_time_ms);
    if (args.repeat.blocks > 0) {
        if (args.block_time_ms > 0)
            args.repeat.block_time_nanosec = static_cast<std::uint64_t>(args.block_time_ms) * 1'000'000;
        options.repeat = args.repeat;
    }
    return options;
}

// … into RunOptions.
struct RunArguments {
    RunOptions options;
    std::vector<std::string> api_keys;
    std::string genesis_time = "2026-01-01T00:00:00Z", traffic;
    std::int64_t block_time_ms = 600, longest_wait_ms = 10'000;
    std::uint32_t protocol_version = 86;
    std::vector<std::string> upgrades, splits;
};

void add_listen_options(CLI::App& run, RunArguments& args) {
    auto& options = args.options;
    run.add_option(
           "--listen", options.listen,
           "Regular host. Port 0: a free port. Repeatable: each one is a further host of the same chain, "
           "regular-2, regular-3, …")
        ->expected(1, kMostRegularHosts)
        ->allow_extra_args(false)
        ->option_text("HOST:PORT [127.0.0.1:3030]");
    run.add_option("--archival-listen", options.archival_listen, "Archival host")
        ->option_text("HOST:PORT [127.0.0.1:3031]");
    run.add_option("--control-listen", options.control_listen,
                   "Control API. It has no authentication: anyone who can connect controls the chain")
        ->option_text("HOST:PORT [127.0.0.1:3032]");
}

void add_chain_options(CLI::App& run, RunArguments& args) {
    auto& ledger = args.options.ledger;
    run.add_option("--shards", ledger.shards, "1 to 32")->option_text("N [4]");
    run.add_option("--protocol-version", args.protocol_version,
                   "Protocol version: prices, fees, refunds and data formats of 84, 86, 87, 88 or 157")
        ->option_text("N [86]");
    run.add_option(
           "--upgrade-at", args.upgrades,
           "From the start of this epoch (the first one is 0) the chain has this version (repeatable)")
        ->allow_extra_args(false)
        ->option_text("EPOCH:VERSION");
    run.add_option(
           "--split-at", args.splits,
           "At the start of this epoch (not the first one, 0) the shard of this account is split in two; "
           "the account is the first one of the upper half (repeatable)")
        ->allow_extra_args(false)
        ->option_text("EPOCH:ACCOUNT");
    run.add_option("--block-time-ms", args.block_time_ms,
                   "Time between blocks. 0: blocks are made only by POST /advance of the control API")
        ->check(CLI::Range(0, 3'600'000))
        ->option_text("N [600]");
    run.add_option("--seed", ledger.seed, "Seed of keys, hashes, random choices and traffic")
        ->check(kSeed)
        ->option_text("N [1]");
    run.add_option("--epoch-blocks", ledger.epoch_blocks, "Length of an epoch, in heights")
        ->check(CLI::Range(1, 1'000'000'000))
        ->option_text("N [500]");
    run.add_option("--validity-blocks", ledger.validity_blocks,
                   "Maximum age of a transaction's block_hash, in heights")
        ->check(CLI::Range(1, 1'000'000'000))
        ->option_text("N [86400]");
    run.add_option("--genesis-time", args.genesis_time,
                   "Time of the first block: like the default, nanoseconds since 1970, or now (then each run "
                   "is different)")
        ->option_text("TIME [2026-01-01T00:00:00Z]");
    run.add_option("--missing-chunks", ledger.missing_chunk_probability,
                   "Share of chunks that are missing, to 0.9")
        ->check(CLI::Range(0.0, 0.9))
        ->option_text("SHARE [0]");
    run.add_option("--skipped-heights", ledger.skipped_height_probability,
                   "Share of heights without a block, to 0.9")
        ->check(CLI::Range(0.0, 0.9))
        ->option_text("SHARE [0]");
}

void add_gateway_options(CLI::App& run, RunArguments& args) {
    auto& options = args.options;
    run.add_option("--retention-blocks", options.retention_blocks,
                   "Number of newest blocks that the regular host keeps. 0: all that are kept")
        ->option_text("N [2500]");
    run.add_option("--history-blocks", options.ledger.history_blocks,
                   "Number of newest blocks that anybody keeps, for runs of hours: at least 100 above "
                   "--validity-blocks. 0: all")
        ->check(CLI::Range(0, 1'000'000'000))
        ->option_text("N [0]");
    run.add_option("--api-key", args.api_keys,
                   "A valid key (repeatable). Without this option every key is accepted")
        ->check(kApiKey)
        ->option_text("KEY");
    run.add_flag("--require-key", options.require_key, "Refuse requests without a key (401)");
    run.add_option(
           "--rate-limit", options.rate_limit,
           "Requests per second for each host and key, then 429. All requests without a key share half of it "
           "(0: no limit)")
        ->check(kFinite)
        ->check(CLI::Range(0.0, 1'000'000.0))
        ->option_text("N [0]");
    run.add_option("--longest-wait-ms", args.longest_wait_ms,
                   "How long a request waits for its transaction before TIMEOUT_ERROR")
        ->check(CLI::Range(0, 600'000))
        ->option_text("N [10000]");
    run.add_option("--keys-out", options.keys_out,
                   "Write the keys of the ready-made accounts to this file, as JSON, mode 0600")
        ->option_text("FILE");
    run.add_flag("--quiet", options.quiet, "No log lines");
}

void add_traffic_options(CLI::App& run, RunArguments& args) {
    auto* traffic = run.add_option("--traffic", args.traffic,
                                   "Traffic: mixed, transfers, tokens, failures or storm (default: none)")
                        ->option_text("PROFILE");
    run.add_option("--tps", args.options.tps, "Transactions of the traffic per second of chain time")
        ->check(kFinite)
        ->check(CLI::Range(0.001, 10'000.0))
        ->needs(traffic)
        ->option_text("N [20]");
}

RunOptions finish(RunArguments& args) {
    RunOptions options = args.options;
    options.ledger.protocol = find_protocol(args.protocol_version);
    for (const auto& upgrade : args.upgrades) options.ledger.upgrades.insert(parse_upgrade(upgrade));
    for (const auto& split : args.splits) {
        if (!options.ledger.splits.insert(parse_split(split)).second)
            throw std::invalid_argument("--split-at: one epoch can begin with one split only");
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    options.ledger.genesis_time_nanosec = parse_genesis_time(
        args.genesis_time,
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
    options.block_time = std::chrono::milliseconds(args.block_time_ms);
    options.longest_wait = std::chrono::milliseconds(args.longest_wait_ms);
    for (auto& key : args.api_keys) options.api_keys.emplace_back(std::move(key));
    if (!args.traffic.empty()) options.traffic = args.traffic;
    return options;
}

CLI::App* add_run(CLI::App& app, RunArguments& args) {
    CLI::App* run = app.add_subcommand("run", "Run a small sharded chain with all hosts of the gateway");
    run->footer(
        "Prints `ready`, the URLs of its hosts and of its control API, and the ready-made accounts with "
        "their\n"
        "keys: alice, bob, carol and relayer.sandbox, 10,000 tokens each. Deployed are ft.sandbox,\n"
        "receiver.sandbox, yield.sandbox and script.sandbox. docs/sandbox.md has the rest.");
    add_listen_options(*run, args);
    add_chain_options(*run, args);
    add_gateway_options(*run, args);
    add_traffic_options(*run, args);
    return run;
}

// The answer to a shell that completes, and to `manual` and `completion`, which packaging calls; nullopt: the
// words are of another command.
std::optional<std::string> tell_about(CLI::App& app, int argc, char** argv) {
    namespace cli = receiptd::cli;
    app.name("receiptd-sandbox");
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    if (words.empty()) return std::nullopt;
    if (words[0] == cli::kCompleteWord) return cli::completions(app, {words.begin() + 1, words.end()});
    if (words[0] == "completion" && words.size() == 2)
        return cli::completion_script(words[1], app.get_name());
    if (words[0] != "manual" || words.size() > 1) return std::nullopt;
    cli::Manual manual;
    manual.summary = "a NEAR-like chain on this machine, behind the RPC gateway of a provider";
    manual.version = RECEIPTD_VERSION;
    manual.see_also = {"receiptd(1)"};
    return cli::manual_page(app, manual);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "The NEAR RPC gateway on loopback: prints `ready` and its URLs when it serves; SIGTERM ends it");
    app.set_version_flag("--version", "receiptd-sandbox " RECEIPTD_VERSION);
    app.require_subcommand(1);
    Arguments args;
    CLI::App* replay = app.add_subcommand("replay", "Serve recorded chain data like the gateway");
    add_recording_options(*replay, args);
    add_host_options(*replay, args);
    add_trouble_options(*replay, args);
    RunArguments run_args;
    const CLI::App* run = add_run(app, run_args);
    if (const auto about = tell_about(app, argc, argv)) {
        std::cout << *about;
        return 0;
    }
    CLI11_PARSE(app, argc, argv);
    try {
        if (run->parsed()) return run_sandbox(finish(run_args));
        return run_replay(finish(args));
    } catch (const std::exception& error) {
        std::cerr << "receiptd-sandbox: " << error.what() << '\n';
        return 1;
    }
}

}  // namespace receiptd::sandbox

// receiptd-sandbox: the gateway on loopback, for demos, tests and users' own CI.
#include "sandbox/replay/replay_command.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using receiptd::sandbox::ReplayOptions;

// What CLI11 writes to; turned into ReplayOptions once all is parsed.
struct Arguments {
    ReplayOptions options;
    receiptd::sandbox::Repeat repeat;
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
                      "heights, hashes, ids and times");
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
    replay.add_option("--api-key", args.api_keys, "A valid key (repeatable); none: any key is accepted");
    replay.add_flag("--require-key", gateway.access.require_key, "Refuse requests without a key (401)");
    replay
        .add_option("--rate-limit", gateway.access.requests_per_second,
                    "Requests per second and key, all keyless ones together (429; 0: no limit)")
        ->check(CLI::NonNegativeNumber);
    replay.add_option(
        "--fault", args.faults,
        "Share of requests that fail, e.g. 429:0.01,500:0.01,reset:0.005,truncate:0.005,slow:0.02,"
        "html:0.01,malformed:0.01,stale:0.01");
    replay.add_option("--seed", gateway.seed, "Of the faults")->capture_default_str();
    replay.add_option("--latency-ms", args.latency_ms, "Added to each answer")->check(CLI::NonNegativeNumber);
    replay.add_option("--slow-ms", args.slow_ms, "Added to the slow ones")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    replay.add_flag("--quiet", args.options.quiet, "No log lines");
}

ReplayOptions finish(Arguments& args) {
    ReplayOptions options = args.options;
    auto plan = receiptd::sandbox::parse_fault_plan(args.faults);
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

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "The NEAR RPC gateway on loopback: prints `ready` and its URLs when it serves; SIGTERM ends it");
    app.set_version_flag("--version", "receiptd-sandbox " RECEIPTD_VERSION);
    app.require_subcommand(1);
    Arguments args;
    CLI::App* replay = app.add_subcommand("replay", "Serve recorded chain data as the gateway would");
    add_recording_options(*replay, args);
    add_host_options(*replay, args);
    add_trouble_options(*replay, args);
    CLI11_PARSE(app, argc, argv);
    try {
        return receiptd::sandbox::run_replay(finish(args));
    } catch (const std::exception& error) {
        std::cerr << "receiptd-sandbox: " << error.what() << '\n';
        return 1;
    }
}

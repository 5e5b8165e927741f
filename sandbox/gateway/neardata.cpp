#include "sandbox/gateway/neardata.hpp"

#include "sandbox/gateway/json_text.hpp"

#include <algorithm>

namespace receiptd::sandbox {

namespace {

constexpr Height kHighestHeight = 1'000'000'000'000'000;
constexpr Height kHeldAhead = 10;  // heights above the newest that are waited for
constexpr std::string_view kBlock = "/v0/block/";
constexpr std::string_view kBlockOptimistic = "/v0/block_opt/";

net::ServerReply neardata_reply(int status, std::string body) {
    net::ServerReply reply;
    reply.status = status;
    reply.headers = {{"Content-Type", "application/json"}};
    reply.body = std::move(body);
    return reply;
}

net::ServerReply not_found(const char* type, const char* error) {
    return neardata_reply(404, std::string("{\"error\":\"") + error + "\",\"type\":\"" + type + "\"}");
}

net::ServerReply too_far() { return not_found("BLOCK_DOES_NOT_EXIST", "The block is too far in the future"); }

net::ServerReply redirect(std::string location, const std::string& query) {
    if (!query.empty()) location += "?" + query;
    net::ServerReply reply = neardata_reply(302, "");
    reply.headers.push_back({"Location", std::move(location)});
    return reply;
}

net::ServerReply invalid_argument() { return neardata_reply(400, "\"Invalid argument\""); }

// The rest of the path after "/v0/block/" or "/v0/block_opt/".
std::optional<std::string_view> after_block(std::string_view path) {
    if (path.starts_with(kBlock)) return path.substr(kBlock.size());
    if (path.starts_with(kBlockOptimistic)) return path.substr(kBlockOptimistic.size());
    return std::nullopt;
}

}  // namespace

Neardata::Neardata(const Chain& chain, std::string chain_id, std::string archive_origin)
    : chain_(chain), chain_id_(std::move(chain_id)), archive_origin_(std::move(archive_origin)) {}

Height Neardata::genesis() const {
    if (chain_id_ == "mainnet") return std::min<Height>(9'820'210, chain_.first());
    if (chain_id_ == "testnet") return std::min<Height>(42'376'888, chain_.first());
    return chain_.first();
}

// A recording may have whole blocks for a part of its blocks only; else all are there.
std::optional<Height> Neardata::newest(Height tip, bool optimistic) const {
    const auto final = chain_.whole_tip(tip);
    return optimistic && final == chain_.final_head(tip) ? tip : final;
}

std::optional<Height> Neardata::awaited(std::string_view path, Window window) const {
    const auto rest = after_block(path);
    const auto height = rest ? json_text::number(rest->substr(0, rest->find('/'))) : std::nullopt;
    const auto newest = this->newest(window.tip, path.starts_with(kBlockOptimistic));
    if (!height || !newest || *height <= *newest || *height > *newest + kHeldAhead) return std::nullopt;
    return height;
}

net::ServerReply Neardata::answer(std::string_view path, const std::string& query, Window window,
                                  bool gzip) const {
    const auto final = newest(window.tip, false);
    if (!final) return not_found("BLOCK_DOES_NOT_EXIST", "This replay has no whole blocks");
    const auto optimistic = newest(window.tip, true);
    if (path == "/v0/first_block")
        return redirect(std::string(kBlock) + std::to_string(chain_.first()), query);
    if (path == "/v0/last_block/final") return redirect(std::string(kBlock) + std::to_string(*final), query);
    if (path == "/v0/last_block/optimistic")
        return redirect(std::string(kBlockOptimistic) + std::to_string(*optimistic), query);
    if (const auto rest = after_block(path)) {
        const Window shown{window.floor, path.starts_with(kBlockOptimistic) ? *optimistic : *final};
        // In the archive all blocks are final.
        const std::string archived = archive_origin_ + std::string(kBlock) + std::string(*rest);
        net::ServerReply reply = block(*rest, archived, shown, gzip);
        if (reply.status == 302 && !query.empty()) reply.headers.back().value += "?" + query;
        return reply;
    }
    return neardata_reply(404, "\"Not found\"");
}

net::ServerReply Neardata::block(std::string_view rest, const std::string& location, Window window,
                                 bool gzip) const {
    const auto digits = rest.substr(0, rest.find('/'));
    const auto height = json_text::number(digits);
    if (!height) return invalid_argument();
    if (*height > kHighestHeight) return not_found("BLOCK_HEIGHT_TOO_HIGH", "The block height is too high");
    if (*height < genesis()) return not_found("BLOCK_HEIGHT_TOO_LOW", "The block height is below genesis");
    if (*height > window.tip) return too_far();
    if (*height < window.floor)
        return archive_origin_.empty() ? not_found("BLOCK_DOES_NOT_EXIST", "The block is not kept any more")
                                       : redirect(location, "");
    const auto suffix = rest.substr(digits.size());
    return suffix.empty() ? whole(*height, gzip) : part(*height, suffix);
}

net::ServerReply Neardata::whole(Height height, bool gzip) const {
    net::ServerReply reply = neardata_reply(200, "null");
    if (gzip) reply.shared_body = chain_.whole_block_gzip(height);
    if (reply.shared_body)
        reply.headers.push_back({"Content-Encoding", "gzip"});
    else
        reply.shared_body = chain_.whole_block(height);
    return reply;
}

net::ServerReply Neardata::part(Height height, std::string_view suffix) const {
    const auto whole = chain_.whole_block(height);
    if (!whole) return neardata_reply(200, "null");
    if (suffix == "/headers") return neardata_reply(200, std::string(json_text::require(*whole, "block")));
    const bool chunk_only = suffix.starts_with("/chunk/");
    if (!chunk_only && !suffix.starts_with("/shard/")) return invalid_argument();
    const auto shard_id = json_text::number(suffix.substr(7));
    if (!shard_id) return invalid_argument();
    for (const auto shard : json_text::elements(json_text::require(*whole, "shards"))) {
        if (json_text::number(json_text::require(shard, "shard_id")) != shard_id) continue;
        return neardata_reply(200, std::string(chunk_only ? json_text::require(shard, "chunk") : shard));
    }
    return neardata_reply(200, "null");
}

}  // namespace receiptd::sandbox

#include "rpc/header_check.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"
#include "chain/proof/header_hash.hpp"
#include "chain/proof/outcomes_root.hpp"
#include "metrics/registry.hpp"
#include "rpc/block_contents.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace receiptd::rpc {
namespace {

using chain::HeaderHash;

std::string named(const chain::BlockHeader& header) {
    return "block " + std::to_string(header.height) + " (" + std::string(header.hash) + ")";
}

std::string in_words(const std::string& hash, const std::string& stored_part,
                     const std::vector<Witness>& others) {
    std::string words;
    for (const auto& other : others) {
        words += (words.empty() ? "" : ", ") + other.host + ": ";
        if (other.word == Witness::Word::has && other.block->hash != hash)
            words += "another block";
        else if (other.word == Witness::Word::has)
            words += other.stored_part == stored_part ? "the same header" : "another header";
        else
            words += other.word == Witness::Word::denies ? "no block" : "no answer";
    }
    return words;
}

// The roots of its chunks are proven only where the header from which the hash follows has the same.
void take_proof(chain::BlockHeader& header, const std::string& stored_part,
                const std::vector<Witness>& others) {
    header.hash_is = HeaderHash::equal;
    const auto roots = chain::chunk_roots(header);
    const auto proves = [&](const Witness& other) {
        return other.hash_is == HeaderHash::equal && other.stored_part == stored_part &&
               other.chunk_roots == roots;
    };
    if (std::none_of(others.begin(), others.end(), proves)) header.chunk_headers_root = {};
}

}  // namespace

HeaderWord judge_header(const std::string& stored_part, const std::vector<Witness>& others) {
    bool is_proven = false;
    bool is_shown = false;
    bool is_denied = false;
    bool is_open = false;
    std::map<std::string, unsigned> shown;  // other headers
    for (const auto& other : others) {
        is_open = is_open || other.word != Witness::Word::unable;
        if (other.word != Witness::Word::has) continue;
        const bool same = other.stored_part == stored_part;
        const bool follows = other.hash_is == HeaderHash::equal;
        is_shown = is_shown || same;
        is_proven = is_proven || (same && follows);
        is_denied = is_denied || (!same && follows);
        if (!same) ++shown[other.stored_part];
    }
    if (is_proven) return HeaderWord::proven;
    if (is_denied) return HeaderWord::false_;
    if (is_shown) return HeaderWord::alike;
    const auto by_two = [](const auto& header) { return header.second > 1; };
    if (std::any_of(shown.begin(), shown.end(), by_two)) return HeaderWord::false_;
    return is_open ? HeaderWord::unclear : HeaderWord::alone;
}

base::Task<std::optional<Unavailable>> HeaderCheck::refusal(chain::Block& block, std::string host) {
    auto refused = co_await refusal(block.header, std::move(host));
    if (!refused && !block.covers_chunks) block.covers_chunks = chain::covers_chunks(block);
    co_return refused;
}

base::Task<std::optional<Unavailable>> HeaderCheck::refusal(chain::BlockHeader& header, std::string host) {
    if (header.hash_is == HeaderHash::equal || !header.on_trust.empty()) co_return std::nullopt;
    const std::string hash(header.hash);
    const auto stored_part = chain::stored_part(header).to_string();
    const auto others = co_await hosts_.ask(header.height, host);
    const auto word = judge_header(stored_part, others);
    count(word);
    switch (word) {
        case HeaderWord::proven: take_proof(header, stored_part, others); co_return std::nullopt;
        case HeaderWord::alike:
        case HeaderWord::alone:
            header.on_trust = header.hash_is == HeaderHash::different ? chain::trust::kHashDifferent
                                                                      : chain::trust::kHashUnknown;
            co_return std::nullopt;
        case HeaderWord::false_:
            hosts_.doubt(host);
            co_return Unavailable{kFalseHeader, host + " shows a false header of " + named(header)};
        case HeaderWord::unclear: break;
    }
    co_return Unavailable{
        kHeaderNotConfirmed,
        "the hash of " + named(header) + " does not follow from the header that " + host +
            " shows, and no other host confirms it: " + in_words(hash, stored_part, others)};
}

base::Task<FetchResult> checked_contents(std::shared_ptr<HeaderCheck> headers, std::string host,
                                         chain::Decoded<chain::WholeBlock> whole) {
    if (headers) {
        auto refusal = co_await headers->refusal(whole.value.block, host);
        if (refusal) co_return std::move(*refusal);
    }
    co_return std::make_unique<WholeBlockContents>(std::move(host), std::move(whole));
}

void HeaderCheck::count(HeaderWord word) {
    if (series_ == nullptr) return;
    auto& words = series_->header_words;
    switch (word) {
        case HeaderWord::proven: words.proven.Increment(); break;
        case HeaderWord::alike: words.alike.Increment(); break;
        case HeaderWord::alone: words.alone.Increment(); break;
        case HeaderWord::false_: words.false_.Increment(); break;
        case HeaderWord::unclear: words.unclear.Increment(); break;
    }
}

}  // namespace receiptd::rpc

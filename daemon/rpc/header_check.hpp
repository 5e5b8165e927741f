// A block's hash commits its host to the header, if it follows from what the host shows. Where it does not
// (a field is missing or changed, or the protocol is newer than this program), a second host must show the
// same header. Where there is none, or all show it alike (a replay, a private chain), it is taken.
#pragma once

#include "metrics/rpc_series.hpp"
#include "rpc/source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::rpc {

enum class HeaderWord {
    proven,   // another host shows it in a form from which the hash follows
    alike,    // another host shows the same
    alone,    // no other host can tell
    false_,   // another host shows another one, from which its hash follows, or two show another one alike
    unclear,  // no other host shows it, and one may come to know it
};
// `others`: the word of all other hosts about the block at this height. Pure.
HeaderWord judge_header(const std::string& stored_part, const std::vector<Witness>& others);

inline constexpr const char* kFalseHeader = "FALSE_HEADER";
inline constexpr const char* kHeaderNotConfirmed = "HEADER_NOT_CONFIRMED";
inline bool is_about_header(const Unavailable& fault) {
    return fault.reason == kFalseHeader || fault.reason == kHeaderNotConfirmed;
}

class HeaderCheck {
public:
    // `hosts` outlives it; `series` may be null.
    HeaderCheck(Witnesses& hosts, metrics::RpcSeries* series) : hosts_(hosts), series_(series) {}

    // Why the header that `host` shows is not taken; nullopt: it is. Its `hash_is` becomes equal where
    // another host proves it, its `on_trust` is set where nothing does. A host that shows a false header is
    // doubted. Asks nothing where the hash follows, nor a second time.
    base::Task<std::optional<Unavailable>> refusal(chain::BlockHeader& header, std::string host);
    // The same; then the block `covers_chunks` where a header that is proven does.
    base::Task<std::optional<Unavailable>> refusal(chain::Block& block, std::string host);

private:
    void count(HeaderWord word);

    Witnesses& hosts_;
    metrics::RpcSeries* series_;
};

// The contents of a whole block that `host` shows, or the refusal. `headers`: null takes each header as it is
// told.
base::Task<FetchResult> checked_contents(std::shared_ptr<HeaderCheck> headers, std::string host,
                                         chain::Decoded<chain::WholeBlock> whole);

}  // namespace receiptd::rpc

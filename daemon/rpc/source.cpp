#include "rpc/source.hpp"

#include "base/coroutine.hpp"

namespace receiptd::rpc {

std::vector<chain::Receipt> TreeSource::Tree::others() const {
    std::vector<chain::Receipt> all;
    for (const auto& extra : extra_receipts) all.push_back(extra.receipt);
    return all;
}

base::asio::thread_pool& TreeSource::Tree::cpu(base::asio::thread_pool& of_small) const {
    return net::cpu_of(room, of_small);
}

const BlockContents* contents_of(const FetchResult& result) {
    const auto* contents = std::get_if<std::unique_ptr<BlockContents>>(&result);
    return contents != nullptr ? contents->get() : nullptr;
}

bool is_whole(const FetchResult& result) {
    const auto* contents = contents_of(result);
    return contents != nullptr && contents->tells_outcomes();
}

base::Task<void> BlockSource::run() { co_return; }

base::Task<FetchResult> BlockSource::fetch_elsewhere(chain::BlockHeight, Priority, bool) {
    co_return NoSuchHeight{"no other hosts are asked for blocks"};
}

}  // namespace receiptd::rpc

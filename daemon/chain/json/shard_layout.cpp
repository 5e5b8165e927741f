#include "chain/json/shard_layout.hpp"

#include <algorithm>

namespace receiptd::chain {

ShardId ShardLayout::shard_of(std::string_view account_id) const {
    const auto above = std::upper_bound(boundary_accounts.begin(), boundary_accounts.end(), account_id);
    return shard_ids.at(static_cast<std::size_t>(above - boundary_accounts.begin()));
}

}  // namespace receiptd::chain

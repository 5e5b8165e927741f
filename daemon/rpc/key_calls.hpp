// Asks for an access key's nonce in the newest final block (rpc.md §6). "Does not exist" is an answer, too.
#pragma once

#include "rpc/decoded_call.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace receiptd::rpc {

struct LookedKey {
    std::optional<std::uint64_t> nonce;  // nullopt: the account, or the key, does not exist there
    bool has_no_account = false;
    chain::BlockHeight at = 0;  // the block that the host looked at; 0: it names none
};
using KeyAnswer = Answer<LookedKey>;

// A Call of ask_access_key(); with a nonce index one of ask_gas_key_nonces(): a gas key has several nonces.
// The nonce of an index that the key does not have is 0.
base::Task<base::Result<KeyAnswer, CallError>> call_key(Router& router, base::asio::thread_pool& pool,
                                                        Call call, std::optional<std::uint16_t> nonce_index);

}  // namespace receiptd::rpc

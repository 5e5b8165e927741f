// Whatever decodes must encode to the very same bytes; nothing may crash.
#include "chain/wire/delegate.hpp"
#include "chain/wire/transaction.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace receiptd::chain;

void require(bool holds) {
    if (!holds) std::abort();
}

template <class Decoded>
void require_same_bytes(const Decoded& decoded, ByteView input) {
    if (!decoded.has_value()) {
        require(!decoded.error().to_string().empty() && decoded.error().offset <= input.size());
        return;
    }
    const Bytes encoded = wire::encode(*decoded);
    require(std::equal(encoded.begin(), encoded.end(), input.begin(), input.end()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView input(data, size);
    const auto transaction = wire::decode_signed_transaction(input);
    require_same_bytes(transaction, input);
    if (transaction.has_value()) {
        wire::check_signature(*transaction);
        const bool refused = !wire::decode_signed_transaction(input, wire::UnknownPolicy::refuse).has_value();
        require(refused == wire::has_unknown_actions(transaction->transaction));
    }
    require_same_bytes(wire::decode_transaction(input), input);
    require_same_bytes(wire::decode_signed_delegate(input), input);
    require_same_bytes(wire::decode_signed_delegate_v2(input), input);
    return 0;
}

// A receipt that a chunk lists and that touches a followed account (source rpc): to which transaction it
// belongs is not said there.
#pragma once

#include "chain/json/model.hpp"

#include <cstdint>
#include <string>

namespace receiptd::chain {

struct ListedReceipt {
    std::string receipt_id;
    std::string receiver_id;
    std::string signer_id;   // of its transaction; "system" for the refund of a deposit
    BlockHeight height = 0;  // where it is listed
    std::uint64_t timestamp_nanosec = 0;
};

}  // namespace receiptd::chain

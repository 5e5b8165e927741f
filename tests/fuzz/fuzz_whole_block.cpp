#include "fuzz/visit_model.hpp"

using receiptd::chain::decode_whole_block;
using receiptd::fuzz::body;
using receiptd::fuzz::visit_result;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    visit_result(decode_whole_block(body(data, size), receiptd::chain::Parts::readable));
    return 0;
}

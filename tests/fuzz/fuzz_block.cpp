#include "fuzz/visit_model.hpp"

using receiptd::chain::decode_block;
using receiptd::chain::decode_block_answer;
using receiptd::fuzz::body;
using receiptd::fuzz::visit_result;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    visit_result(decode_block(body(data, size)));
    visit_result(decode_block_answer(body(data, size)));
    return 0;
}

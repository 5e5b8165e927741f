#include "chain/proof/header_hash.hpp"
#include "fuzz/visit_model.hpp"

using receiptd::chain::decode_block;
using receiptd::chain::decode_block_answer;
using receiptd::chain::header_hash;
using receiptd::fuzz::body;
using receiptd::fuzz::visit_result;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto block = decode_block(body(data, size), receiptd::chain::Parts::readable);
    visit_result(block);
    if (block) header_hash(*block->document, block->value.header);
    visit_result(decode_block_answer(body(data, size)));
    return 0;
}

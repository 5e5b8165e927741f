#include "fuzz/visit_model.hpp"

using receiptd::chain::decode_chunk;
using receiptd::chain::decode_chunk_answer;
using receiptd::chain::decode_receipt;
using receiptd::fuzz::body;
using receiptd::fuzz::visit_result;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    visit_result(decode_chunk(body(data, size)));
    visit_result(decode_chunk_answer(body(data, size), receiptd::chain::Parts::readable));
    visit_result(decode_receipt(body(data, size)));
    return 0;
}

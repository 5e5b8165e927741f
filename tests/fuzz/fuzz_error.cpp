// Envelopes, error objects and results of `query`, which may come from any gateway.
#include "fuzz/visit_model.hpp"

namespace {

using receiptd::fuzz::require;

template <class Result>
void require_reason(const Result& result) {
    require(result.has_value() || !result.error().to_string().empty(), "an error has a reason");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = receiptd::fuzz::body(data, size);
    const auto envelope = receiptd::chain::read_envelope(text);
    require_reason(envelope);
    if (envelope) {
        receiptd::fuzz::visit_json(envelope->error.data_json);
        receiptd::fuzz::visit_json(envelope->error.info_json);
    }
    require_reason(receiptd::chain::decode_view_access_key(text));
    require_reason(receiptd::chain::decode_view_access_key_list(text));
    require_reason(receiptd::chain::decode_call_function(text));
    return 0;
}

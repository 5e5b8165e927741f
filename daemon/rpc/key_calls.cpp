#include "rpc/key_calls.hpp"

#include "base/coroutine.hpp"
#include "rpc/result_json.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

// Soft errors (rpc.md §6.1) and those of old nodes come as text.
constexpr std::string_view kMissing = "does not exist while viewing";

base::Result<LookedKey, std::string> read_key(const std::string& body) {
    const auto view = chain::decode_view_access_key(body);
    if (!view) return refuse<LookedKey>(view.error());
    return LookedKey{view->nonce, false, view->block_height};
}

base::Result<LookedKey, std::string> read_gas_key(const std::string& body, std::size_t index) {
    const auto result = result_json(body);
    const auto nonces = result.is_object() ? result.value("nonces", nlohmann::json()) : nlohmann::json();
    const auto height =
        result.is_object() ? result.value("block_height", nlohmann::json()) : nlohmann::json();
    if (!nonces.is_array() || !height.is_number_unsigned())
        return refuse<LookedKey>(std::string("nonces, block_height: not there"));
    LookedKey key{0, false, height.get<chain::BlockHeight>()};
    if (index >= nonces.size()) return key;
    if (!nonces[index].is_number_unsigned()) return refuse<LookedKey>(std::string("nonces: not numbers"));
    key.nonce = nonces[index].get<std::uint64_t>();
    return key;
}

bool says_no_account(const CallError& error) { return error.reason == "UNKNOWN_ACCOUNT"; }

bool says_no_key(const CallError& error) {
    if (error.reason == "UNKNOWN_ACCESS_KEY" || error.reason == "UNKNOWN_GAS_KEY" || says_no_account(error))
        return true;
    return error.reason == "query_error" && error.detail.find(kMissing) != std::string::npos;
}

// The word of the host that said that it does not exist.
KeyAnswer absent(const Router& router, const CallError& error) {
    KeyAnswer answer;
    answer.value = {std::nullopt, says_no_account(error), error.looked_at};
    answer.host = router.find(error.host).value_or(0);
    return answer;
}

}  // namespace

base::Task<base::Result<KeyAnswer, CallError>> call_key(Router& router, base::asio::thread_pool& pool,
                                                        Call call, std::optional<std::uint16_t> nonce_index) {
    Decoder<LookedKey> decode = read_key;
    if (nonce_index)
        decode = [index = *nonce_index](const std::string& body) { return read_gas_key(body, index); };
    auto answer = co_await decoded_call<LookedKey>(router, pool, std::move(call), std::move(decode));
    if (!answer && says_no_key(answer.error())) co_return absent(router, answer.error());
    co_return answer;
}

}  // namespace receiptd::rpc

#include "sandbox/contracts/yield.hpp"

#include "sandbox/contracts/json_args.hpp"
#include "sandbox/contracts/method_table.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace receiptd::sandbox {

using namespace contracts;

namespace {

constexpr Gas kYieldGas = sim::kTera;
constexpr Gas kCallbackGas = 10 * sim::kTera;
constexpr std::size_t kMaxYieldPayload = 1024;  // of nearcore
constexpr const char* kCountKey = "count";

// Holds "NUMBER DATA_ID": the number tells a request from a later one with the same id.
std::string record_key(const std::string& id) { return "request/" + id; }

std::string next_number(Host& host) {
    const auto count = base::parse_u128(host.storage_read(kCountKey).value_or("0")).value_or(0);
    std::string number = base::to_string(count + 1);
    host.storage_write(kCountKey, number);
    return number;
}

void request(Host& host) {
    host.use_gas(kYieldGas);
    const Args args(host);
    const std::string id = args.text("id");
    const Json* payload = args.optional_value("payload");
    const bool panic_on_timeout = args.optional_bool("panic_on_timeout").value_or(false);
    const std::string number = next_number(host);
    OrderedJson callback{{"id", id}, {"number", number}, {"panic_on_timeout", panic_on_timeout}};
    if (payload != nullptr) callback["payload"] = OrderedJson::parse(payload->dump());
    const auto yield = host.promise_yield_create("on_resume", json_bytes(callback), kCallbackGas, 0);
    host.storage_write(record_key(id), number + " " + yield.data_id.to_string());
    host.promise_return(yield.promise);
}

void respond(Host& host) {
    host.use_gas(kYieldGas);
    const Args args(host);
    const std::string id = args.text("id");
    const Json& value = args.value("value");
    const auto record = host.storage_read(record_key(id));
    if (!record) host.panic("No request with the id " + Json(id).dump() + " waits");
    const auto data_id = sim::CryptoHash::parse(record->substr(record->find(' ') + 1));
    if (!data_id) host.panic("Cannot deserialize the record of the request");
    Bytes payload = json_bytes(value);
    if (payload.size() > kMaxYieldPayload) {
        host.panic("The value is " + std::to_string(payload.size()) + " bytes of JSON, " +
                   std::to_string(kMaxYieldPayload) + " are the most");
    }
    const bool woken = host.promise_yield_resume(*data_id, std::move(payload));
    host.storage_remove(record_key(id));
    return_json(host, woken);
}

// The record is there if nobody answered, or of a later request with the same id.
void forget(Host& host, const std::string& id, const std::string& number) {
    const auto record = host.storage_read(record_key(id));
    if (record && record->substr(0, record->find(' ')) == number) host.storage_remove(record_key(id));
}

void on_resume(Host& host) {
    host.use_gas(kYieldGas);
    assert_private(host, "on_resume");
    assert_no_deposit(host, "on_resume");
    const Args args(host);
    const std::string id = args.text("id");
    if (host.promise_results_count() != 1) host.panic("Contract expected a result on the callback");
    if (const Json* payload = args.optional_value("payload")) host.log("payload: " + payload->dump());
    const sim::PromiseResult& result = host.promise_result(0);
    if (result) return host.return_value(*result);
    forget(host, id, args.text("number"));
    if (args.optional_bool("panic_on_timeout").value_or(false)) host.panic("timeout");
    return_json(host, "timeout");
}

void is_waiting(Host& host) {
    host.use_gas(kYieldGas / 2);
    return_json(host, host.storage_read(record_key(Args(host).text("id"))).has_value());
}

constexpr std::array<Method, 4> kYieldMethods{{
    {"request", request},
    {"respond", respond},
    {"on_resume", on_resume},
    {"is_waiting", is_waiting},
}};

}  // namespace

bool YieldContract::call(std::string_view method_name, sim::Host& host) const {
    return call_method(kYieldMethods, method_name, host);
}

}  // namespace receiptd::sandbox

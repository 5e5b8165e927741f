// Answers as hosts give them: "STATUS RETRY-AFTER", a line's end, the body. Each falls in one class, with a
// reason that is short and a text that people can read.
#include "fuzz/visit_model.hpp"
#include "rpc/received.hpp"
#include "rpc/result_json.hpp"

#include <charconv>

namespace {

namespace rpc = receiptd::rpc;
using receiptd::fuzz::require;

constexpr std::size_t kLongestText = 1'000;

void require_sound(const rpc::Verdict& verdict) {
    require(std::string_view(rpc::to_string(verdict.error_class)).size() > 0, "a class has a name");
    require(verdict.error_class == rpc::ErrorClass::ok || !verdict.reason.empty(), "a fault has a reason");
    require(verdict.text.size() <= kLongestText, "a text is cut short", verdict.text);
    if (verdict.retry_after)
        require(
            *verdict.retry_after >= std::chrono::seconds(0) && *verdict.retry_after <= std::chrono::hours(1),
            "a wait that is bounded");
    receiptd::fuzz::visit_json(verdict.invalid_transaction_json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto line = input.substr(0, input.find('\n'));
    const auto body = line.size() < size ? line.size() + 1 : size;
    rpc::Received received;
    auto& response = received.response;
    response.status = 200;
    const auto* status_end = std::from_chars(line.data(), line.data() + line.size(), response.status).ptr;
    response.headers.push_back({"Retry-After", std::string(status_end, line.data() + line.size())});
    response.body = receiptd::fuzz::body(data + body, size - body);
    received.height = 100;
    received.known_head = 200;
    received.at = receiptd::base::WallTime(std::chrono::hours(24 * 365 * 55));
    for (const char* method : {"block", "chunk", "EXPERIMENTAL_tx_status", "send_tx", "query"}) {
        received.method = method;
        require_sound(rpc::judge(received));
    }
    received.has_envelope = false;
    received.classifier = rpc::classify_neardata;
    require_sound(rpc::judge(received));
    rpc::result_json(response.body).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return 0;
}

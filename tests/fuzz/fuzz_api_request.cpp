// "METHOD TARGET", a line's end, the body: any request has an answer that can be sent, and none is the
// daemon's fault.
#include "fuzz/visit_model.hpp"
#include "net/reply_text.hpp"
#include "net/server_request.hpp"
#include "unit/api/fakes.hpp"

namespace {

using receiptd::fuzz::require;

class FuzzedApi final : public receiptd::api::testing::ApiTest {
public:
    FuzzedApi() { SetUp(); }

    receiptd::net::ServerReply answer(receiptd::net::ServerRequest request) {
        watches_.rows.clear();
        storage_row();
        request.headers.push_back({"Authorization", "Bearer " + receiptd::api::testing::kToken});
        request.headers.push_back(
            {"Content-Type", request.path == "/v1/rules/check" ? "application/toml" : "application/json"});
        return receiptd::net::testing::run_on(io_, api().handler()(std::move(request)));
    }

private:
    void TestBody() override {}
    void storage_row() {
        receiptd::storage::Watch watch;
        watch.tx_hash = receiptd::api::testing::kHash;
        watch.sender_id = "alice.near";
        watches_.rows.emplace(watch.tx_hash, watch);
    }
};

bool is_json(const receiptd::net::ServerReply& reply) {
    for (const auto& header : reply.headers)
        if (header.name == "Content-Type") return header.value.find("json") != std::string::npos;
    return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static auto* api = new FuzzedApi();
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto line = input.substr(0, input.find('\n'));
    const auto blank = std::min(line.find(' '), line.size());
    receiptd::net::ServerRequest request;
    request.method = line.substr(0, blank);
    if (!receiptd::net::read_target(line.substr(std::min(blank + 1, line.size())), request)) return 0;
    request.body = input.substr(std::min(line.size() + 1, size));
    const auto reply = api->answer(std::move(request));
    require(receiptd::net::is_sound(reply), "an answer that can be sent", reply.body);
    require(reply.status != 500, "nothing unforeseen", input);
    if (is_json(reply)) require(nlohmann::json::accept(reply.body), "JSON", reply.body);
    return 0;
}

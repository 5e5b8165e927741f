#include "sandbox/gateway/told_answer.hpp"

#include "chain/wire/hash.hpp"

#include <array>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

constexpr std::string_view kResult = "\"result\":";

// A true answer on its way to become another one.
struct Telling {
    const std::string& method;  // or the path of a page
    const json& params;
    json result;

    bool is(std::string_view name) const { return method == name; }
    bool is_config() const { return method.find("_config") != std::string::npos; }
};

std::string other_genesis() { return chain::sha256(chain::bytes_of("another genesis")).to_string(); }

// Each says whether it has told the lie.
bool tell_network(const Lie& lie, Telling& telling) {
    json& result = telling.result;
    const bool is_status = telling.is("status") || telling.is("/status");
    if (!is_status && !telling.is_config()) return false;
    if (lie.has("chain_id")) result["chain_id"] = lie.text("chain_id");
    const bool own_blocks = lie.members["blocks"] == true;  // then the genesis block has another hash already
    if (lie.has("genesis_hash"))
        result["genesis_hash"] = lie.text("genesis_hash");
    else if (is_status && !own_blocks)
        result["genesis_hash"] = other_genesis();
    return true;
}

struct Retelling {
    std::string_view lie;
    bool (*tell)(const Lie& lie, Telling& telling);
};
constexpr std::array kRetellings{
    Retelling{"network", tell_network},
};

void retell(Lies& lies, Telling& telling) {
    for (Lie& lie : lies.all()) {
        for (const auto& [name, tell] : kRetellings) {
            if (lie.name == name && tell(lie, telling)) lie.told = true;
        }
    }
}

}  // namespace

void retell(Lies& lies, const RpcRequest& call, RpcAnswer& answer) {
    if (lies.all().empty() || answer.is_error()) return;
    Telling telling{call.method, call.params, json::parse(answer.member.substr(kResult.size()))};
    retell(lies, telling);
    answer.member = std::string(kResult) + telling.result.dump();
}

void retell_page(Lies& lies, const std::string& path, net::ServerReply& page) {
    const bool read = page.status == 200 && (path == "/status" || path.starts_with("/v0/"));
    if (lies.all().empty() || !read) return;
    const json none;
    Telling telling{path, none, json::parse(page.shared_body ? *page.shared_body : page.body)};
    retell(lies, telling);
    page.shared_body.reset();
    page.body = telling.result.dump();
}

}  // namespace receiptd::sandbox

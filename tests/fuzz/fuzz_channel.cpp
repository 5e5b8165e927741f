// Text of the chain on its way to a service, and what the service answers. The input is a byte that chooses
// the kind of the service, its answer, a zero byte, and a text of the chain.
#include "channel/channel.hpp"
#include "channel/mail.hpp"
#include "fuzz/visit_model.hpp"

#include <strings.h>

#include <cstring>

namespace {

using namespace receiptd;
using fuzz::require;

std::string alert_about(const std::string& text) {
    const nlohmann::json body = {{"type", "finding.failed_receipt"},
                                 {"timestamp", "2026-03-01T12:00:00.123456Z"},
                                 {"schema_version", 1},
                                 {"network", "mainnet"},
                                 {"data",
                                  {{"summary", text},
                                   {"tx_hash", "F8X"},
                                   {"failing_branch", {text, "callback app.near: failed"}},
                                   {"contract_id", "app.near"},
                                   {"method_name", text},
                                   {"error_class", "contract_panic"},
                                   {"error_text", text},
                                   {"block_height", 103}}},
                                 {"rules", {"on-call@2"}}};
    return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

channel::Settings settings_of(channel::Kind kind) {
    channel::Settings settings;
    settings.kind = kind;
    settings.routing_key = base::Secret("0123456789abcdef0123456789abcdef");
    settings.token = base::Secret("12:ab");
    settings.chat_id = "-1";
    settings.from = "receiptd@example.org";
    settings.to = {"ops@example.org"};
    return settings;
}

// Each line is of ASCII and ends with CR LF, and no header stands there that is not ours.
void check_mail(const std::string& mail) {
    bool in_head = true;
    for (std::size_t from = 0; from < mail.size();) {
        const auto end = mail.find("\r\n", from);
        require(end != std::string::npos, "a line ends with CR LF", mail);
        const auto line = std::string_view(mail).substr(from, end - from);
        for (const char c : line) require((c >= 0x20 && c < 0x7f) || c == '\t', "printable ASCII", mail);
        in_head = in_head && !line.empty();
        for (const char* name : {"bcc:", "cc:", "reply-to:"})
            if (in_head && line.size() >= std::strlen(name))
                require(strncasecmp(line.data(), name, std::strlen(name)) != 0, "no header of others", mail);
        from = end + 2;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using channel::Kind;
    if (size == 0) return 0;
    const auto kind = static_cast<Kind>(data[0] % std::size(channel::kKindNames));
    const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto cut = std::min(input.find('\0'), input.size());
    const auto alert = alert_about(input.substr(std::min(cut + 1, input.size())));
    if (kind == Kind::email) {
        check_mail(channel::mail(settings_of(kind), "id-1", alert, {}));
        return 0;
    }
    const auto body = channel::body(settings_of(kind), "id-1", alert);
    require(nlohmann::json::accept(body), "what is posted is JSON", body);
    const auto answer = input.substr(0, cut);
    if (const auto wait = channel::asked_wait(kind, answer))
        require(*wait >= wait->zero() && *wait <= std::chrono::hours(24 * 366), "a wait that is bounded",
                answer);
    return 0;
}

#include "storm/group.hpp"

#include "base/json_text.hpp"

#include <algorithm>
#include <array>

namespace receiptd::storm {

namespace {

using namespace std::chrono_literals;

// Multiples of `digest_after`: with one minute these are 1, 5, 15 and 60 minutes.
constexpr std::array<int, 4> kWaits = {1, 5, 15, 60};
// While the condition of a group lasts, nothing tells when it ends.
constexpr auto kLookAgain = 10s;

base::WallTime next_digest_at(const Group& group, const Settings& settings) {
    const auto nth = std::min<std::size_t>(group.digests, kWaits.size() - 1);
    return group.told_at + settings.digest_after * (settings.repeats ? 1 : kWaits[nth]);
}

bool is_account_invented(const About& about) { return about.error_class == "account_missing"; }

bool is_method_invented(const About& about) {
    return is_account_invented(about) || about.error_class == "code_missing" ||
           about.error_class == "method_not_found";
}

}  // namespace

std::string rules_key(const About& about) {
    std::string names;
    for (const auto& rule : about.rules) {
        names += names.empty() ? "" : ",";
        base::append_quoted(names, rule);
    }
    return "[" + names + "]";
}

Step next_step(const Group& group, const Settings& settings, base::WallTime now, Condition condition) {
    const auto ends_at = group.last_member_at + settings.resolve_after;
    const bool is_over = condition == Condition::none ? now >= ends_at : condition == Condition::over;
    if (is_over) return {Act::resolve, now};
    const bool has_news = settings.repeats || group.members > group.told;
    const auto digest_at = next_digest_at(group, settings);
    if (has_news && now >= digest_at) return {Act::digest, now};
    const auto end = condition == Condition::none ? ends_at : now + kLookAgain;
    return {Act::wait, has_news ? std::min(digest_at, end) : end};
}

bool is_end_told(const Group& group, const Settings& settings, Condition condition) {
    return group.members > 1 || settings.keeps_open || settings.repeats || condition != Condition::none;
}

bool tells_condition(std::string_view kind) {
    return kind == "stuck" || kind == "absence" || kind == "latency";
}

// A quote within a text is escaped: no text can look like this.
bool has_condition(std::string_view key) { return key.starts_with(R"({"kind":)"); }

std::string group_key(const About& about, const std::vector<KeyPart>& parts, std::string_view alert_id) {
    base::JsonObject key;
    if (tells_condition(about.kind)) key.text("kind", about.kind);
    if (parts.empty()) key.text("alert_id", alert_id);
    for (const auto part : parts) switch (part) {
            case KeyPart::rule: key.json("rules", rules_key(about)); break;
            case KeyPart::receiver:
                if (!is_account_invented(about)) key.text("contract_id", about.contract_id);
                break;
            case KeyPart::method:
                if (!is_method_invented(about)) key.text("method_name", about.method_name);
                break;
            case KeyPart::error_class: key.text("error_class", about.error_class); break;
        }
    return key.to_json();
}

std::string rest_key(const About& about) {
    base::JsonObject key;
    if (tells_condition(about.kind)) key.text("kind", about.kind);
    return key.json("rules", rules_key(about)).to_json();
}

}  // namespace receiptd::storm

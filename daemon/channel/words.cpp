#include "channel/words.hpp"

#include "base/exact_json.hpp"
#include "base/line.hpp"

#include <kainjow/mustache.hpp>

#include <stdexcept>

namespace receiptd::channel {

namespace {

namespace mustache = kainjow::mustache;
using Data = mustache::data;

constexpr std::size_t kLongestTemplate = 8'192;

// Empty texts and null count as not there.
Data data_of(const Json& json) {
    if (json.is_object()) {
        Data data(Data::type::object);
        for (const auto& [name, value] : json.items()) data[name] = data_of(value);
        return data;
    }
    if (json.is_array()) {
        mustache::list items;
        for (const auto& each : json) items.push_back(data_of(each));
        return Data(items);
    }
    if (json.is_null()) return Data(false);
    if (json.is_boolean()) return Data(json.get<bool>());
    if (!json.is_string()) return Data(base::write_json(json));
    const auto& text = json.get_ref<const std::string&>();
    return text.empty() ? Data(false) : Data(text);
}

std::string filled(const std::string& text, const Data& values) {
    mustache::mustache made(text);
    made.set_custom_escape([](const std::string& value) { return value; });
    auto out = made.render(values);
    if (!made.is_valid()) throw std::logic_error("a template: " + made.error_message());
    while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
    return out;
}

std::string or_default(const std::string& given, const char* otherwise) {
    return given.empty() ? otherwise : given;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\n") == std::string::npos; }

}  // namespace

const char* const kDefaultTitle = "{{summary}}";
const char* const kDefaultText =
    "{{#stage}}stage: {{stage}}\n{{/stage}}"
    "{{#verdict}}verdict: {{verdict}}\n{{/verdict}}"
    "{{#contract_id}}contract: {{contract_id}}\n{{/contract_id}}"
    "{{#method_name}}method: {{method_name}}\n{{/method_name}}"
    "{{#error_class}}error: {{error_class}}\n{{/error_class}}"
    "{{#user_id}}user: {{user_id}}\n{{/user_id}}"
    "{{#amount}}amount: {{amount}} of {{token}}\n{{/amount}}"
    "{{#public_key}}key: {{public_key}}\n{{/public_key}}"
    "{{#tx_hash}}transaction: {{tx_hash}}\n{{/tx_hash}}"
    "{{#block_height}}block: {{block_height}}\n{{/block_height}}"
    "{{#count}}alerts: {{count}}\n{{/count}}"
    "{{#first_at}}first: {{first_at}}\n{{/first_at}}"
    "{{#last_at}}last: {{last_at}}\n{{/last_at}}"
    "{{#network}}network: {{network}}\n{{/network}}"
    "{{#timestamp}}time: {{timestamp}}\n{{/timestamp}}"
    "{{#late}}late: the cause is some time ago\n{{/late}}"
    "{{#rules}}rule: {{.}}\n{{/rules}}"
    "{{#failing_branch}}{{.}}\n{{/failing_branch}}"
    "{{#alert_ids}}{{.}}\n{{/alert_ids}}"
    "{{#data}}data: {{data}}\n{{/data}}"
    "{{#error_text}}{{error_text}}\n{{/error_text}}"
    "{{#told}}{{told}}\n{{/told}}";

std::optional<std::string> template_fault(const std::string& text) {
    if (text.size() > kLongestTemplate)
        return "must not be longer than " + std::to_string(kLongestTemplate) + " bytes";
    for (auto at = text.find("{{"); at != std::string::npos; at = text.find("{{", at + 2)) {
        const auto kind = text.find_first_not_of(" \t\n", at + 2);
        // A value would be read as a template: what a contract writes must not be one.
        if (kind != std::string::npos && text[kind] == '>') return "must not include others: {{> name}}";
        if (kind != std::string::npos && text[kind] == '=') return "must not change its delimiters: {{= =}}";
    }
    const mustache::mustache made(text);
    if (!made.is_valid()) return "is not Mustache: " + made.error_message();
    return std::nullopt;
}

Words fill(const Settings& settings, const Notice& notice) {
    const auto values = data_of(notice.values);
    Words words;
    words.title = base::one_line(filled(or_default(settings.title, kDefaultTitle), values));
    if (is_blank(words.title)) words.title = base::one_line(notice.type);
    words.text = filled(or_default(settings.text, kDefaultText), values);
    if (is_blank(words.text)) words.text.clear();
    return words;
}

}  // namespace receiptd::channel

#include "config/channel_rules.hpp"

#include "channel/words.hpp"
#include "config/keys.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::config {

namespace {

// Keys by their names; of a secret that without _env and _file.
struct ChannelKeys {
    std::string_view needs;
    std::string_view takes;
};

// In the order of channel::Kind.
constexpr ChannelKeys kChannelKeys[] = {
    {"url secret", "previous_secret headers"},
    {"url", "headers title text"},
    {"routing_key", "url headers title text"},
    {"url", "headers title text"},
    {"url", "headers title text"},
    {"token chat_id", "url headers title text"},
    {"url from to", "user password title text"},
};
static_assert(std::size(kChannelKeys) == std::size(channel::kKindNames));
constexpr std::string_view kAllKeys =
    "url secret previous_secret headers routing_key token chat_id from to user password title text";

const ChannelKeys& channel_keys(const Endpoint& endpoint) {
    return kChannelKeys[static_cast<std::size_t>(endpoint.channel.kind)];
}

std::string channel_name(const Endpoint& endpoint) {
    return "channel \"" + std::string(channel::kKindNames[static_cast<std::size_t>(endpoint.channel.kind)]) +
           '"';
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return words;
}

bool has_word(std::string_view text, const std::string& word) {
    const auto words = words_of(text);
    return std::find(words.begin(), words.end(), word) != words.end();
}

// "url", "url_env" or "url_file", whichever the file has; empty: none.
std::string given_key(const std::string& path, const std::string& name, const Places& places) {
    for (const char* form : {"", "_env", "_file"})
        if (places.has(path + "." + name + form)) return name + form;
    return {};
}

bool is_known(const std::string& name) { return find_key("endpoint", name) != nullptr; }

std::string missing_text(const Endpoint& endpoint, const std::string& name) {
    const auto full = "endpoint." + name;
    if (!is_known(name)) return full + "_env or " + full + "_file is missing";
    if (is_known(name + "_env")) return full + " is missing (or " + full + "_env, " + full + "_file)";
    return full + " is missing: " + channel_name(endpoint) + " needs it";
}

void check_keys(const Endpoint& endpoint, const std::string& path, const Places& places, Report& report) {
    const auto& [needs, takes] = channel_keys(endpoint);
    for (const auto& name : words_of(kAllKeys)) {
        const auto given = given_key(path, name, places);
        if (given.empty() && has_word(needs, name))
            report.error(places.find(path), missing_text(endpoint, name));
        if (!given.empty() && !has_word(needs, name) && !has_word(takes, name))
            report.error(places.find(path + "." + given),
                         "endpoint." + given + " has no meaning for " + channel_name(endpoint));
    }
    if (given_key(path, "user", places).empty() != given_key(path, "password", places).empty())
        report.error(places.find(path),
                     "endpoint.user needs endpoint.password_env or endpoint.password_file, and "
                     "the reverse");
    if (places.has(path + ".to") && endpoint.channel.to.empty() && !places.has(path + ".to[0]"))
        report.error(places.find(path + ".to"), "endpoint.to must name somebody");
    const auto kind = endpoint.channel.kind;
    if ((kind == channel::Kind::slack || kind == channel::Kind::discord) && places.has(path + ".url"))
        report.error(places.find(path + ".url"),
                     "endpoint.url of " + channel_name(endpoint) +
                         " is a secret: name the variable or file that holds it with url_env or url_file");
}

void check_templates(const channel::Settings& channel, const std::string& path, const Places& places,
                     Report& report) {
    const std::pair<const char*, const std::string*> all[] = {{"title", &channel.title},
                                                              {"text", &channel.text}};
    for (const auto& [name, text] : all)
        if (const auto fault = channel::template_fault(*text))
            report.error(places.find(path + "." + name), std::string("endpoint.") + name + " " + *fault);
}

}  // namespace

void check_channel(const Endpoint& endpoint, const std::string& path, const Places& places, Report& report) {
    check_keys(endpoint, path, places, report);
    check_templates(endpoint.channel, path, places, report);
}

std::optional<std::string> routing_key_fault(std::string_view key) {
    constexpr std::size_t kLength = 32;
    const auto good = [](unsigned char c) { return std::isalnum(c) != 0; };
    if (key.size() == kLength && std::all_of(key.begin(), key.end(), good)) return std::nullopt;
    return "is not 32 letters and digits";
}

// It becomes a part of a path.
std::optional<std::string> bot_token_fault(std::string_view token) {
    const auto good = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == ':' || c == '_' || c == '-';
    };
    const auto colon = token.find(':');
    if (colon != std::string_view::npos && colon > 0 && std::all_of(token.begin(), token.end(), good))
        return std::nullopt;
    return "is not the token of a bot: digits, a colon, letters and digits";
}

}  // namespace receiptd::config

#include "channel/encode.hpp"
#include "channel/text.hpp"

namespace receiptd::channel {

namespace {

constexpr std::size_t kLongestText = 4'096;
constexpr std::size_t kLongestTitle = 512;

}  // namespace

// Without a parse_mode Telegram still looks for addresses, mentions, hashtags and commands, but not in code.
Json telegram_message(const Notice& notice, const Words& words, const std::string& chat_id) {
    auto entities = Json::array();
    const auto title = fitted(words.title, kLongestTitle);
    entities.push_back({{"type", "code"}, {"offset", 0}, {"length", units(title)}});
    std::size_t links_take = 0;
    for (const auto& link : notice.links) links_take += units(link.name) + 1;
    auto text = title;
    if (!words.text.empty()) {
        text += "\n";
        const auto more = fitted(words.text, kLongestText - units(text) - links_take);
        entities.push_back({{"type", "pre"}, {"offset", units(text)}, {"length", units(more)}});
        text += more;
    }
    for (const auto& link : notice.links) {
        text += "\n";
        entities.push_back({{"type", "text_link"},
                            {"offset", units(text)},
                            {"length", units(link.name)},
                            {"url", link.url}});
        text += link.name;
    }
    Json message;
    message["chat_id"] = chat_id;
    message["text"] = text;
    message["entities"] = std::move(entities);
    message["link_preview_options"] = {{"is_disabled", true}};
    return message;
}

}  // namespace receiptd::channel

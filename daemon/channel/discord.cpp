#include "channel/encode.hpp"
#include "channel/text.hpp"

#include <algorithm>

namespace receiptd::channel {

namespace {

constexpr std::size_t kLongestContent = 2'000;
constexpr unsigned kSuppressEmbeds = 1U << 2U;
constexpr std::string_view kBefore = "```text\n";
constexpr std::string_view kAfter = "\n```";

// In a block of code nothing but the end of the block is markup; with joiners between them, backticks are
// none.
std::string in_code(std::string_view character) {
    return character == "`" ? "`\u2060" : std::string(character);
}

}  // namespace

Json discord_message(const Notice& notice, const Words& words) {
    std::string links;
    for (const auto& link : notice.links) links += "\n<" + link.url + ">";
    if (units(links) > kLongestContent / 2) links.clear();
    const auto text = words.text.empty() ? words.title : words.title + "\n\n" + words.text;
    const auto room = kLongestContent - units(kBefore) - units(kAfter) - units(links);
    Json message;
    message["content"] = std::string(kBefore) + fitted(text, room, in_code) + std::string(kAfter) + links;
    message["allowed_mentions"] = {{"parse", Json::array()}};
    message["flags"] = kSuppressEmbeds;
    return message;
}

}  // namespace receiptd::channel

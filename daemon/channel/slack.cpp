#include "channel/encode.hpp"
#include "channel/text.hpp"

namespace receiptd::channel {

namespace {

constexpr std::size_t kLongestHeader = 150;
constexpr std::size_t kLongestSection = 3'000;

// Slack takes these three for markup, mentions and links, in plain_text too.
std::string slack_escape(std::string_view character) {
    if (character == "&") return "&amp;";
    if (character == "<") return "&lt;";
    if (character == ">") return "&gt;";
    return std::string(character);
}

Json plain(const std::string& text, std::size_t most) {
    return {{"type", "plain_text"}, {"text", fitted(text, most, slack_escape)}, {"emoji", false}};
}

// "|" would end the address.
std::string link_in_mrkdwn(const Link& link) {
    const auto escape = [](std::string_view character) {
        return character == "|" ? std::string("%7C") : slack_escape(character);
    };
    return "<" + fitted(link.url, kLongestSection, escape) + "|" + link.name + ">";
}

}  // namespace

Json slack_message(const Notice& notice, const Words& words) {
    auto blocks = Json::array();
    blocks.push_back({{"type", "header"}, {"text", plain(words.title, kLongestHeader)}});
    if (!words.text.empty())
        blocks.push_back({{"type", "section"}, {"text", plain(words.text, kLongestSection)}});
    auto links = Json::array();
    for (const auto& link : notice.links)
        links.push_back({{"type", "mrkdwn"}, {"text", link_in_mrkdwn(link)}, {"verbatim", true}});
    if (!links.empty()) blocks.push_back({{"type", "context"}, {"elements", std::move(links)}});
    Json message;
    message["text"] = fitted(words.title, kLongestSection, slack_escape);  // where blocks are not shown
    message["mrkdwn"] = false;
    message["unfurl_links"] = false;
    message["unfurl_media"] = false;
    message["blocks"] = std::move(blocks);
    return message;
}

}  // namespace receiptd::channel

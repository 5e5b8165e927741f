#include "channel/mail.hpp"

#include "channel/text.hpp"
#include "channel/words.hpp"

#include <sodium/utils.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace receiptd::channel {

namespace {

constexpr std::size_t kLongestSubject = 200;
constexpr std::size_t kLongestMail = 32'768;
constexpr std::size_t kLongestId = 200;
constexpr std::string_view kEnd = "\r\n";

std::string base64(std::string_view bytes) {
    std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                      bytes.size(), sodium_base64_VARIANT_ORIGINAL);
    text.pop_back();
    return text;
}

// RFC 2047: words in lines of at most 76 characters, none of which ends within a character.
std::string encoded_words(std::string_view text) {
    constexpr std::size_t kMostBytes = 39;
    std::string words;
    while (!text.empty()) {
        auto cut = std::min(kMostBytes, text.size());
        while (cut < text.size() && cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80U)
            --cut;
        words += (words.empty() ? "=?UTF-8?B?" : "\r\n =?UTF-8?B?") + base64(text.substr(0, cut)) + "?=";
        text.remove_prefix(cut);
    }
    return words;
}

// RFC 5322: "Sun, 01 Mar 2026 12:00:00 +0000"
std::string date(base::WallTime now) {
    using namespace std::chrono;
    constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto today = floor<days>(now);
    const year_month_day day(today);
    const hh_mm_ss time(floor<seconds>(now) - today);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s, %02u %s %d %02d:%02d:%02d +0000",
                  kDays[weekday(today).c_encoding()], static_cast<unsigned>(day.day()),
                  kMonths[static_cast<unsigned>(day.month()) - 1], static_cast<int>(day.year()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    return text.data();
}

// "<id@domain of the sender>"
std::string message_id(std::string id, const std::string& from) {
    id.resize(std::min(id.size(), kLongestId));
    for (char& c : id)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '-';
    return "<" + id + from.substr(from.find('@')) + ">";
}

std::string in_lines(const std::string& encoded) {
    constexpr std::size_t kLongestLine = 76;
    std::string lines;
    for (std::size_t at = 0; at < encoded.size(); at += kLongestLine)
        lines.append(encoded, at, kLongestLine).append(kEnd);
    return lines;
}

std::string recipients(const std::vector<std::string>& to) {
    std::string list;
    for (const auto& address : to) list += (list.empty() ? "<" : ",\r\n <") + address + ">";
    return list;
}

std::string text_of(const Notice& notice, const Words& words) {
    auto text = words.title + "\n\n" + words.text;
    text = fitted(text, kLongestMail) + "\n\n";
    for (const auto& link : notice.links) text += link.name + ": " + link.url + "\n";
    return text;
}

}  // namespace

std::string mail(const Settings& settings, const std::string& alert_id, const std::string& alert_body,
                 base::WallTime now) {
    const auto notice = read_notice(alert_id, alert_body);
    const auto words = fill(settings, notice);
    const auto id = message_id(alert_id, settings.from);
    const auto group = message_id(notice.group, settings.from);
    std::string text = "From: <" + settings.from + ">\r\n";
    text += "To: " + recipients(settings.to) + "\r\n";
    text += "Subject: " + encoded_words(fitted(words.title, kLongestSubject)) + "\r\n";
    text += "Date: " + date(now) + "\r\n";
    text += "Message-ID: " + id + "\r\n";
    if (group != id) text += "References: " + group + "\r\n";
    text += "Auto-Submitted: auto-generated\r\n";
    text += "MIME-Version: 1.0\r\n";
    text += "Content-Type: text/plain; charset=UTF-8\r\n";
    text += "Content-Transfer-Encoding: base64\r\n\r\n";
    return text + in_lines(base64(text_of(notice, words)));
}

}  // namespace receiptd::channel

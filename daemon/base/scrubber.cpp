#include "base/scrubber.hpp"

#include <algorithm>

namespace receiptd::base {
namespace {

constexpr std::string_view kInstead = "***";
constexpr std::size_t kTellingEnd = 5;  // so much of a secret, at the end of a text, says something

// Host names come back in small letters, and so may escapes.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
bool is_same(char left, char right) { return lower(left) == lower(right); }

void replace_all(std::string& text, std::string_view what) {
    for (std::size_t at = 0;; at += kInstead.size()) {
        const auto from = text.begin() + static_cast<std::ptrdiff_t>(at);
        const auto found = std::search(from, text.end(), what.begin(), what.end(), is_same);
        if (found == text.end()) return;
        at = static_cast<std::size_t>(found - text.begin());
        text.replace(at, what.size(), kInstead);
    }
}

void replace_cut_end(std::string& text, std::string_view word) {
    for (auto size = std::min(word.size(), text.size()); size >= kTellingEnd; --size) {
        const auto end = std::string_view(text).substr(text.size() - size);
        if (!std::equal(end.begin(), end.end(), word.begin(), is_same)) continue;
        text.replace(text.size() - size, size, kInstead);
        return;
    }
}

}  // namespace

std::string percent_encoded(std::string_view text) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (letter || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~')
            encoded += c;
        else
            encoded.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
    return encoded;
}

void Scrubber::add(std::string_view secret) {
    if (secret.empty()) return;
    words_.emplace_back(std::string(secret));
    if (auto encoded = percent_encoded(secret); encoded != secret) words_.emplace_back(std::move(encoded));
    std::stable_sort(words_.begin(), words_.end(), [](const Secret& left, const Secret& right) {
        return left.reveal().size() > right.reveal().size();
    });
}

std::string Scrubber::scrub(std::string text) const {
    for (const auto& word : words_) replace_all(text, word.reveal());
    return text;
}

std::string Scrubber::scrub_cut(std::string text) const {
    text = scrub(std::move(text));
    for (const auto& word : words_) replace_cut_end(text, word.reveal());
    return text;
}

}  // namespace receiptd::base

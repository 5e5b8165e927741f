#include "watch/reference.hpp"

#include "base/ascii.hpp"
#include "chain/wire/account_id.hpp"
#include "storage/watch_store.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace receiptd::watch {
namespace {

constexpr std::size_t kLongestReference = 2'048;

// As explorers and wallets name the signer in their addresses.
constexpr std::array<std::string_view, 7> kSenders = {"sender",    "sender_id",  "signer", "signer_id",
                                                      "accountId", "account_id", "account"};

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The first id among the words of the text.
std::string first_id(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size(); ++begin) {
        if (!is_of_word(text[begin])) continue;
        auto end = begin;
        while (end < text.size() && is_of_word(text[end])) ++end;
        const auto word = text.substr(begin, end - begin);
        if (storage::is_transaction_hash(word)) return std::string(word);
        begin = end;
    }
    return {};
}

std::string sender_in(std::string_view query) {
    while (!query.empty()) {
        const auto pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos) continue;
        const auto value = pair.substr(equals + 1);
        for (const auto name : kSenders)
            if (pair.substr(0, equals) == name && chain::is_valid_account_id(value))
                return std::string(value);
    }
    return {};
}

}  // namespace

std::optional<Reference> parse_reference(std::string_view text) {
    text = base::trimmed(text);
    if (text.size() > kLongestReference) return std::nullopt;
    if (storage::is_transaction_hash(text)) return Reference{std::string(text), {}};
    if (text.find("://") == std::string_view::npos) return std::nullopt;
    Reference reference{first_id(text), {}};
    if (reference.id.empty()) return std::nullopt;
    const auto question = text.find('?');
    if (question != std::string_view::npos) {
        const auto query = text.substr(question + 1);
        reference.sender_id = sender_in(query.substr(0, query.find('#')));
    }
    return reference;
}

std::string_view what_else(std::string_view text) {
    text = base::trimmed(text);
    const bool is_base58 = std::ranges::all_of(text, [](char c) {
        return is_of_word(c) && std::string_view("0OIl").find(c) == std::string_view::npos;
    });
    constexpr std::size_t kShortest = 86, kLongest = 88;  // 64 bytes in base58
    if (is_base58 && text.size() >= kShortest && text.size() <= kLongest)
        return " (these are 64 bytes: a signature, or the hash of a transaction of another chain)";
    if (!text.starts_with("0x")) return {};
    const auto digits = text.substr(2);
    const bool is_hex =
        std::ranges::all_of(digits, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
    if (is_hex && digits.size() == 64) return " (in hexadecimal: the hash of a transaction of another chain)";
    return {};
}

}  // namespace receiptd::watch

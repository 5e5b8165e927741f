// Keeps secrets out of texts that come back from those who were told them.
#pragma once

#include "base/secret.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace receiptd::base {

// "%2F" for everything but letters, digits, '-', '_', '.' and '~' (RFC 3986 §2.3).
std::string percent_encoded(std::string_view text);

class Scrubber {
public:
    // An empty secret is none.
    void add(std::string_view secret);
    // The text with "***" for each secret, plain or percent-encoded, in capital or small letters.
    std::string scrub(std::string text) const;
    // The same, of a text that may have been cut in the middle of a secret.
    std::string scrub_cut(std::string text) const;

private:
    std::vector<Secret> words_;  // the longest first: one may hold another
};

}  // namespace receiptd::base

// A webhook as its receiver verifies it (standardwebhooks.com). Pure.
#pragma once

#include "alert/signature.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::alert {

struct Verified {
    std::string type;  // of the message
};
struct Unverified {
    std::string because;  // for people; never holds the secret
};

// A message that was sent longer ago, or is from the future, may be a repetition by somebody else.
inline constexpr std::chrono::minutes kOldestMessage{5};

// `headers` of the request, of any names; `now` nullopt: its age does not count.
base::Result<Verified, Unverified> verify(const Signer& signer, const std::vector<net::Header>& headers,
                                          const std::string& body, std::optional<base::WallTime> now);

}  // namespace receiptd::alert

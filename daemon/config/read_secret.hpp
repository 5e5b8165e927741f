// The value of a secret, from where the configuration or an option says that it is.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/keys.hpp"
#include "config/load.hpp"

#include <filesystem>
#include <string>

namespace receiptd::config {

struct ReadSecret {
    base::Secret secret;
    bool everybody_can_read = false;  // its file
};
enum class Lines { one, several };
struct SecretFault {
    std::string text;  // never holds the secret, nor the path: it might be the secret
};

// `place` has an environment variable or a file; a relative path starts at `folder`.
base::Result<ReadSecret, SecretFault> read_secret(const SecretPlace& place,
                                                  const std::filesystem::path& folder,
                                                  const Environment& environment, Lines lines = Lines::one);

}  // namespace receiptd::config

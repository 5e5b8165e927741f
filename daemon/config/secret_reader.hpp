// Reads the secrets of a configuration, and reports what is wrong with their places.
#pragma once

#include "config/read_secret.hpp"
#include "config/report.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace receiptd::config {

class SecretReader {
public:
    // Relative paths of files start at `folder`.
    SecretReader(const std::filesystem::path& folder, const Environment& environment, const Places& places,
                 Report& report)
        : folder_(folder), environment_(environment), places_(places), report_(report) {}

    // `stem`: "upstream[0].api_key"; the keys are stem_env and stem_file. nullopt: neither is given, or the
    // report says what is wrong.
    std::optional<base::Secret> read(const std::string& stem, const SecretPlace& place,
                                     Lines lines = Lines::one);

private:
    const std::filesystem::path& folder_;
    const Environment& environment_;
    const Places& places_;
    Report& report_;
};

}  // namespace receiptd::config

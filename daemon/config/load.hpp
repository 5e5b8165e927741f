// From a TOML file and the environment to Settings, with every problem found in one go.
#pragma once

#include "config/settings.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::config {

enum class Severity { error, warning };

// Never holds the value of a secret.
struct Problem {
    Severity severity = Severity::error;
    std::string file;
    unsigned line = 0;  // 0: the file as a whole
    unsigned column = 0;
    std::string message;
    // "receiptd.toml:12:3: message"; a warning says so: "receiptd.toml:12:3: warning: message".
    std::string to_string() const;
};

struct Loaded {
    Settings settings;               // to be used only if ok()
    std::vector<Problem> problems;   // in file order
    std::vector<std::string> files;  // the file and those that it names: of lists, secrets and certificates
    bool ok() const;                 // no error among them
};

// The value of an environment variable; nullopt if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// An unreadable file is a problem, never an exception. Reads the secrets' files and variables.
Loaded load_file(const std::string& path, const Environment& environment = process_environment());
Loaded load_text(std::string_view toml, const std::string& file_name,
                 const Environment& environment = process_environment());

struct Change {
    std::string key;  // "log.level", "upstream.max_requests_per_second (main)"
    std::string from;
    std::string to;        // "***" for secrets
    bool applied = false;  // else it waits for a restart
};
// Takes over what the key table calls reloadable. The result is everything that differs; what waits for a
// restart stays in `running` as it was.
std::vector<Change> reload(Settings& running, const Settings& read);

}  // namespace receiptd::config

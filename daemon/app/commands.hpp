// The commands of `receiptd`. Each returns the exit code of the process.
#pragma once

#include "base/height_set.hpp"
#include "config/settings.hpp"

#include <optional>
#include <string>

namespace receiptd::app {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;      // something broke; the last error line says what
inline constexpr int kUsage = 2;       // wrong arguments or configuration
inline constexpr int kIncomplete = 3;  // done, but heights or trees could not be had: they are listed

struct RunCommand {
    std::optional<base::Height> until;
    std::string config_file;  // read again on SIGHUP
};
int run(const config::Settings& settings, const RunCommand& command);
int backfill(const config::Settings& settings, base::HeightRange range);
int migrate(const config::Settings& settings, bool status_only);
int status(const config::Settings& settings, bool as_json);
int show_transaction(const config::Settings& settings, const std::string& tx_hash,
                     const std::string& sender_id);
int check_config(const std::string& config_file);
int print_version();

// Settings of a good file; nullopt after printing every problem of a bad one.
std::optional<config::Settings> load_settings(const std::string& config_file);

}  // namespace receiptd::app

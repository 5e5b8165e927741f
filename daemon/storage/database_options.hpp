// How to reach the database: the configured URL made safe to use and safe to talk about.
#pragma once

#include "base/scrubber.hpp"
#include "base/secret.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace receiptd::storage {

// How many connections each class of work has (pool.hpp).
struct Shares {
    unsigned lease = 1;
    unsigned writers = 2;
    unsigned following = 4;
    unsigned adopting = 1;
    unsigned alerts = 2;
    unsigned stream = 1;
    unsigned people = 2;
    unsigned maintenance = 1;
    unsigned listening = 1;
};

// Divides config::Database::connections; a number below its minimum counts as the minimum.
Shares shares_of(unsigned connections, unsigned writers);

// A patience that does not end with time; a wrong setup ends it.
inline constexpr std::chrono::milliseconds kUntilItIsThere = std::chrono::hours(100 * 365 * 24);

struct DatabaseOptions {
    base::Secret url;                                     // postgresql://… or "key=value …"
    std::chrono::milliseconds statement_timeout{60'000};  // 0: none
    // How long to go on trying a database that cannot be reached; nullopt: until stopped. One-shot
    // commands set it.
    std::optional<std::chrono::milliseconds> patience;
    // Instead of statement_timeout, of what people wait for: shorter than the API's patience.
    std::chrono::milliseconds question_timeout{2'500};
    Shares shares{};
};

class ConnectionString {
public:
    // Throws StorageError without quoting the text: a badly written URL may show its password.
    explicit ConnectionString(const base::Secret& url);

    // Holds the password: for connecting only.
    const base::Secret& conninfo() const { return conninfo_; }
    // "host:port/database", for logs.
    const std::string& where() const { return where_; }
    // Whether the way there may be unencrypted: a host beyond this machine, without an sslmode that insists.
    bool may_be_read_on_the_way() const { return may_be_read_; }
    // The address of the same database for another user, without a password.
    std::string url_of(const std::string& user) const;
    // The text without the password, wherever it stands in it.
    std::string scrub(std::string text) const { return secrets_.scrub(std::move(text)); }

private:
    base::Secret conninfo_;
    std::string where_;
    base::Scrubber secrets_;
    bool may_be_read_ = false;
    std::string host_, port_, database_;
};

}  // namespace receiptd::storage

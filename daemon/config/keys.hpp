// The one table of configuration keys: name, type, bounds, text, and where the value lives in
// Settings. The loader, the documentation, the example file and the reload are all made from it; a
// default is whatever Settings{} holds.
#pragma once

#include "config/settings.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace receiptd::config {

enum class Type {
    name,       // a-z 0-9 _ - ; may become a metric label
    choice,     // one of Key::choices
    url,        // http:// or https://, no user:password@
    listen,     // host:port, or unix:/path
    mode,       // of a file: "0660"
    integer,    // min..max
    decimal,    // min..max
    duration,   // "30s", "5m", "1h30m", "90d"; bounds in milliseconds
    keep,       // a duration of whole hours, or "forever"
    bytes,      // "64MiB", "10MB" or a number; bounds in bytes
    accounts,   // list of account ids
    start,      // "head" or a height
    secret,     // the value itself; kept out of every message
    env,        // name of an environment variable that holds a secret
    file,       // path of a file
    flag,       // true or false
    glob,       // of account ids or methods: '*' and '?'
    hash,       // 32 bytes in base58
    names,      // list of names
    networks,   // list of networks: "10.0.0.0/8"
    hosts,      // list of host names and addresses, without ports
    durations,  // list of durations; bounds in milliseconds
    text,       // lines that people see
    mailbox,    // "local@domain"
    mailboxes,  // list of them
};

// A value on its way between the file and Settings. Choices travel as their index.
inline constexpr Millis kForever = Millis::max();
using Value = std::variant<std::string, std::uint64_t, double, Millis, std::vector<std::string>, Start, bool,
                           std::vector<Millis>>;

// The place of a secret; at most one member is set.
struct SecretPlace {
    std::string env;
    std::string file;
};

struct HostSecrets {
    SecretPlace api_key, proxy;
};

struct EndpointSecrets {
    SecretPlace url, secret, previous_secret, headers, routing_key, token, password, proxy;
};

// Everything a file sets: the settings and the places of the secrets, which are resolved afterwards.
struct Draft {
    Settings settings;
    std::vector<HostSecrets> upstream_secrets;  // as settings.upstreams
    HostSecrets neardata_secrets;
    std::vector<EndpointSecrets> endpoint_secrets;  // as settings.endpoints
    SecretPlace database_url;
    SecretPlace http_token;
    SecretPlace http_read_token;
    SecretPlace ping_url;
    SecretPlace trace_headers;
};

std::vector<const SecretPlace*> places_of_secrets(const Draft& draft);

enum class SectionKind {
    table,           // [section]
    optional,        // [section], and its presence means something
    array,           // [[section]]
    optional_array,  // [[section]] that most files do without
};

struct Change;  // load.hpp

struct Section {
    std::string_view name;
    SectionKind kind = SectionKind::table;
    std::string_view help;
    // Makes the fields of a section that is no plain table, or of one more entry of it.
    void (*add)(Draft& draft) = nullptr;
    // Its entries; null where it is a plain table.
    std::size_t (*size)(const Settings& settings) = nullptr;
    bool order_counts = false;  // of its entries
    // Replaces all entries, and says what that changes. Null: reload() compares key by key, and entries that
    // come or go wait for a restart.
    std::vector<Change> (*reload)(Settings& running, const Settings& read) = nullptr;
    bool nests = false;  // holds tables within tables, which read_rule.hpp takes as a whole

    bool is_array() const { return kind == SectionKind::array || kind == SectionKind::optional_array; }
    bool is_optional() const { return kind == SectionKind::optional || kind == SectionKind::optional_array; }
};

// Reads and writes one key. `item` is the index of an array section's entry. get() of a secret gives "", and
// set() notes its place or value; `secret` returns the member that holds the value, null for other keys.
struct Binding {
    Value (*get)(const Draft& draft, std::size_t item) = nullptr;
    void (*set)(Draft& draft, std::size_t item, const Value& value) = nullptr;
    base::Secret& (*secret)(Settings& settings, std::size_t item) = nullptr;
};

struct Key {
    std::string_view section;
    std::string_view name;
    Type type = Type::name;
    Binding at;
    std::string_view help;
    bool required = false;    // within its section
    bool reloadable = false;  // SIGHUP applies a change
    // In the example file, as TOML; empty: the default, commented out.
    std::string_view example = {};
    std::span<const std::string_view> choices = {};
    double min = 0;
    double max = static_cast<double>(std::numeric_limits<std::int64_t>::max());

    std::string full_name() const { return std::string(section) + "." + std::string(name); }
    bool is_secret() const { return at.secret != nullptr; }
    // "upstream.api_key" of api_key_env and api_key_file; of other keys the full name.
    std::string subject() const;
};

std::span<const Section> sections();
std::span<const Key> keys();  // in the order of the documentation
const Key* find_key(std::string_view section, std::string_view name);
std::vector<const Key*> keys_of(std::string_view section);

// The value as it would stand in the file: "\"30s\"", "8", "[\"alice.near\"]".
std::string to_toml(const Key& key, const Value& value);

}  // namespace receiptd::config

#include "config/describe.hpp"

#include "config/keys.hpp"

#include <sstream>

namespace receiptd::config {

namespace {

// Settings as they are without a file, with one entry of everything optional.
Draft defaults() {
    Draft draft;
    for (const auto& section : sections())
        if (section.add) section.add(draft);
    return draft;
}

std::string default_toml(const Key& key) {
    static const Draft draft = defaults();
    if (key.is_secret()) return "";
    auto text = to_toml(key, key.at.get(draft, 0));
    return text == "\"\"" ? "" : text;
}

std::string heading(const Section& section) {
    const auto name = std::string(section.name);
    return section.is_array() ? "[[" + name + "]]" : "[" + name + "]";
}

std::string type_text(const Key& key) {
    switch (key.type) {
        case Type::name: return "name (a-z, 0-9, _ and -)";
        case Type::url: return "http(s) address";
        case Type::listen: return "host:port or unix:/path";
        case Type::mode: return "octal, as text";
        case Type::integer: return "integer";
        case Type::decimal: return "number";
        case Type::flag: return "`true` or `false`";
        case Type::hash: return "32 bytes in base58";
        case Type::glob: return "text with `*` and `?`";
        case Type::duration: return "duration";
        case Type::keep: return "duration or `\"forever\"`";
        case Type::bytes: return "size";
        case Type::accounts: return "list of account ids";
        case Type::names: return "list of names";
        case Type::networks: return "list of networks";
        case Type::hosts: return "list of hosts";
        case Type::durations: return "list of durations";
        case Type::start: return "`\"head\"` or a height";
        case Type::secret: return "string (secret)";
        case Type::text: return "text";
        case Type::mailbox: return "e-mail address";
        case Type::mailboxes: return "list of e-mail addresses";
        case Type::env: return "name of a variable";
        case Type::file: return "path";
        case Type::choice: break;
    }
    std::string text;
    for (const auto choice : key.choices)
        text += (text.empty() ? "`\"" : ", `\"") + std::string(choice) + "\"`";
    return text;
}

std::string bounds_text(const Key& key) {
    const auto range = [&](const Value& low, const Value& high) {
        return ", " + to_toml(key, low) + " to " + to_toml(key, high);
    };
    switch (key.type) {
        case Type::integer:
        case Type::bytes:
            return range(static_cast<std::uint64_t>(key.min), static_cast<std::uint64_t>(key.max));
        case Type::decimal: return range(key.min, key.max);
        case Type::durations:
        case Type::duration:
        case Type::keep:
            return range(Millis(static_cast<Millis::rep>(key.min)),
                         Millis(static_cast<Millis::rep>(key.max)));
        default: return "";
    }
}

void describe_key(std::ostream& out, const Key& key) {
    const auto initial = default_toml(key);
    out << "| `" << key.name << "` | " << type_text(key) << bounds_text(key) << " | "
        << (key.required      ? "required"
            : initial.empty() ? ""
                              : "`" + initial + "`")
        << " | " << (key.reloadable ? "yes" : "no") << " | " << key.help << " |\n";
}

// "# text" lines of at most 100 columns.
void comment(std::ostream& out, std::string_view text) {
    constexpr std::size_t kWidth = 98;
    while (!text.empty()) {
        auto cut = text.size() <= kWidth ? text.size() : text.rfind(' ', kWidth);
        if (cut == std::string_view::npos) cut = text.size();
        out << "# " << text.substr(0, cut) << "\n";
        text.remove_prefix(std::min(text.size(), cut + 1));
    }
}

void example_key(std::ostream& out, const Section& section, const Key& key) {
    comment(out, key.help);
    if (!key.choices.empty()) {
        std::string choices = "One of:";
        for (const auto choice : key.choices) choices += " " + std::string(choice);
        comment(out, choices);
    }
    const auto initial = default_toml(key);
    const bool names_another = key.type == Type::url || key.type == Type::name;
    const bool is_extra = section.is_array() && (key.type == Type::text || key.type == Type::secret);
    const bool is_optional = section.is_optional() || (!key.required && (names_another || is_extra));
    const bool shown = !key.example.empty() && !is_optional;
    if (shown)
        out << key.name << " = " << key.example << "\n";
    else
        out << "#" << key.name << " = "
            << (!key.example.empty()    ? std::string(key.example)
                : !initial.empty()      ? initial
                : key.type == Type::env ? std::string("\"RECEIPTD_SECRET\"")
                                        : std::string("\"/etc/receiptd/secret\""))
            << "\n";
}

constexpr std::string_view kPreface =
    "# Configuration\n"
    "\n"
    "<!-- Generated from daemon/config/keys*.cpp; `./dev docs` writes it anew. -->\n"
    "\n"
    "receiptd reads one TOML file: `receiptd run --config FILE`. "
    "[receiptd.example.toml](receiptd.example.toml)\n"
    "contains every key. `receiptd check-config --config FILE` reports all problems at once, each with its\n"
    "line and column.\n"
    "\n"
    "- A **duration** is a text with units: `\"250ms\"`, `\"30s\"`, `\"5m\"`, `\"1h30m\"`, `\"90d\"`.\n"
    "- A **size** is a number of bytes or a text: `\"64MiB\"`, `\"500kB\"`.\n"
    "- **Secrets** come from an environment variable (`…_env`) or a file (`…_file`; one line end at its end "
    "is\n"
    "  ignored), never from the TOML file. They are never printed or logged. receiptd warns if everybody "
    "can\n"
    "  read the file of a secret.\n"
    "- A **relative path** starts at the folder of the configuration file.\n"
    "- **Reload**: on SIGHUP, and with `config.watch` when they change, receiptd reads the file and the\n"
    "  secrets again. Keys with \"yes\" in the column\n"
    "  \"reload\" change at once; for all other changes the log names the keys that need a restart. A file "
    "with\n"
    "  errors changes nothing.\n";

}  // namespace

std::string describe_keys_markdown() {
    std::ostringstream out;
    out << kPreface;
    for (const auto& section : sections()) {
        out << "\n## " << heading(section) << "\n\n" << section.help << "\n\n";
        out << "| key | value | default | reload | meaning |\n|---|---|---|---|---|\n";
        for (const auto* key : keys_of(section.name)) describe_key(out, *key);
    }
    return out.str();
}

std::string example_toml() {
    std::ostringstream out;
    out << "# Every key of receiptd. Lines that start with # and a name show the default or an alternative.\n"
           "# Generated from daemon/config/keys*.cpp; docs/configuration.md explains the forms of values.\n";
    for (const auto& section : sections()) {
        out << "\n\n";
        comment(out, section.help);
        out << (section.is_optional() ? "#" : "") << heading(section) << "\n";
        for (const auto* key : keys_of(section.name)) {
            out << "\n";
            example_key(out, section, *key);
        }
    }
    return out.str();
}

}  // namespace receiptd::config

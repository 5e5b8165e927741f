#include "config/read_value.hpp"

#include "base/id_faults.hpp"
#include "base/nearest.hpp"
#include "base/units.hpp"
#include "base/visible.hpp"
#include "config/parse.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace receiptd::config {

namespace {

using Read = base::Result<Value, Fault>;

std::string_view type_name(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table: return "a table";
        case toml::node_type::array: return "a list";
        case toml::node_type::string: return "a string";
        case toml::node_type::integer: return "an integer";
        case toml::node_type::floating_point: return "a decimal number";
        case toml::node_type::boolean: return "a boolean";
        default: return "a date or time";
    }
}

Fault wrong_type(const toml::node& node, std::string_view wanted) {
    return {&node, "must be " + std::string(wanted) + ", not " + std::string(type_name(node))};
}

std::string join(std::span<const std::string_view> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
        text += '"' + std::string(words[i]) + '"';
    }
    return text;
}

Fault not_one_of(const toml::node& node, const std::string& word, std::span<const std::string_view> words) {
    std::string text = "must be " + join(words) + ", not \"" + word + '"';
    const auto near = base::nearest(word, {words.begin(), words.end()});
    if (near) text += "; did you mean \"" + std::string(*near) + "\"?";
    return {&node, text};
}

Read out_of_bounds(const Key& key, const toml::node& node, const Value& low, const Value& high) {
    return Fault{&node, "must be between " + to_toml(key, low) + " and " + to_toml(key, high)};
}

Read bounded(const Key& key, const toml::node& node, std::uint64_t number) {
    const auto low = static_cast<std::uint64_t>(key.min);
    const auto high = static_cast<std::uint64_t>(key.max);
    if (number < low || number > high) return out_of_bounds(key, node, Value(low), Value(high));
    return Value(number);
}

Read read_choice(const Key& key, const toml::node& node, const std::string& word) {
    const auto found = std::find(key.choices.begin(), key.choices.end(), word);
    if (found == key.choices.end()) return not_one_of(node, word, key.choices);
    return Value(static_cast<std::uint64_t>(found - key.choices.begin()));
}

// The name of a variable may be shown in messages, so what could be a key written in its place,
// which has small letters as a rule, is refused here without being repeated.
std::optional<std::string> env_fault(std::string_view name) {
    const auto good = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    if (name.front() >= '0' && name.front() <= '9') return "must not start with a digit";
    if (!std::all_of(name.begin(), name.end(), good))
        return "must be the name of an environment variable (A-Z, 0-9 and _), not the secret itself";
    return std::nullopt;
}

// Account ids and method names have no blanks; one in a glob would match nothing.
std::optional<std::string> glob_fault(std::string_view glob) {
    constexpr std::size_t kLongest = 256;
    const auto bad = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; };
    if (glob.size() > kLongest) return "must not be longer than 256 characters";
    if (std::any_of(glob.begin(), glob.end(), bad)) return "must not hold blanks or control characters";
    return std::nullopt;
}

std::optional<std::string> text_fault(const std::string& text) {
    if (base::visible(text) != text) return "must hold nothing that people cannot see";
    return std::nullopt;
}

std::optional<std::string> hash_fault(std::string_view hash) {
    constexpr std::string_view kAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    const bool fits = hash.size() >= 32 && hash.size() <= 44;
    if (!fits || hash.find_first_not_of(kAlphabet) != std::string_view::npos)
        return "must be 32 bytes in base58, as `status` of a host tells them";
    return std::nullopt;
}

std::optional<std::string> string_fault(Type type, const std::string& text) {
    if (text.empty()) return "must not be empty";
    switch (type) {
        case Type::name: return base::name_fault(text);
        case Type::url: return url_fault(text);
        case Type::listen: return listen_fault(text);
        case Type::env: return env_fault(text);
        case Type::glob: return glob_fault(text);
        case Type::hash: return hash_fault(text);
        case Type::text: return text_fault(text);
        case Type::mailbox: return mailbox_fault(text);
        default: return std::nullopt;
    }
}

Read read_string(const Key& key, const toml::node& node) {
    const auto* text = node.as_string();
    if (!text) return wrong_type(node, key.type == Type::choice ? join(key.choices) : "a string");
    if (key.type == Type::choice) return read_choice(key, node, text->get());
    if (auto fault = string_fault(key.type, text->get())) return Fault{&node, *fault};
    return Value(text->get());
}

Read read_integer(const Key& key, const toml::node& node) {
    const auto* number = node.as_integer();
    if (!number) return wrong_type(node, "an integer");
    // A negative number wraps far above every bound.
    return bounded(key, node, static_cast<std::uint64_t>(number->get()));
}

Read read_flag(const toml::node& node) {
    const auto* flag = node.as_boolean();
    if (!flag) return wrong_type(node, "true or false");
    return Value(flag->get());
}

Read read_decimal(const Key& key, const toml::node& node) {
    const auto number = node.is_number() ? node.value<double>() : std::nullopt;
    if (!number) return wrong_type(node, "a number");
    if (!(*number >= key.min && *number <= key.max))
        return out_of_bounds(key, node, Value(key.min), Value(key.max));
    return Value(*number);
}

Read read_bytes(const Key& key, const toml::node& node) {
    if (node.is_integer()) return read_integer(key, node);
    const auto* text = node.as_string();
    if (!text) return wrong_type(node, "a size such as \"64MiB\"");
    const auto bytes = base::parse_bytes(text->get());
    if (!bytes) return Fault{&node, "must be a size such as \"64MiB\" or \"500kB\""};
    return bounded(key, node, *bytes);
}

Read read_duration(const Key& key, const toml::node& node) {
    const auto* text = node.as_string();
    if (!text && node.is_number()) return Fault{&node, "needs a unit, such as \"30s\", \"5m\" or \"90d\""};
    if (!text) return wrong_type(node, "a duration such as \"30s\"");
    if (key.type == Type::keep && text->get() == "forever") return Value(kForever);
    const auto duration = base::parse_duration(text->get());
    if (!duration)
        return Fault{&node, "must be a duration such as \"30s\", \"5m\", \"1h30m\" or \"90d\"" +
                                std::string(key.type == Type::keep ? ", or \"forever\"" : "")};
    const Millis low(static_cast<Millis::rep>(key.min));
    const Millis high(static_cast<Millis::rep>(key.max));
    if (*duration < low || *duration > high) return out_of_bounds(key, node, Value(low), Value(high));
    if (key.type == Type::keep && *duration % std::chrono::hours(1) != Millis(0))
        return Fault{&node, "must be whole hours"};
    return Value(*duration);
}

Read read_durations(const Key& key, const toml::node& node) {
    const auto* items = node.as_array();
    if (!items) return wrong_type(node, "a list of durations");
    std::vector<Millis> durations;
    for (const auto& item : *items) {
        auto read = read_duration(key, item);
        if (!read) return read;
        durations.push_back(std::get<Millis>(*read));
    }
    return Value(std::move(durations));
}

// In octal, as chmod takes it; a TOML integer would be read as decimal.
Read read_mode(const toml::node& node) {
    const auto* text = node.as_string();
    if (!text) return wrong_type(node, "a text such as \"0660\"");
    const auto& digits = text->get();
    std::uint64_t mode = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), mode, 8);
    if (error != std::errc{} || end != digits.data() + digits.size() || digits.size() > 4 || mode > 0777)
        return Fault{&node, "must be access rights in octal, such as \"0660\""};
    return Value(mode);
}

Read read_start(const toml::node& node) {
    static constexpr std::string_view kWords[] = {"head"};
    if (const auto* height = node.as_integer()) {
        if (height->get() < 0) return Fault{&node, "must be \"head\" or a height from 0"};
        return Value(Start(static_cast<std::uint64_t>(height->get())));
    }
    const auto* text = node.as_string();
    if (!text) return wrong_type(node, "\"head\" or a height");
    // "resume", of earlier versions: what every start does where blocks are stored.
    if (text->get() == "head" || text->get() == "resume") return Value(Start(StartAtHead{}));
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!text->get().empty() && std::all_of(text->get().begin(), text->get().end(), digit))
        return Fault{&node, "is a height in quotes; write it without: start = " + text->get()};
    auto fault = not_one_of(node, text->get(), kWords);
    fault.text.insert(fault.text.find(", not"), " or a height");
    return fault;
}

// `thing`: "account id", as account_fault() checks it.
Read read_list(const toml::node& node, const std::string& thing,
               std::optional<std::string> (*fault_of)(std::string_view)) {
    const auto* items = node.as_array();
    if (!items) return wrong_type(node, "a list of " + thing + "s");
    std::vector<std::string> texts;
    for (const auto& item : *items) {
        const auto* text = item.as_string();
        if (!text) return wrong_type(item, "a list of strings");
        if (auto fault = fault_of(text->get()))
            return Fault{&item, "holds a bad " + thing + ": \"" + text->get().substr(0, 80) + "\" " + *fault};
        if (std::find(texts.begin(), texts.end(), text->get()) != texts.end())
            return Fault{&item, "names \"" + text->get() + "\" twice"};
        texts.push_back(text->get());
    }
    return Value(std::move(texts));
}

}  // namespace

Read read_value(const Key& key, const toml::node& node) {
    switch (key.type) {
        case Type::integer: return read_integer(key, node);
        case Type::decimal: return read_decimal(key, node);
        case Type::flag: return read_flag(node);
        case Type::bytes: return read_bytes(key, node);
        case Type::duration:
        case Type::keep: return read_duration(key, node);
        case Type::accounts: return read_list(node, "account id", base::account_fault);
        case Type::durations: return read_durations(key, node);
        case Type::mailboxes: return read_list(node, "e-mail address", mailbox_fault);
        case Type::networks: return read_list(node, "network", network_fault);
        case Type::hosts: return read_list(node, "host", host_fault);
        case Type::mode: return read_mode(node);
        case Type::names: return read_list(node, "name", base::name_fault);
        case Type::start: return read_start(node);
        default: return read_string(key, node);
    }
}

}  // namespace receiptd::config

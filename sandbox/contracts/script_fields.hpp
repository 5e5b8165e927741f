// Reads the members of a script's steps, with panics that name the step (grammar: script.hpp).
#pragma once

#include "sandbox/contracts/json_args.hpp"

#include <set>
#include <string>
#include <vector>

namespace receiptd::sandbox::contracts {

// One value of the program and what to call it in a panic: `step 3 (call): "gas"`.
class ScriptValue {
public:
    ScriptValue(Host& host, std::string where, const Json& json)
        : host_(host), where_(std::move(where)), json_(json) {}

    const Json& json() const { return json_; }
    Host& host() const { return host_; }
    const std::string& where() const { return where_; }
    // "step 3 (call): " and the text.
    [[noreturn]] void fail(const std::string& text) const;

    std::string text() const;
    std::string account() const;  // "@self" and the like are replaced
    u128 amount() const;
    Gas gas() const;
    std::uint64_t count() const;  // a whole number that is not negative
    Bytes base64() const;
    sim::PublicKey public_key() const;
    std::vector<ScriptValue> list() const;

private:
    Host& host_;
    std::string where_;
    const Json& json_;
};

// A value that has members. All that are there must be asked for before finish().
class ScriptFields {
public:
    explicit ScriptFields(const ScriptValue& object);

    bool has(const char* name) const;
    ScriptValue required(const char* name);
    std::optional<ScriptValue> optional(const char* name);
    [[noreturn]] void fail(const std::string& text) const { object_.fail(text); }
    Host& host() const { return object_.host(); }
    // Panics at a member that nobody asked for.
    void finish() const;

private:
    ScriptValue object_;
    std::set<std::string> known_;
};

// CALL of the grammar.
struct ScriptCall {
    sim::wire::FunctionCall action;
    std::uint64_t weight = 0;
};
ScriptCall read_script_call(ScriptFields& fields);

// A step or an action: an object with one member, or a text alone.
struct ScriptItem {
    std::string verb;
    ScriptValue operand;  // null where the item is a text
};
// `where`: "step 3"; the operand's is "step 3 (call)".
ScriptItem read_script_item(const ScriptValue& item, const std::string& what);

}  // namespace receiptd::sandbox::contracts

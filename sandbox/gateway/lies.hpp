// Lies on demand: what a host tells that is not true of its chain. docs/sandbox.md lists them.
#pragma once

#include "base/result.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::sandbox {

struct Lie {
    std::string name;
    nlohmann::json members;     // all that this lie has; null: left out, and without a default
    std::uint64_t times = 0;    // answers that will tell it; 0: until it is ended
    bool told = false;          // by the answer that is being made
    std::uint64_t answers = 0;  // that have told it

    bool has(const char* member) const { return !members.at(member).is_null(); }
    std::uint64_t number(const char* member) const { return members.at(member).get<std::uint64_t>(); }
    std::string text(const char* member) const { return members.at(member).get<std::string>(); }
};

// The lies of one host.
class Lies {
public:
    void set(std::vector<Lie> lies) { lies_ = std::move(lies); }
    std::vector<Lie>& all() { return lies_; }
    const std::vector<Lie>& all() const { return lies_; }
    // The first of that name; nullptr: there is none.
    Lie* find(std::string_view name);
    // To be called after each answer: a lie that was told as often as it was to be ends.
    void settle();

private:
    std::vector<Lie> lies_;
};

// [{"lie":"false_head","ahead":30,"times":1}, …]. The error text says what is wrong, and where.
base::Result<std::vector<Lie>, std::string> read_lies(const nlohmann::json& list);
nlohmann::json to_json(const std::vector<Lie>& lies);

}  // namespace receiptd::sandbox

// What a rule asks of a subject, ready to be evaluated. A value that is missing satisfies nothing but `Not`.
#pragma once

#include "base/checked.hpp"
#include "base/u128.hpp"
#include "rule/json_path.hpp"
#include "rule/number.hpp"
#include "rule/words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace receiptd::rule {

struct Condition;

enum class Field : std::uint8_t {
    // Accounts
    signer,
    user,
    predecessor,
    receiver,
    account,  // of a transfer the account itself, else any of the four
    token,
    // Other texts
    method,
    role,
    error_class,
    text,
    verdict,
    near_status,
    effect,
    stage,
    standard,
    event,
    direction,
    cause,
    access,
    // Flags
    handled,
    expected,
    conclusive,
    // Amounts
    deposit,
    gas,
    amount,
};

// Any of these.
struct Texts {
    std::vector<std::string> words;
    std::vector<std::string> globs;
    std::vector<std::string> lists;  // names of account lists
    friend bool operator==(const Texts&, const Texts&) = default;
};

struct TextTest {
    Field field = Field::signer;
    Texts any_of;
};
struct FlagTest {
    Field field = Field::handled;
    bool allows_true = false;
    bool allows_false = false;
};
struct AmountTest {
    Field field = Field::deposit;
    base::u128 at_least = 0;
    base::u128 at_most = base::largest<base::u128>();
};
struct ActionTest {
    Actions any_of = 0;
};
struct KindTest {
    Kinds any_of = 0;
};

// Any of these.
struct Literals {
    Texts texts;
    std::vector<Number> numbers;
    bool yes = false;
    bool no = false;
    bool empty() const { return *this == Literals{}; }
    friend bool operator==(const Literals&, const Literals&) = default;
};
struct JsonPart;
// The tests of one JSON value; all of them must hold.
struct JsonTest {
    Literals is;      // empty: not asked
    Literals is_not;  // the same
    std::optional<Number> at_least;
    std::optional<Number> at_most;
    std::vector<JsonPart> has;
};
// Some value at the path, within another one, satisfies the test.
struct JsonPart {
    JsonPath path;
    JsonTest test;
};
struct WhereTest {
    bool in_args = false;  // else in an event's data
    JsonPart part;
};

struct All {
    std::vector<Condition> of;
};
struct Any {
    std::vector<Condition> of;
};
struct Not {
    std::vector<Condition> of;  // one
};

struct Condition {
    std::variant<All, Any, Not, KindTest, TextTest, FlagTest, AmountTest, ActionTest, WhereTest> is;
};

// The words without wildcards that its tests of the field ask for.
std::vector<std::string> words_asked(const Condition& condition, Field field);

}  // namespace receiptd::rule

// Whether a receipt that saw a failure says anything of it (docs/verdicts.md, "told" and "swallowed"). Pure.
#pragma once

#include "chain/tree/rules.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

// A log, a value that is not empty, or another receipt's in its place. JSON's null is empty, too.
bool speaks(const Outcome& outcome);
// The value null in base64.
inline constexpr Text kNullInBase64 = "bnVsbA==";

// A receipt that speaks not by its outcome may do so by a child that is no refund and no payout.
class Silence {
public:
    // Receipts that await others and succeeded, each before its children.
    void succeeded(std::string_view receipt_id, bool speaks, std::size_t children);
    // A child of the receipt was executed.
    void child_of(std::string_view parent_id, bool from_system);

    enum class Word : std::uint8_t { open, told, nothing };
    // `all_executed`: a child that was not executed by now never will be.
    Word of(std::string_view receipt_id, bool all_executed) const;

private:
    std::map<std::string, std::size_t, std::less<>> children_left_;  // of those that have said nothing
};

// The effect of each failure that is handled and of which no tokens came back: `told` if somebody who handled
// it speaks, else `swallowed`.
void decide_effects(std::vector<Failure>& failures, const Silence& silence, bool all_executed);
// The effect of the tokens that were lost or came back, if any were; else of the deposits that came back;
// else `swallowed` if a failure was; else `told`.
struct Effects {
    u128 lost = 0;  // yoctoNEAR
    std::optional<Effect> of_flows;
    TokenFlow of_deposits;
};
std::optional<Effect> effect_of(const std::vector<Failure>& failures, const Effects& effects);

}  // namespace receiptd::chain

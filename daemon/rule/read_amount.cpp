#include "base/checked.hpp"
#include "rule/reading.hpp"

#include <algorithm>
#include <array>

namespace receiptd::rule {
namespace {

struct AmountUnit {
    std::string_view name;
    unsigned places;  // of ten
    bool of_gas;
};
constexpr std::array kAmountUnits = {AmountUnit{"NEAR", 24, false}, AmountUnit{"yoctoNEAR", 0, false},
                                     AmountUnit{"Tgas", 12, true}, AmountUnit{"Ggas", 9, true},
                                     AmountUnit{"gas", 0, true}};

// "1.5" with 24 places as 1500000000000000000000000.
std::optional<base::u128> shifted(std::string_view number, unsigned places) {
    const auto point = std::min(number.find('.'), number.size());
    const auto whole = number.substr(0, point);
    const auto fraction = point < number.size() ? number.substr(point + 1) : std::string_view();
    if (!is_digits(whole) || (point < number.size() && !is_digits(fraction)) || fraction.size() > places)
        return std::nullopt;
    return base::parse_u128(std::string(whole) + std::string(fraction) +
                            std::string(places - fraction.size(), '0'));
}

std::string amount_form(Field field, bool tokens_are_near) {
    if (field == Field::gas) return "must be gas such as \"100 Tgas\", or a whole number of gas";
    if (field == Field::deposit || tokens_are_near)
        return "must be an amount such as \"1.5 NEAR\", or a whole number of yoctoNEAR in quotes";
    return "must be a whole number of the token's smallest unit in quotes (NEAR counts only with token = "
           "\"near\")";
}

}  // namespace

std::optional<base::u128> parse_amount(std::string_view text, Field field) {
    const auto end = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto number = text.substr(0, end);
    auto name = text.substr(end);
    if (name.empty()) return shifted(number, 0);
    if (name.starts_with(' ')) name.remove_prefix(1);
    const auto unit = std::find_if(kAmountUnits.begin(), kAmountUnits.end(), [&](const auto& known) {
        return known.name == name && known.of_gas == (field == Field::gas);
    });
    return unit == kAmountUnits.end() ? std::nullopt : shifted(number, unit->places);
}

std::optional<base::u128> Reading::read_amount(const std::string& path, const JsonNode& node, Field field) {
    const bool has_form = node.type == JsonNode::Type::text || node.type == JsonNode::Type::number;
    const bool has_unit = node.text.find_first_not_of("0123456789.") != std::string::npos;
    const bool unit_counts = field != Field::amount || tokens_are_near;
    const auto amount =
        has_form && (!has_unit || unit_counts) ? parse_amount(node.text, field) : std::nullopt;
    if (!amount) fault(path, amount_form(field, tokens_are_near));
    return amount;
}

}  // namespace receiptd::rule

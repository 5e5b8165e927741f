#include "chain/tree/units.hpp"

namespace receiptd::chain {
namespace {

// `decimals` of the quotient, without zeros at the end.
std::string quotient(u128 value, u128 unit, unsigned decimals) {
    auto text = base::to_string(value / unit);
    u128 rest = value % unit;
    std::string digits;
    for (unsigned i = 0; i < decimals; ++i) {
        unit /= 10;
        digits += static_cast<char>('0' + static_cast<int>(rest / unit));
        rest %= unit;
    }
    digits.resize(digits.find_last_not_of('0') + 1);
    return digits.empty() ? text : text + "." + digits;
}

}  // namespace

std::string near_in_words(u128 yocto) {
    constexpr u128 kMicro = 1'000'000'000'000'000'000;
    constexpr u128 kMostYocto = 1'000'000;
    if (yocto == 0) return "0 NEAR";
    if (yocto < kMostYocto) return base::to_string(yocto) + " yoctoNEAR";
    if (yocto < kMicro) return "< 0.000001 NEAR";
    return quotient(yocto, kMicro * 1'000'000, 6) + " NEAR";
}

std::string gas_in_words(Gas gas) {
    constexpr Gas kTera = 1'000'000'000'000;
    if (gas > 0 && gas < kTera / 100) return "< 0.01 Tgas";
    return quotient(gas, kTera, 2) + " Tgas";
}

}  // namespace receiptd::chain

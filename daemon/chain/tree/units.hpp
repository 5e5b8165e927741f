// Amounts of NEAR and of gas for people. Pure.
#pragma once

#include "chain/json/model.hpp"

#include <string>

namespace receiptd::chain {

// "1.5 NEAR", cut to six decimals; smaller ones are "3 yoctoNEAR" or "< 0.000001 NEAR".
std::string near_in_words(u128 yocto);
// "2.43 Tgas", cut to two decimals; smaller ones are "< 0.01 Tgas".
std::string gas_in_words(Gas gas);

}  // namespace receiptd::chain

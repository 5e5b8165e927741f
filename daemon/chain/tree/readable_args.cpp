#include "chain/tree/readable_args.hpp"

#include "chain/json/json_check.hpp"
#include "chain/wire/base64.hpp"

#include <string>

namespace receiptd::chain {

namespace {

constexpr Text kStartOfJson = " \n\r\t{[\"-0123456789tfn";

// Spares decoding the long binary arguments whole.
bool may_be_json(Text base64) {
    thread_local std::string head;
    if (base64.size() < 4 || !base64_decode_into(base64.substr(0, 4), head) || head.empty()) return false;
    return kStartOfJson.find(head[0]) != Text::npos;
}

}  // namespace

std::optional<Text> readable_args(Text base64) {
    if (!may_be_json(base64)) return std::nullopt;
    thread_local std::string decoded;
    if (!base64_decode_into(base64, decoded)) return std::nullopt;
    const auto check = check_json(decoded);
    if (!check.valid || check.nul_escape || check.surrogate_escape) return std::nullopt;
    return decoded;
}

}  // namespace receiptd::chain

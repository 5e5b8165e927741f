#include "page/filters.hpp"

#include "chain/wire/account_id.hpp"

#include <utility>

namespace receiptd::page {

Filters::Filters(const api::Call& call) : call_(call) {
    if (!call.request.query_parameters()) fault_ = "Nothing is listed: this address cannot be read.";
}

std::string Filters::text(std::string_view name, std::string_view must, std::size_t most) {
    auto value = parameter(call_, name, most);
    const bool is_given = call_.request.query_parameter(name).find_first_not_of(' ') != std::string::npos;
    if (value.empty() && is_given) refuse(name, must);
    return value;
}

std::string Filters::account(std::string_view name) {
    constexpr std::string_view kMust = "it must be an account id, such as alice.near";
    auto value = text(name, kMust);
    if (value.empty() || chain::is_valid_account_id(value)) return value;
    refuse(name, kMust);
    return {};
}

std::optional<bool> Filters::flag(std::string_view name) {
    return one_of(name, "it must be true or false", [](std::string_view value) {
        return value == "true" ? std::optional(true) : value == "false" ? std::optional(false) : std::nullopt;
    });
}

std::optional<std::int64_t> Filters::number(std::string_view name) {
    return one_of(name, "it must be a whole number from 1 on", [](const auto& value) {
        const auto number = api::parse_number(value);
        return number && *number >= 1 ? number : std::nullopt;
    });
}

unsigned Filters::hours(unsigned otherwise, unsigned most) {
    const auto given = number("hours");
    return given ? static_cast<unsigned>(std::min<std::int64_t>(*given, most)) : otherwise;
}

void Filters::refuse(std::string_view name, std::string_view must) {
    if (!fault_.empty()) return;
    fault_ = "Nothing is listed: the filter “" + std::string(name) + "” cannot be read; " +
             std::string(must) + ".";
}

base::Task<net::ServerReply> unlisted(SharedSite site, Frame frame, std::string_view name, Json values,
                                      std::string fault) {
    values["fault"] = std::move(fault);
    return reply_with(std::move(site), 200, std::move(frame), name, std::move(values));
}

}  // namespace receiptd::page

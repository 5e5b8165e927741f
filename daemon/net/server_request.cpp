#include "net/server_request.hpp"

#include "base/ascii.hpp"
#include "net/fields.hpp"

#include <algorithm>

namespace receiptd::net {

bool read_target(std::string_view target, ServerRequest& request) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!base::equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
        target.remove_prefix(scheme.size());
        const auto host_ends = std::min(target.find_first_of("/?"), target.size());
        if (host_ends == 0) return false;
        request.target_host = target.substr(0, host_ends);
        target.remove_prefix(host_ends);
        if (!target.starts_with('/')) {
            request.path = "/";
            request.query = target.empty() ? "" : target.substr(1);
            return true;
        }
    }
    if (target != "*" && !target.starts_with('/')) return false;
    const std::size_t mark = std::min(target.find('?'), target.size());
    auto path = percent_decode(target.substr(0, mark), false);
    if (!path) return false;
    request.path = std::move(*path);
    request.query = target.substr(std::min(mark + 1, target.size()));
    return true;
}

std::string_view ServerRequest::header(std::string_view name) const { return find_header(headers, name); }

std::optional<std::vector<QueryParameter>> ServerRequest::query_parameters() const {
    std::vector<QueryParameter> all;
    std::string_view rest = query;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (pair.empty()) continue;
        const std::size_t equals = std::min(pair.find('='), pair.size());
        auto name = percent_decode(pair.substr(0, equals), true);
        auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
        if (!name || !value) return std::nullopt;
        all.push_back({std::move(*name), std::move(*value)});
    }
    return all;
}

std::string ServerRequest::query_parameter(std::string_view name) const {
    std::string_view rest = query;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        if (percent_decode(pair.substr(0, equals), true) != name) continue;
        return percent_decode(pair.substr(std::min(equals + 1, pair.size())), true).value_or("");
    }
    return {};
}

}  // namespace receiptd::net

#include "api/csv.hpp"

#include "base/coroutine.hpp"
#include "base/exact_json.hpp"

#include <algorithm>

namespace receiptd::api {

namespace {

using nlohmann::ordered_json;

bool is_decimal(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Spreadsheets run what begins so, wherever the text comes from.
bool would_run(std::string_view text) {
    constexpr std::string_view kBegins = "=+-@\t\r";
    return !text.empty() && kBegins.find(text.front()) != std::string_view::npos && !is_decimal(text);
}

std::string cell(const ordered_json& value) {
    if (value.is_null()) return {};
    auto text = value.is_string() ? value.get<std::string>() : base::write_json(value);
    if (would_run(text)) text.insert(0, 1, '\'');
    if (text.find_first_of(",\"\r\n\t'") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

}  // namespace

std::string csv_head(const std::string& object) {
    const auto read = base::read_json(object);
    std::string line;
    for (const auto& [name, value] : read.items()) line.append(line.empty() ? "" : ",").append(name);
    return line + "\r\n";
}

std::string csv_line(const std::string& object) {
    const auto read = base::read_json(object);
    std::string line;
    bool is_first = true;
    for (const auto& [name, value] : read.items()) {
        line.append(is_first ? "" : ",").append(cell(value));
        is_first = false;
    }
    return line + "\r\n";
}

net::ServerReply csv_reply_head(std::string_view name) {
    net::ServerReply reply;
    reply.headers.push_back({"Content-Type", "text/csv; charset=utf-8; header=present"});
    reply.headers.push_back(
        {"Content-Disposition", "attachment; filename=\"receiptd-" + std::string(name) + ".csv\""});
    reply.headers.push_back({"Cache-Control", "no-store"});
    reply.headers.push_back({"X-Accel-Buffering", "no"});  // for proxies that gather answers
    return reply;
}

net::ServerReply too_many_csv() {
    Problem problem;
    problem.status = 503;
    problem.detail = "there are " + std::to_string(Shared::kCsvAtOnce) + " downloads of lists already";
    problem.headers.push_back({"Retry-After", "5"});
    return problem_reply(problem);
}

}  // namespace receiptd::api

// /v1/silences: which alerts are not sent for a while, and why.
#include "api/body.hpp"
#include "api/list_reply.hpp"
#include "api/query.hpp"
#include "api/services.hpp"
#include "api/silence_json.hpp"
#include "base/coroutine.hpp"
#include "base/exact_json.hpp"
#include "base/units.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::api {

namespace {

using nlohmann::json;

std::string silence_text(const storage::SilenceRow& row) { return to_text(silence_json(row)); }

base::Task<net::ServerReply> list_silences(SharedContext context, Call call) {
    Query query(call.request, {"all"});
    const auto all = query.flag("all");
    if (query.fault()) co_return problem_reply(*query.fault());
    auto reading = context->services.silences.silences(all.value_or(false));
    auto found = co_await context->calls.wait_for(std::move(reading));
    co_return co_await list_reply(context->services.cpu, "silences", std::move(found), silence_text,
                                  std::nullopt);
}

std::optional<Problem> read_span(const json& body, storage::NewSilence& silence) {
    for (const auto& [name, time] :
         {std::pair{"starts_at", &silence.starts_at}, std::pair{"ends_at", &silence.ends_at}}) {
        auto value = text_member(body, "", name);
        if (!value) return value.error();
        if (!value->empty() && !is_time(*value))
            return bad_body(std::string("/") + name, "must be a time such as 2026-01-31T12:00:00Z");
        *time = std::move(*value);
    }
    const auto lasts = text_member(body, "", "for");
    if (!lasts) return lasts.error();
    if (lasts->empty() == silence.ends_at.empty())
        return bad_body("/for", "give either \"for\", such as \"2h\", or \"ends_at\"");
    if (lasts->empty()) return std::nullopt;
    const auto duration = base::parse_duration(*lasts);
    if (!duration) return bad_body("/for", "must be a duration such as \"2h\" or \"30m\"");
    silence.lasts = *duration;
    return std::nullopt;
}

base::Result<storage::NewSilence, Problem> read_silence(const json& body) {
    if (!body.is_object())
        return bad_body("", "must be an object {matcher, reason, author, for | ends_at, starts_at?}");
    if (auto fault = unknown_member(body, "", {"matcher", "reason", "author", "for", "starts_at", "ends_at"}))
        return *fault;
    storage::NewSilence silence;
    const auto matcher = body.find("matcher");
    if (matcher == body.end()) return bad_body("/matcher", "is missing");
    auto read = storm::parse_matcher(base::write_json(*matcher));
    if (!read) return bad_body("/matcher", read.error());
    silence.matcher = std::move(*read);
    for (const auto& [name, place] :
         {std::pair{"reason", &silence.reason}, std::pair{"author", &silence.author}}) {
        auto value = text_member(body, "", name);
        if (!value) return value.error();
        if (value->empty()) return bad_body(std::string("/") + name, "is missing");
        *place = std::move(*value);
    }
    if (auto fault = read_span(body, silence)) return *fault;
    return silence;
}

base::Task<net::ServerReply> add_silence(SharedContext context, Call call) {
    const auto body = co_await parse_body(context->services.cpu, std::move(call.request.body));
    if (!body) co_return problem_reply(body.error());
    auto silence = read_silence(*body);
    if (!silence) co_return problem_reply(silence.error());
    auto adding = context->services.silences.add_silence(std::move(*silence));
    const auto added = co_await context->calls.wait_for(std::move(adding));
    if (!added) co_return problem_reply(bad_body("", added.error()));
    co_return json_reply(201, silence_text(*added));
}

base::Task<net::ServerReply> end_silence(SharedContext context, Call call) {
    Query query(call.request, {"by"});
    if (query.fault()) co_return problem_reply(*query.fault());
    const auto& id = call.captured[0];
    auto by = query.text("by");
    std::optional<storage::SilenceRow> ended;
    if (const auto number = parse_number(id)) {
        auto ending = context->services.silences.end_silence(*number, by.empty() ? "API" : std::move(by));
        ended = co_await context->calls.wait_for(std::move(ending));
    }
    if (ended) co_return json_reply(200, silence_text(*ended));
    Problem problem;
    problem.status = 404;
    problem.detail = "there is no silence " + shown(id);
    co_return problem_reply(problem);
}

}  // namespace

std::vector<Route> silence_routes(const SharedContext& context) {
    return {{"GET", "/v1/silences", Access::read, bound(context, list_silences)},
            {"POST", "/v1/silences", Access::write, bound(context, add_silence)},
            {"DELETE", "/v1/silences/{silence_id}", Access::write, bound(context, end_silence)}};
}

}  // namespace receiptd::api

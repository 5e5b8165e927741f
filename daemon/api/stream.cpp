// /v1/stream
#include "api/query.hpp"
#include "api/services.hpp"
#include "base/coroutine.hpp"

namespace receiptd::api {

namespace {

// The context stays as long as the reader that refers to its hub.
struct Stream {
    SharedContext context;
    std::shared_ptr<EventHub::Reader> reader;
};

base::Task<std::string> next_piece(std::shared_ptr<const Stream> stream) {
    co_return co_await stream->reader->next();
}

net::NextPiece pieces_of(SharedContext context, std::shared_ptr<EventHub::Reader> reader) {
    const auto stream = std::make_shared<const Stream>(Stream{std::move(context), std::move(reader)});
    return [stream] { return next_piece(stream); };
}

// The header of a client that comes back takes precedence over the query parameter.
std::optional<std::int64_t> after_of(Query& query, const net::ServerRequest& request) {
    const auto asked = query.number("after");
    const auto header = request.header("Last-Event-ID");
    if (header.empty()) return asked;
    const auto last = parse_number(header);
    if (!last) query.refuse("Last-Event-ID", "must be the id of an event of this stream");
    return last;
}

StreamFilter stream_filter(Query& query) {
    StreamFilter filter;
    filter.kind = query.text("kind");
    if (!filter.kind.empty() && filter.kind != "transition" && filter.kind != "finding")
        query.refuse("kind", "must be transition or finding");
    filter.tx_hash = query.hash("tx_hash");
    return filter;
}

net::ServerReply too_many(std::size_t readers) {
    Problem problem;
    problem.status = 503;
    problem.detail = "there are " + std::to_string(readers) + " readers of the stream already";
    problem.headers.push_back({"Retry-After", "5"});
    return problem_reply(problem);
}

// Such a reader would wait for an event that does not exist yet.
net::ServerReply not_of_this_stream(std::int64_t after, std::int64_t highest) {
    Problem problem;
    problem.status = 409;
    problem.detail = "no event has the id " + std::to_string(after) + ", the highest is " +
                     std::to_string(highest) +
                     ": it is of another database; begin without Last-Event-ID and after";
    return problem_reply(problem);
}

base::Task<net::ServerReply> stream(SharedContext context, Call call) {
    Query query(call.request, {"after", "kind", "tx_hash"});
    auto filter = stream_filter(query);
    const auto after = after_of(query, call.request);
    if (query.fault()) co_return problem_reply(*query.fault());
    auto asking = context->services.findings.highest_stream_id();
    const auto highest = co_await context->calls.wait_for(std::move(asking));
    if (after && *after > highest) co_return not_of_this_stream(*after, highest);
    auto opening = EventHub::read(context->hub, {context->client, context->calls}, std::move(filter), after);
    auto reader = co_await std::move(opening);
    if (!reader) co_return too_many(context->options.stream.readers);
    net::ServerReply reply;
    reply.headers.push_back({"Content-Type", "text/event-stream"});
    reply.headers.push_back({"Cache-Control", "no-store"});
    reply.headers.push_back({"X-Accel-Buffering", "no"});  // for proxies that gather answers
    reply.next_piece = pieces_of(context, std::move(reader));
    co_return reply;
}

}  // namespace

std::vector<Route> stream_routes(const SharedContext& context) {
    return {{"GET", "/v1/stream", Access::read, bound(context, stream)}};
}

}  // namespace receiptd::api

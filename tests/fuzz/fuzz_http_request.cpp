// Requests mean the same in whatever pieces they come, and their queries can be read.
#include "fuzz/http_pieces.hpp"
#include "fuzz/visit_model.hpp"
#include "net/request_reader.hpp"

#include <vector>

namespace {

namespace net = receiptd::net;
using receiptd::fuzz::require;

constexpr std::uint64_t kLimit = 2'000;
constexpr std::size_t kReadSize = 512;

struct Seen {
    std::string text;  // method, path, query, headers and body of each, one after another
    net::RequestReader::State end = net::RequestReader::State::more;
    friend bool operator==(const Seen&, const Seen&) = default;
};

void note(Seen& seen, const net::ServerRequest& request) {
    require(!request.path.empty() && request.path.find('\0') == std::string::npos, "a path", request.path);
    require(request.body.size() <= kLimit, "a body within its limit");
    request.query_parameter("a");
    const auto parameters = request.query_parameters();
    seen.text += request.method + " " + request.path + "?" + request.query + "\n";
    if (parameters)
        for (const auto& each : *parameters) seen.text += each.name + "=" + each.value + "\n";
    for (const auto& header : request.headers) seen.text += header.name + ": " + header.value + "\n";
    seen.text += request.body;
}

Seen read(std::string_view bytes, std::size_t largest_piece) {
    receiptd::fuzz::Pieces pieces(bytes, largest_piece);
    net::RequestReader reader(kLimit);
    Seen seen;
    for (bool more = true; more;) {
        reader.begin();
        do {
            seen.end = reader.has_bytes() ? reader.parse() : net::RequestReader::State::more;
            if (reader.is_head_done()) reader.expects_continue();
            if (seen.end != net::RequestReader::State::more) break;
            const auto count = pieces.take(reader.room(kReadSize), kReadSize);
            reader.took(count);
            more = count > 0;
        } while (more);
        if (seen.end != net::RequestReader::State::whole) break;
        note(seen, reader.take());
        more = reader.keep_alive();
    }
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto whole = read(bytes, size + 1);
    for (const std::size_t largest_piece : {1U, 7U}) {
        const auto pieces = read(bytes, largest_piece);
        // A request that is broken off may be malformed as well, which is found out sooner or later; and so
        // may a head that is too large.
        const auto more = net::RequestReader::State::more;
        const auto large = net::RequestReader::State::head_too_large;
        if (pieces.end == large || whole.end == large) continue;
        require(pieces.end == whole.end || pieces.end == more || whole.end == more,
                "the end does not depend on pieces", pieces.text);
        require(pieces.text == whole.text, "requests do not depend on pieces", pieces.text);
    }
    return 0;
}

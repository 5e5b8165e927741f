// Reads one request after another from the bytes of a connection, whoever brings them.
#pragma once

#include "net/http_server.hpp"
#include "net/in_buffer.hpp"

#include <memory>
#include <optional>

namespace receiptd::net {

class RequestReader {
public:
    explicit RequestReader(std::uint64_t max_body_bytes);
    ~RequestReader();

    // Bytes that came and are not used yet.
    bool has_bytes() const { return !buffer_.empty(); }
    // Room for that many more; took() says how many came.
    char* room(std::size_t bytes) { return buffer_.prepare(bytes); }
    void took(std::size_t bytes) { buffer_.commit(bytes); }

    enum class State { more, whole, malformed, body_too_large, head_too_large };
    // Forgets the request before.
    void begin();
    // A head that makes no sense is malformed as soon as it is there.
    State parse();
    // Gives back the memory of a request that nobody wants; begin() starts anew.
    void drop();

    // The functions below concern the request that began last.
    bool is_head_done() const { return head_.has_value(); }
    // After is_head_done():
    const ServerRequest& head() const { return *head_; }  // without its body
    bool expects_continue() const;
    ServerRequest take();            // with its body
    std::size_t body_bytes() const;  // that came so far
    bool keep_alive() const;
    bool knows_chunks() const;  // HTTP/1.1

private:
    struct Parser;
    State parse_once();
    State take_head();

    const std::uint64_t max_body_bytes_;
    InBuffer buffer_;
    std::unique_ptr<Parser> parser_;
    std::optional<ServerRequest> head_;
    std::uint64_t body_wire_bytes_ = 0;  // with the framing of chunks
};

}  // namespace receiptd::net

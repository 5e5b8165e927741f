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
    State parse();

    // The functions below concern the request that began last.
    bool is_head_done() const;
    bool expects_continue() const;
    // The request without its body; nullopt: its head makes no sense.
    std::optional<ServerRequest> head() const;
    // With its body.
    std::optional<ServerRequest> take();
    bool keep_alive() const;
    bool knows_chunks() const;  // HTTP/1.1

private:
    struct Parser;
    const std::uint64_t max_body_bytes_;
    InBuffer buffer_;
    std::unique_ptr<Parser> parser_;
};

}  // namespace receiptd::net

// Reads one answer from a connection.
#pragma once

#include "base/task.hpp"
#include "net/http_client.hpp"

#include <boost/system/error_code.hpp>

namespace receiptd::net {

struct Answer {
    HttpResponse response;  // the body as received, not yet decompressed
    bool reusable = false;  // the connection can carry another request
};

// A connection that delivers the bytes of an answer.
class AnswerSource {
public:
    virtual ~AnswerSource() = default;
    virtual base::Task<std::size_t> read_some(char* data, std::size_t size,
                                              boost::system::error_code& error) = 0;
    // Bytes of this answer so far.
    virtual std::uint64_t received() const = 0;
    // An operation ended with `error`; what came is wrong for `cause`. Throws operation_aborted if it was the
    // awaiting coroutine that was cancelled: that is no failure of the transport.
    virtual TransportError failure(TransportFault fault, std::string_view phase,
                                   const boost::system::error_code& error) const = 0;
    virtual TransportError failure(TransportFault fault, std::string_view phase,
                                   std::string_view cause) const = 0;
};

// Where a body waits for its turn when it turns out to be large. What is not read waits at the other end.
class BodyDoor {
public:
    virtual ~BodyDoor() = default;
    // A body of up to so many bytes is read at once.
    virtual std::uint64_t small() const = 0;
    // `size`: of the body, or of the largest that it may be.
    virtual base::Task<void> pass(int status, std::uint64_t size) = 0;
};

// At most `limit` bytes of body. `to_head`: the request was HEAD, so no body follows. `door`: null: all are
// read at once.
base::Task<base::Result<Answer, TransportError>> read_answer(AnswerSource& source, std::uint64_t limit,
                                                             bool to_head, BodyDoor* door = nullptr);

}  // namespace receiptd::net

// Reads one answer from a connection.
#pragma once

#include "base/task.hpp"
#include "net/http_client.hpp"
#include "net/stream.hpp"

namespace receiptd::net {

struct Answer {
    HttpResponse response;  // the body as received, not yet decompressed
    bool reusable = false;  // the connection can carry another request
};

// At most `limit` bytes of body. `to_head`: the request was HEAD, so no body follows.
base::Task<base::Result<Answer, TransportError>> read_answer(Stream& stream, std::uint64_t limit,
                                                             bool to_head);

}  // namespace receiptd::net

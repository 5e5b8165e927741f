// The head of an answer as it goes over the wire.
#pragma once

#include "net/http_server.hpp"

#include <string>
#include <string_view>

namespace receiptd::net {

ServerReply plain_reply(int status, std::string_view text);

// May it be written? Not with a status out of range or a header that would end the head early.
bool is_sound(const ServerReply& reply);

// May a body follow this status at all?
bool has_body(int status);

std::string write_reply_head(const ServerReply& reply, std::string_view reason, std::uint64_t length,
                             bool keep_alive);

}  // namespace receiptd::net

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

// How the client learns where the body ends.
enum class Framing { length, chunked, close };

// `length` counts with Framing::length only.
std::string write_reply_head(const ServerReply& reply, Framing framing, std::uint64_t length,
                             bool keep_alive);

// The line before a chunk of that size; a line end goes after the chunk.
std::string chunk_head(std::size_t size);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace receiptd::net

// An answer as it came, with all that its judgement needs: it is judged off the event loop.
#pragma once

#include "base/task.hpp"
#include "net/http_client.hpp"
#include "rpc/error_class.hpp"

#include <functional>
#include <optional>
#include <string>

namespace receiptd::rpc {

struct Received {
    net::HttpResponse response;
    std::string upstream;  // its name
    std::string method;
    std::optional<chain::BlockHeight> height;      // of the block asked for or about
    std::optional<chain::BlockHeight> known_head;  // highest that any host told
    base::WallTime at{};
    Classifier classifier = classify;
    bool has_envelope = true;  // the answer is JSON-RPC
};

// A larger answer of status 200 is taken for a result, which is walked once, by its decoder.
inline constexpr std::size_t kLargestError = 64 * 1024;

// By envelope, status and, for an error, its cause; not by the contents of a result.
Verdict judge(const Received& received);
// A result that cannot be right.
Verdict wrong_contents(const std::string& why);
// A result that is right, but another host may know more.
Verdict lacking(const std::string& what);
// A result of which a part cannot be read; another host's may be readable.
Verdict readable_in_part(const std::string& why);

// The verdict on an answer, its contents included.
using Read = std::function<base::Task<Verdict>(Received received)>;

}  // namespace receiptd::rpc

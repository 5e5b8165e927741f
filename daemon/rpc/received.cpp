#include "rpc/received.hpp"

#include "base/line.hpp"
#include "base/visible.hpp"

namespace receiptd::rpc {

Verdict judge(const Received& received) {
    const auto& response = received.response;
    const bool large = response.body.size() > kLargestError;
    if (received.has_envelope && large && response.status == 200) return {};
    HttpObservation seen;
    seen.method = received.method;
    seen.height = received.height;
    seen.known_head = received.known_head;
    seen.now = received.at;
    seen.status = response.status;
    seen.retry_after = response.header("Retry-After");
    seen.body = response.body;
    std::optional<chain::Envelope> envelope;
    if (received.has_envelope)
        if (auto read = chain::read_envelope(response.body)) envelope = std::move(*read);
    if (envelope) seen.envelope = &*envelope;
    return received.classifier(seen);
}

namespace {

constexpr std::size_t kLongestWhy = 500;

// It may quote the answer.
std::string fit_to_show(const std::string& text) {
    return base::shortened(base::one_line(base::visible(text)), kLongestWhy);
}

Verdict another_may_know(const char* reason, const std::string& text) {
    Verdict verdict;
    verdict.error_class = ErrorClass::pruned;
    verdict.reason = reason;
    verdict.text = fit_to_show(text);
    verdict.absent = true;
    return verdict;
}

}  // namespace

Verdict wrong_contents(const std::string& why) {
    Verdict verdict;
    verdict.error_class = ErrorClass::endpoint_fault;
    verdict.reason = "malformed";
    verdict.text = fit_to_show(why);
    verdict.wrong_contents = true;
    return verdict;
}

Verdict lacking(const std::string& what) { return another_may_know(kLacking, what); }

Verdict readable_in_part(const std::string& why) { return another_may_know(kReadableInPart, why); }

}  // namespace receiptd::rpc

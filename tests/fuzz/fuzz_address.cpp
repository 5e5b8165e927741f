// Addresses that others name, and texts that come back from them: where a host redirects to, which
// transaction an explorer's page is about, and what is left of secrets. The input is three lines: the address
// that is configured, the one that is named, and a text.
#include "base/scrubber.hpp"
#include "config/parse.hpp"
#include "fuzz/visit_model.hpp"
#include "net/fields.hpp"
#include "rpc/redirects.hpp"
#include "storage/watch_store.hpp"
#include "watch/reference.hpp"

namespace {

using namespace receiptd;
using fuzz::require;

std::string_view take_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

void redirect(const net::Url& home, std::string_view location) {
    const auto target = rpc::resolve_location(home, location);
    if (!target) return;
    require(!target->host.empty() && target->target.starts_with('/'), "a host and a path", location);
    const auto way = rpc::followed(home, {"listed.example"}, *target);
    const bool is_home = target->origin() == home.origin();
    require((way == rpc::Followed::anywhere) ==
                (is_home || (target->host == "listed.example" && (target->tls || !home.tls))),
            "only the configured origin and listed hosts may be anywhere", location);
    if (way != rpc::Followed::no)
        require(is_home || target->tls || !home.tls, "never from https to http", location);
    if (way == rpc::Followed::to_public_addresses)
        require(target->tls && target->host.ends_with(home.host), "a subdomain by https", location);
}

void scrub(std::string_view target, std::string_view text) {
    base::Scrubber secrets;
    const auto parts = net::parts_that_may_be_secret(target);
    for (const auto& part : parts) secrets.add(part);
    const auto shown = secrets.scrub(std::string(text));
    require(secrets.scrub_cut(std::string(text)).size() <= shown.size() + 3, "nothing is added", text);
    for (const auto& part : parts)
        if (part.find('*') == std::string::npos)
            require(shown.find(part) == std::string::npos, "no secret is left", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto configured = take_line(input);
    const auto named = take_line(input);
    config::seems_to_hold_a_key(configured);
    const auto home = net::parse_url(configured);
    if (home && !config::url_fault(configured)) redirect(*home, named);
    constexpr std::size_t kLongestConfigured = 4'000;  // by the people whose secrets are in it
    if (home && home->target.size() <= kLongestConfigured) scrub(home->target, input);
    if (const auto reference = watch::parse_reference(named))
        require(storage::is_transaction_hash(reference->id), "the id is a hash", reference->id);
    const auto decoded = net::percent_decode(base::percent_encoded(named), false);
    require(named.find('\0') != std::string_view::npos || decoded == named, "encoding is undone by decoding",
            named);
    return 0;
}

// The whole-block side of the gateway: GET /v0/… (providers.md §2.1).
#pragma once

#include "net/http_server.hpp"
#include "sandbox/gateway/chain.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::sandbox {

class Neardata {
public:
    // `archive_origin`: where heights below the window are redirected to, "http://host:port";
    // empty: this host is the archive.
    Neardata(const Chain& chain, std::string chain_id, std::string archive_origin);
    void set_archive_origin(std::string origin) { archive_origin_ = std::move(origin); }

    // `path` starts with "/v0/"; `query` is kept in redirects, as keys travel there.
    // `gzip`: the client takes compressed answers.
    net::ServerReply answer(std::string_view path, const std::string& query, Window window,
                            bool gzip = false) const;

    // The height that the server holds the request for: one just above the newest block. nullopt: answer at
    // once.
    std::optional<Height> awaited(std::string_view path, Window window) const;

private:
    net::ServerReply block(std::string_view rest, const std::string& location, Window window,
                           bool gzip) const;
    net::ServerReply whole(Height height, bool gzip) const;
    net::ServerReply part(Height height, std::string_view suffix) const;
    Height genesis() const;
    // The newest whole block, final or not; nullopt: there are none here.
    std::optional<Height> newest(Height tip, bool optimistic) const;

    const Chain& chain_;
    std::string chain_id_;
    std::string archive_origin_;
};

}  // namespace receiptd::sandbox

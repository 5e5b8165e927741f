#include "page/frame.hpp"

#include "chain/wire/hash.hpp"
#include "draw/style.hpp"
#include "page/files.hpp"

#include <map>
#include <memory>

namespace receiptd::page {

namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; style-src 'self'";

constexpr std::size_t kVersionLength = 12;

struct Asset {
    std::shared_ptr<const std::string> text;
    std::string version;
};

const std::map<std::string, Asset, std::less<>>& assets() {
    static const auto all = [] {
        std::map<std::string, Asset, std::less<>> made;
        for (const auto& file : asset_files()) {
            auto text = file.text;
            if (file.name == "style.css") text += draw::style();
            auto version = chain::sha256(chain::bytes_of(text)).to_string().substr(0, kVersionLength);
            made.emplace(file.name,
                         Asset{std::make_shared<const std::string>(std::move(text)), std::move(version)});
        }
        return made;
    }();
    return all;
}

const char* content_type(std::string_view name) {
    if (name.ends_with(".css")) return "text/css; charset=utf-8";
    if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
    return "image/svg+xml";
}

void add_safety(net::ServerReply& reply, std::string policy) {
    reply.headers.push_back({"Content-Security-Policy", std::move(policy)});
    reply.headers.push_back({"X-Content-Type-Options", "nosniff"});
    reply.headers.push_back({"Referrer-Policy", "no-referrer"});
    reply.headers.push_back({"Cross-Origin-Opener-Policy", "same-origin"});
    reply.headers.push_back({"Cross-Origin-Resource-Policy", "same-origin"});
}

}  // namespace

std::string whole_page(const Frame& frame, std::string_view name, const Json& values) {
    Json all;
    all["title"] = frame.title;
    all["network"] = frame.network;
    all["version"] = frame.version;
    all["searched"] = frame.searched;
    for (const char* section : {"now", "findings", "watches", "alerts", "contracts"})
        all[std::string("on_") + section] = frame.section == section;
    all["style_version"] = assets().at("style.css").version;
    all["script_version"] = assets().at("script.js").version;
    all["body"] = render(name, values);
    return render("frame", all);
}

net::ServerReply html_reply(int status, std::string html) {
    net::ServerReply reply;
    reply.status = status;
    reply.headers.push_back({"Content-Type", "text/html; charset=utf-8"});
    reply.headers.push_back({"Cache-Control", "no-store"});
    add_safety(reply, std::string(kPolicy));
    reply.body = std::move(html);
    return reply;
}

std::optional<net::ServerReply> asset_reply(std::string_view name, const net::ServerRequest& request) {
    const auto found = assets().find(name);
    if (found == assets().end()) return std::nullopt;
    const auto& asset = found->second;
    const auto tag = '"' + asset.version + '"';
    net::ServerReply reply;
    reply.headers.push_back({"ETag", tag});
    // A link that names the version never needs to ask again.
    const bool fixed = request.query_parameter("v") == asset.version;
    reply.headers.push_back({"Cache-Control", fixed ? "public, max-age=31536000, immutable" : "no-cache"});
    add_safety(reply, "default-src 'none'; style-src 'unsafe-inline'");
    if (request.header("If-None-Match") == tag) {
        reply.status = 304;
        return reply;
    }
    reply.headers.push_back({"Content-Type", content_type(name)});
    reply.shared_body = asset.text;
    return reply;
}

}  // namespace receiptd::page

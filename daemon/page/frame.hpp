// The frame of every view, and how views and their files go over the wire.
#pragma once

#include "net/http_server.hpp"
#include "page/render.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::page {

struct Frame {
    std::string title;
    std::string section;  // "now", "findings", "watches", "alerts", "contracts"; empty: none
    std::string network;
    std::string version;
    std::string searched;  // what stands in the search box
};

// The template's view in the frame.
std::string whole_page(const Frame& frame, std::string_view name, const Json& values);

// With headers that let the page load nothing but this daemon's own script, style and data.
net::ServerReply html_reply(int status, std::string html);

// A file of assets/ (style.css goes on with the drawings' style), with an ETag; 304 where the client has it.
// nullopt: there is none of that name.
std::optional<net::ServerReply> asset_reply(std::string_view name, const net::ServerRequest& request);

}  // namespace receiptd::page

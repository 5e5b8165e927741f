// The GET routes of openapi.json as forms. Pure.
#pragma once

#include "page/render.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace receiptd::page {

// A parameter's value in the address of the view; empty: not given.
using GivenParameter = std::function<std::string(const std::string& name)>;

// {groups: [{name, about, routes: [{operation, path, summary, is_chosen}]}], chosen: {operation, path,
// summary, fields, link, runs, missing}}. `chosen` is there where the document has a GET route of that
// operationId; its `link` where all parts of the path are given, and it `runs` by itself where something
// is given (`run`, too, which forms send), or nothing can be. Throws nlohmann::json::exception where the
// document is no OpenAPI 3.1.
Json docs_values(const Json& document, std::string_view operation, const GivenParameter& given);

}  // namespace receiptd::page

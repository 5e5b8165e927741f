#include "sandbox/gateway/vm_error.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace receiptd::sandbox {

namespace {

using nlohmann::json;

constexpr std::string_view kIntroduction = "wasm execution failed with error: ";

// The inside of "Name(…)".
std::optional<std::string_view> inside(std::string_view text, std::string_view name) {
    if (!text.starts_with(name) || text.size() < name.size() + 2) return std::nullopt;
    if (text[name.size()] != '(' || text.back() != ')') return std::nullopt;
    return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

// Rust's Debug form of a string, without the quotes.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            plain += text[i];
            continue;
        }
        const char next = text[++i];
        plain += next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
    }
    return plain;
}

// {"Name":{"field":"value"}} of `Name { field: "value" }`.
std::optional<json> one_field(std::string_view text) {
    const auto open = text.find(" { ");
    const auto colon = text.find(": \"");
    if (open == std::string_view::npos || colon == std::string_view::npos || !text.ends_with("\" }") ||
        colon < open + 3 || text.size() < colon + 6)
        return std::nullopt;
    const std::string field(text.substr(open + 3, colon - open - 3));
    const auto value = text.substr(colon + 3, text.size() - colon - 6);
    return json{{std::string(text.substr(0, open)), {{field, unescaped(value)}}}};
}

}  // namespace

json function_call_error(std::string_view text) {
    if (text.starts_with(kIntroduction)) text.remove_prefix(kIntroduction.size());
    for (const char* name :
         {"MethodResolveError", "CompilationError", "HostError", "LinkError", "WasmTrap"}) {
        const auto cause = inside(text, name);
        if (!cause) continue;
        const auto structured = one_field(*cause);
        return {{name, structured ? *structured : json(std::string(*cause))}};
    }
    return {{"ExecutionError", std::string(text)}};
}

}  // namespace receiptd::sandbox

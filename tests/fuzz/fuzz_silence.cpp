// A silence as clients and the database give it, and whether an alert about any text matches it: the input is
// the JSON of a matcher, a zero byte, and a text of the chain.
#include "base/visible.hpp"
#include "fuzz/visit_model.hpp"
#include "storm/group.hpp"
#include "storm/silence.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace receiptd;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto cut = std::min(input.find('\0'), input.size());
    // Texts of the chain are UTF-8: whatever is not was refused when it was decoded.
    const std::string text = base::visible(input.substr(std::min(cut + 1, input.size())));
    storm::About about;
    about.kind = about.method_name = about.error_class = about.contract_id = text;
    about.rules = {text, "r"};
    using storm::KeyPart;
    const auto key = storm::group_key(about, {KeyPart::rule, KeyPart::receiver, KeyPart::method}, text);
    fuzz::require(nlohmann::json::accept(key), "the key of a group is JSON", key);
    const auto matcher = storm::parse_matcher(input.substr(0, cut));
    if (!matcher) {
        fuzz::require(!matcher.error().empty(), "a refused matcher has a reason");
        return 0;
    }
    const auto json = storm::to_json(*matcher);
    const auto again = storm::parse_matcher(json);
    fuzz::require(again && storm::to_json(*again) == json, "the canonical text is canonical", json);
    fuzz::require(storm::matches(*matcher, about) == storm::matches(*again, about), "and matches the same",
                  json);
    return 0;
}

// A rule is taken or refused with faults that name a place, and one that is taken can be asked about any
// JSON: the input is the rule, a zero byte, and the JSON of a contract.
#include "fuzz/visit_model.hpp"
#include "rule/json_path.hpp"
#include "rule/rule_set.hpp"

namespace {

using namespace receiptd;

// Touches what paths of [*] reach, at each depth.
void visit_each(const rule::JsonDocument& document) {
    rule::JsonPath path;
    for (std::size_t depth = 0; depth <= rule::kMostSteps; ++depth, path.emplace_back(rule::EachItem{}))
        rule::any_at(document, document.root(), path, [](const rule::JsonNode& value) {
            fuzz::visit(value.text);
            fuzz::visit(value.name);
            return false;
        });
}

void match_each_kind(const rule::Definition& definition, std::string_view json) {
    const rule::RuleSet rules({definition}, rule::Lists({{"hot", {"a.near"}}, {"cold", {"b.near"}}}));
    for (std::size_t kind = 0; kind < rule::kKinds; ++kind) {
        const rule::Subject subject{.kind = static_cast<rule::Kind>(kind),
                                    .signer_id = "a.near",
                                    .predecessor_id = "x.b.near",
                                    .receiver_id = "b.near",
                                    .method_name = json,
                                    .args_json = json,
                                    .error_text = json,
                                    .data_json = json,
                                    .amount = 1};
        const auto found = rules.match(subject);
        fuzz::require(found.empty() || rules.may_match(subject.kind, {"a.near", "x.b.near", "b.near"}),
                      "what matches may match", definition.json);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto cut = std::min(input.find('\0'), input.size());
    const auto json = input.substr(std::min(cut + 1, input.size()));
    if (const auto document = rule::JsonDocument::parse(json)) visit_each(*document);
    const auto parsed = rule::parse(input.substr(0, cut));
    if (!parsed) {
        fuzz::require(!parsed.error().empty(), "a refused rule has a fault");
        for (const auto& fault : parsed.error())
            fuzz::require(fault.path.starts_with("rule") && !fault.text.empty(),
                          "a fault has a place and a text");
        return 0;
    }
    const auto again = rule::parse(parsed->json);
    fuzz::require(again && again->json == parsed->json, "the canonical text is canonical", parsed->json);
    match_each_kind(*parsed, json);
    return 0;
}

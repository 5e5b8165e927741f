#include "chain/tree/finding.hpp"

#include <array>
#include <iterator>
#include <utility>

namespace receiptd::chain {

namespace {

constexpr std::array<std::pair<Verdict, Text>, 5> kVerdicts{{
    {Verdict::succeeded, "succeeded"},
    {Verdict::failed, "failed"},
    {Verdict::callback_failed, "callback_failed"},
    {Verdict::receipt_failed, "receipt_failed"},
    {Verdict::succeeded_with_handled_failure, "succeeded_with_handled_failure"},
}};

}  // namespace

Text verdict_name(Verdict verdict) {
    for (const auto& [each, name] : kVerdicts)
        if (each == verdict) return name;
    return {};
}

std::optional<Verdict> parse_verdict(Text name) {
    for (const auto& [verdict, text] : kVerdicts)
        if (text == name) return verdict;
    return std::nullopt;
}

void Decided::add(Decided&& other) {
    findings.insert(findings.end(), std::make_move_iterator(other.findings.begin()),
                    std::make_move_iterator(other.findings.end()));
    results.insert(results.end(), std::make_move_iterator(other.results.begin()),
                   std::make_move_iterator(other.results.end()));
}

void Finding::identify() { finding_id = kind + ":" + (receipt_id.empty() ? tx_hash : receipt_id); }

}  // namespace receiptd::chain

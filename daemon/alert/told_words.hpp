// One sentence about what receipts did and how transactions ended, for the person who is told of it. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace receiptd::alert {

// `kind`: "event", "transfer", "key_added", "verdict" or a stage; `told`: the object that was stored with it
// (storage/happening_subjects.hpp, verdict_subjects.hpp, watch_stages.hpp). Empty: of another kind.
std::string told_in_words(const std::string& kind, const nlohmann::ordered_json& told);

// Why a stage of a transaction that is executed has no verdict ("receipts_missing"). Empty: it has one, or
// receipts still run.
std::string why_no_verdict(const nlohmann::ordered_json& told);

}  // namespace receiptd::alert

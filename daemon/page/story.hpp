// A transaction told for somebody who does not know the chain: its verdict or stage, the sentences about it,
// and the few facts that answer what broke, where, why, and what became of the money. Pure.
#pragma once

#include "page/render.hpp"
#include "watch/transaction_json.hpp"

namespace receiptd::page {

// {badge, headline, sentences: [{text}], facts: [{name, text, tone}]}: the badge is that of the verdict, or
// of the stage while there is none.
Json story_of(const watch::TransactionView& view);

// The receipt whose failure explains the verdict: its root cause, or what decided it; nullptr: none failed.
const chain::JudgedReceipt* cause_of(const chain::Judgement& tree);

}  // namespace receiptd::page

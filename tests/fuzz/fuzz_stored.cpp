// JSON that the database gives back came from the chain: actions, errors, events, evidence.
#include "base/exact_json.hpp"
#include "chain/json/errors.hpp"
#include "chain/json/events.hpp"
#include "chain/json/failed_action.hpp"
#include "chain/json/json_check.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/token_moves.hpp"
#include "fuzz/visit_model.hpp"
#include "watch/transaction_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace receiptd;
    const std::string text = fuzz::body(data, size);
    const auto facts = chain::stored_action_facts(text);
    fuzz::require(facts.method_name.empty() || !facts.names.empty(), "a method is an action's", text);
    const auto failure = chain::classify_failure(text);
    fuzz::require(!failure.error_class.empty(), "a failure has a class", text);
    fuzz::require(failure.error_text.find('\0') == std::string::npos, "PostgreSQL can store it", text);
    chain::failed_action(text);
    if (const auto event = chain::read_event(text)) {
        for (const auto part : {event->standard, event->version, event->event}) fuzz::visit(part);
        fuzz::visit_json(event->data);
        for (const auto& move : chain::token_moves(*event)) {
            fuzz::require(move.amount > 0 && move.from != move.to, "a move moves something", text);
            for (const auto part : {move.from, move.to, move.token}) fuzz::visit(part);
        }
    }
    // Evidence is checked before it is stored (storage/watch_updates.cpp).
    if (!chain::check_json(text).queryable()) return 0;
    storage::Watch watch;
    watch.evidence_json = text;
    fuzz::require(!base::read_json(watch::watch_json(watch)).is_discarded(), "a watch is JSON", text);
    return 0;
}

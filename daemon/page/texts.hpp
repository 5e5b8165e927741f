// Hashes, amounts and times as people read them, and what the product's words mean. Pure.
#pragma once

#include "base/clock.hpp"
#include "base/u128.hpp"
#include "chain/tree/lifecycle.hpp"
#include "page/render.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::page {

// "4XXtr7…PNaEh": both ends of a long id. Accounts keep more.
std::string short_id(std::string_view id);
std::string short_account(std::string_view account);

// "12,345"
std::string count_text(base::u128 amount);
// "12345": people search for it and copy it, so it has no commas.
std::string height_text(chain::BlockHeight height);
std::string plural(std::uint64_t count, std::string_view one, std::string_view many);

// "12 s ago", "3 h ago", "in 5 min"
std::string ago_text(base::Duration age);
// {iso, ago}: for a <time>. `time` is of the chain or of a clock, in nanoseconds since 1970; null if 0.
Json time_json(std::uint64_t time_nanosec, base::WallTime now);
Json time_json(base::WallTime time, base::WallTime now);
// "2026-01-31T23:59:59.123456Z", as only this program and PostgreSQL write it, to the second; nullopt: it is
// none.
std::optional<base::WallTime> time_of(const std::string& iso);
// From a text in ISO 8601 in UTC; null if it is empty or no time.
Json time_json(const std::string& iso, base::WallTime now);

// For the query of a link.
std::string url_encoded(std::string_view text);
// {id, short, link}: a transaction.
Json transaction_link(const std::string& tx_hash);

// A badge: {key, label, tone, icon, means}. The tone is good, bad, odd, wait or calm; `means` is one
// sentence.
Json verdict_badge(chain::Verdict verdict);
Json stage_badge(chain::Stage stage);
Json stage_badge(const chain::WatchState& state);
Json stage_badge(const chain::Transition& transition);
Json part_badge();                             // receipts of a transaction that is not stored itself
Json kind_badge(std::string_view alert_kind);  // as alerts.kind has it
Json role_badge(chain::Role role);
Json delivery_badge(std::string_view state);
// The icon of a tone: status is never told by colour alone.
std::string_view icon_of(std::string_view tone);

// A sentence for a newcomer; the class itself where there is none for it.
std::string error_class_words(std::string_view error_class);

}  // namespace receiptd::page

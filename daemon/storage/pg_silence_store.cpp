#include "storage/pg_silence_store.hpp"

#include "base/nearest.hpp"
#include "base/nul.hpp"
#include "chain/json/errors.hpp"
#include "chain/json/json_check.hpp"
#include "rule/messages.hpp"
#include "storage/sql_time.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace receiptd::storage {
namespace {

const std::string kSilences =
    "SELECT silence_id, CASE WHEN ends_at <= now() THEN 'over' WHEN starts_at > now() THEN 'coming' "
    "ELSE 'active' END, matcher, " +
    iso("starts_at") + ", " + iso("ends_at") + ", " + iso("created_at") +
    ", reason, author, coalesce(ended_by, '') FROM silences ";

SilenceRow silence_row(const pqxx::row& row) {
    SilenceRow silence;
    silence.silence_id = row[0].as<std::int64_t>();
    silence.state = row[1].as<std::string>();
    silence.matcher_json = row[2].as<std::string>();
    silence.starts_at = row[3].as<std::string>();
    silence.ends_at = row[4].as<std::string>();
    silence.created_at = row[5].as<std::string>();
    silence.reason = row[6].as<std::string>();
    silence.author = row[7].as<std::string>();
    silence.ended_by = row[8].as<std::string>();
    return silence;
}

SilenceRow one_silence(pqxx::transaction_base& tx, std::int64_t silence_id) {
    return silence_row(shim::query(tx, kSilences + "WHERE silence_id = $1", silence_id)[0]);
}

// Locks the row until the commit: the counts grow in the order of the commits.
void count_silences(pqxx::transaction_base& tx) {
    tx.exec("UPDATE alert_rule_state SET silences = silences + 1");
}

struct Span {
    std::string starts_at, ends_at;
};

// As the database's clock has it. Empty: they are in order.
std::string times_of(pqxx::transaction_base& tx, const NewSilence& silence, Span& span) {
    const auto row = shim::query(
        tx,
        "SELECT start, stop, stop <= start, stop <= now(), stop > start + $4::bigint * interval '1 hour' "
        "FROM (SELECT coalesce(nullif($1, '')::timestamptz, now()) AS start) s, "
        "LATERAL (SELECT coalesce(nullif($2, '')::timestamptz, "
        "  start + $3::bigint * interval '1 millisecond') AS stop) e",
        silence.starts_at, silence.ends_at, silence.lasts.count(), kLongestSilence.count())[0];
    if (row[2].as<bool>()) return "a silence must end after its start";
    if (row[3].as<bool>()) return "the end of the silence has passed already";
    if (row[4].as<bool>()) return "a silence must not be longer than 366 days";
    span = {row[0].as<std::string>(), row[1].as<std::string>()};
    return {};
}

std::string text_fault(const char* name, const std::string& text) {
    if (text.empty()) return std::string("a silence needs ") + name;
    if (text.size() > kLongestSilenceText)
        return std::string(name) + " must not be longer than " + std::to_string(kLongestSilenceText) +
               " bytes";
    return {};
}

// A name without a wildcard that is not known matches nothing. Empty: there is none.
std::string unknown_name(const char* what, const std::vector<std::string>& patterns,
                         const std::vector<std::string>& known) {
    for (const auto& pattern : patterns) {
        if (pattern.find_first_of("*?") != std::string::npos ||
            std::find(known.begin(), known.end(), pattern) != known.end())
            continue;
        const auto near = base::nearest(pattern, {known.begin(), known.end()});
        return std::string("there is no ") + what + " \"" + pattern + "\"" +
               (near ? "; did you mean \"" + std::string(*near) + "\"?" : "");
    }
    return {};
}

std::string matcher_fault(pqxx::transaction_base& tx, const storm::Matcher& matcher) {
    std::vector<std::string> kinds;
    for (const auto& type : rule::message_types()) kinds.emplace_back(type.kind);
    const auto rules =
        texts_of(tx.exec("SELECT rule FROM endpoint_rules UNION SELECT name FROM alert_rules"));
    const auto endpoints = texts_of(tx.exec("SELECT name FROM endpoints"));
    for (auto fault :
         {unknown_name("kind of alert", matcher.kind, kinds), unknown_name("rule", matcher.rule, rules),
          unknown_name("endpoint", matcher.endpoint, endpoints)})
        if (!fault.empty()) return fault;
    for (const auto& written : matcher.error_class)
        if (const auto meant = chain::meant_error_class(written))
            return "there is no error class \"" + written + "\"; did you mean \"" + std::string(*meant) +
                   "\"?";
    for (const auto* accounts : {&matcher.account, &matcher.contract})
        for (const auto& pattern : *accounts)
            if (std::any_of(pattern.begin(), pattern.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
                return "\"" + pattern + "\" matches no account: their names have no upper-case letters";
    return {};
}

}  // namespace

base::Task<std::vector<SilenceRow>> PgSilenceStore::silences(bool all) {
    return lane_.transaction([all](pqxx::work& tx) {
        std::vector<SilenceRow> found;
        for (const auto& row :
             tx.exec(kSilences + (all ? "" : "WHERE ends_at > now() ") + "ORDER BY silence_id DESC"))
            found.push_back(silence_row(row));
        return found;
    });
}

base::Task<base::Result<SilenceRow, std::string>> PgSilenceStore::add_silence(NewSilence silence) {
    using Added = base::Result<SilenceRow, std::string>;
    return lane_.transaction([silence = std::move(silence)](pqxx::work& tx) -> Added {
        for (const auto& fault :
             {text_fault("a reason", silence.reason), text_fault("an author", silence.author)})
            if (!fault.empty()) return fault;
        Span span;
        for (const auto& fault : {times_of(tx, silence, span), matcher_fault(tx, silence.matcher)})
            if (!fault.empty()) return fault;
        count_silences(tx);
        if (tx.exec("SELECT count(*) FROM silences WHERE ends_at > now()")[0][0].as<int>() >= kMostSilences)
            return "there are " + std::to_string(kMostSilences) + " silences already: end some";
        const auto made =
            shim::query(tx,
                        "INSERT INTO silences (matcher, starts_at, ends_at, reason, author) "
                        "VALUES ($1::json, $2::timestamptz, $3::timestamptz, $4, $5) RETURNING silence_id",
                        chain::queryable_json(storm::to_json(silence.matcher)), span.starts_at, span.ends_at,
                        base::without_nul(silence.reason), base::without_nul(silence.author));
        return one_silence(tx, made[0][0].as<std::int64_t>());
    });
}

base::Task<std::optional<SilenceRow>> PgSilenceStore::end_silence(std::int64_t silence_id, std::string by) {
    return lane_.transaction([silence_id, by = std::move(by)](pqxx::work& tx) -> std::optional<SilenceRow> {
        count_silences(tx);
        shim::query(tx,
                    "UPDATE silences SET ended_by = $2, ends_at = greatest(now(), starts_at) "
                    "WHERE silence_id = $1 AND ends_at > now()",
                    silence_id, base::without_nul(by));
        if (shim::query(tx, "SELECT FROM silences WHERE silence_id = $1", silence_id).empty())
            return std::nullopt;
        return one_silence(tx, silence_id);
    });
}

}  // namespace receiptd::storage

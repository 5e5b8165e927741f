#include "storage/set_aside.hpp"

#include "base/line.hpp"
#include "base/log.hpp"
#include "base/nul.hpp"

#include <array>
#include <iterator>

namespace receiptd::storage {
namespace {

constexpr std::array<std::string_view, kAsides> kNames = {"stored_tree", "late_tree", "orphan",     "watch",
                                                          "delivery",    "alert",     "timed_rule", "row"};
constexpr std::array<std::string_view, 2> kNamesOfTheView = {"block", "tree"};
constexpr std::size_t kMostNews = 1'000;
constexpr std::size_t kMostKnown = 10'000;
constexpr std::size_t kLongestReason = 300;
constexpr std::size_t kLongestId = 300;

void write(pqxx::transaction_base& tx, const std::vector<std::string>& names,
           const std::vector<std::string>& ids, const std::vector<std::string>& reasons,
           const std::vector<std::string>& times) {
    if (names.empty()) return;
    shim::query(tx,
                "INSERT INTO set_aside_rows AS known (what, id, reason, times) "
                "SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) "
                "ON CONFLICT (what, id) DO UPDATE SET reason = excluded.reason, last_at = now(), "
                "times = known.times + excluded.times",
                text_array(names), text_array(ids), text_array(reasons), text_array(times));
}

// An id may be anything that a host gave.
std::pair<std::string, std::string> key_of(Aside what, const std::string& id) {
    return {std::string(aside_name(what)), base::shortened(base::without_nul(id), kLongestId)};
}

// Some of them may never be tried again. A row is missing until its block is repaired.
constexpr const char* kForget =
    "DELETE FROM set_aside_rows WHERE (last_at < now() - interval '7 days' AND what <> 'row') OR (what, id) "
    "IN "
    "(SELECT * FROM unnest($1::text[], $2::text[]))";

}  // namespace

std::string_view aside_name(Aside what) { return kNames.at(static_cast<std::size_t>(what)); }

Refusal::Refusal(const std::exception& error) {
    if (const auto* sql = dynamic_cast<const pqxx::sql_error*>(&error)) sqlstate = shim::sqlstate_of(*sql);
    const std::string text = error.what();
    reason = base::shortened(base::without_nul(text.substr(0, text.find('\n'))), kLongestReason);
}

void remember_left_out(pqxx::transaction_base& tx, const std::vector<chain::LeftOut>& left_out) {
    if (left_out.empty()) return;
    std::vector<std::string> ids, reasons;
    for (const auto& part : left_out) {
        ids.push_back(std::to_string(part.height) + ' ' + part.path);
        reasons.push_back("it cannot be read: " + part.reason);
    }
    shim::query(tx,
                "INSERT INTO set_aside_rows AS known (what, id, reason, times) "
                "SELECT $1, id, min(reason), 1 FROM unnest($2::text[], $3::text[]) AS left_out (id, reason) "
                "GROUP BY id ON CONFLICT (what, id) DO UPDATE SET reason = excluded.reason, last_at = now(), "
                "times = known.times + 1",
                std::string(aside_name(Aside::row)), text_array(ids), text_array(reasons));
}

SetAside::SetAside(metrics::StorageSeries& series) : series_(series) { show({}); }

void SetAside::put(Aside what, const std::string& id, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    const Key key = key_of(what, id);
    const bool is_new = !known_.contains(key) && !news_.put.contains(key);
    log::write(is_new ? log::Level::error : log::Level::debug,
               "set aside: the database does not take it, or cannot read it; the others go on",
               {{"what", key.first}, {"id", id}, {"because", reason}});
    news_.done.erase(key);
    if (news_.put.size() >= kMostNews && !news_.put.contains(key)) return;
    auto& seen = news_.put[key];
    seen.reason = reason;
    ++seen.times;
}

void SetAside::done(Aside what, const std::string& id) {
    const std::lock_guard lock(mutex_);
    if (known_.empty() && news_.put.empty()) return;
    const Key key = key_of(what, id);
    news_.put.erase(key);
    if (known_.contains(key)) news_.done.insert(key);
}

AsideCounts SetAside::save(pqxx::connection& connection) {
    News news;
    {
        const std::lock_guard lock(mutex_);
        std::swap(news, news_);
    }
    std::set<Key> known;
    AsideCounts counts;
    try {
        pqxx::work tx(connection);
        std::vector<std::string> names, ids, reasons, times, done_names, done_ids;
        for (const auto& [key, seen] : news.put) {
            names.push_back(key.first);
            ids.push_back(key.second);
            reasons.push_back(seen.reason);
            times.push_back(std::to_string(seen.times));
        }
        write(tx, names, ids, reasons, times);
        for (const auto& [what, id] : news.done) {
            done_names.push_back(what);
            done_ids.push_back(id);
        }
        shim::query(tx, kForget, text_array(done_names), text_array(done_ids));
        for (const auto& row : shim::query(tx, "SELECT what, id FROM set_aside_rows LIMIT $1", kMostKnown))
            known.emplace(row[0].as<std::string>(), row[1].as<std::string>());
        for (const auto& row : tx.exec("SELECT what, count(*) FROM set_aside GROUP BY what"))
            counts[row[0].as<std::string>()] = row[1].as<std::uint64_t>();
        tx.commit();
    } catch (...) {
        put_back(std::move(news));
        throw;
    }
    const std::lock_guard lock(mutex_);
    known_ = std::move(known);
    show(counts);
    return counts;
}

// News that came meanwhile is newer, and stays.
void SetAside::put_back(News news) {
    const std::lock_guard lock(mutex_);
    for (auto& [key, seen] : news.put) {
        if (news_.done.contains(key)) continue;
        const auto [place, is_first] = news_.put.emplace(key, seen);
        if (!is_first) place->second.times += seen.times;
    }
    for (const auto& key : news.done)
        if (!news_.put.contains(key)) news_.done.insert(key);
}

void SetAside::show(const AsideCounts& counts) {
    const auto set = [&](std::string_view name) {
        const auto found = counts.find(std::string(name));
        series_.set_aside(std::string(name), found == counts.end() ? 0 : static_cast<double>(found->second));
    };
    for (const auto name : kNames) set(name);
    for (const auto name : kNamesOfTheView) set(name);
}

}  // namespace receiptd::storage

// One of many, whose data the database does not take or cannot read, is set aside and the others go on.
// People see it in the view set_aside, in /readyz and in a metric.
#pragma once

#include "chain/rows/rows.hpp"
#include "metrics/storage_series.hpp"
#include "storage/fault.hpp"
#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace receiptd::storage {

// Kinds of what may be set aside; each has a name and an id in the view.
enum class Aside : std::uint8_t { stored_tree, late_tree, orphan, watch, delivery, alert, timed_rule, row };
constexpr unsigned kAsides = 8;
std::string_view aside_name(Aside what);

// How many there are, by name; also of kinds that only the view knows.
using AsideCounts = std::map<std::string, std::uint64_t>;

struct Refusal {
    explicit Refusal(const std::exception& error);
    std::string sqlstate;  // empty: none was given
    std::string reason;    // one line; never the row, which may hold a signed transaction
};

// Tries all of them together: work(some of them) returns nullopt, or why it failed; then each half is tried,
// down to the one that fails, and leave(one, why) says what becomes of it.
template <class T, class Work, class Leave>
void by_halves(std::span<const T> all, const Work& work, const Leave& leave) {
    if (all.empty()) return;
    const auto fault = work(all);
    if (!fault) return;
    if (all.size() == 1) return leave(all.front(), *fault);
    by_halves(all.first(all.size() / 2), work, leave);
    by_halves(all.subspan(all.size() / 2), work, leave);
}

// In the transaction of their blocks: what of them has no row.
void remember_left_out(pqxx::transaction_base& tx, const std::vector<chain::LeftOut>& left_out);

// Each process has one; it is thread-safe. What it learns comes into the database by save().
class SetAside {
public:
    explicit SetAside(metrics::StorageSeries& series);

    void put(Aside what, const std::string& id, const std::string& reason);
    void done(Aside what, const std::string& id);

    // Runs work(some of them) for all of them together; where their data is at fault, for each half, down to
    // the one that it is. `leave(one, refusal)` says what becomes of that one. `work` and `leave` commit what
    // they write. Other faults are thrown.
    template <class T, class IdOf, class Work, class Leave>
    void apart(Aside what, std::span<const T> all, const IdOf& id_of, const Work& work, const Leave& leave) {
        const auto try_some = [&](std::span<const T> some) {
            auto fault = fault_in(some, work);
            if (!fault)
                for (const auto& one : some) done(what, id_of(one));
            return fault;
        };
        by_halves(all, try_some, [&](const T& one, const Refusal& fault) {
            put(what, id_of(one), fault.reason);
            leave(one, fault);
        });
    }

    // The same where only a fault makes it worth to know what they are: work({}) is about all of them, and
    // `list()` names them when it fails.
    template <class List, class IdOf, class Work, class Leave>
    void together(Aside what, const List& list, const IdOf& id_of, const Work& work, const Leave& leave) {
        using T = typename std::invoke_result_t<List>::value_type;
        if (!fault_in(std::span<const T>(), work)) return;
        const auto all = list();
        apart(what, std::span<const T>(all), id_of, work, leave);
    }

    // Call every few seconds, also when nothing was set aside: another process may have.
    AsideCounts save(pqxx::connection& connection);

private:
    using Key = std::pair<std::string, std::string>;  // the name and the id
    struct Seen {
        std::string reason;
        std::uint64_t times = 0;
    };
    // Changes that the database does not have yet.
    struct News {
        std::map<Key, Seen> put;
        std::set<Key> done;
    };

    // The reason, if the fault is in what the work was about.
    template <class T, class Work>
    static std::optional<Refusal> fault_in(std::span<const T> some, const Work& work) {
        try {
            work(some);
            return std::nullopt;
        } catch (const std::exception& e) {
            if (!is_of_the_rows(e)) throw;
            return Refusal(e);
        }
    }
    void put_back(News news);
    void show(const AsideCounts& counts);

    metrics::StorageSeries& series_;
    std::mutex mutex_;
    News news_;
    std::set<Key> known_;  // in the database
};

}  // namespace receiptd::storage

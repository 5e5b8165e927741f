#include "storage/rejudge.hpp"

#include "chain/rows/rows_write.hpp"
#include "chain/tree/judgement.hpp"
#include "chain/tree/rules.hpp"
#include "storage/block_times.hpp"
#include "storage/copy.hpp"
#include "storage/corrections.hpp"
#include "storage/executions.hpp"
#include "storage/news.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/place_trees.hpp"
#include "storage/placing.hpp"
#include "storage/set_aside.hpp"
#include "storage/stored_tree.hpp"
#include "storage/told_again.hpp"
#include "storage/tree_load.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace receiptd::storage {
namespace {

struct Included {
    std::vector<std::string> tx_hashes;
    TreeTimes times;
};

// Executions of one hash are judged together. They lie a day apart at most: so long are the bytes valid.
void begin_with_earlier_executions(pqxx::transaction_base& tx, Included& found) {
    const auto first = shim::query(tx,
                                   "SELECT min(block_time) FROM tree_transactions($1::text[], "
                                   "$2::timestamptz - interval '7 days', $2::timestamptz)",
                                   text_array(found.tx_hashes), found.times.since)[0][0];
    if (!first.is_null()) found.times.since = first.as<std::string>();
}

Included included(pqxx::transaction_base& tx, base::HeightRange heights) {
    Included found;
    const auto times = times_of_blocks(tx, heights);
    if (!times) return found;
    const auto rows = shim::query(tx,
                                  "SELECT tx_hash, " + time_parameter(3) + ", " + time_parameter(4) +
                                      " + interval '7 days' FROM transactions "
                                      "WHERE block_height BETWEEN $1 AND $2 AND " +
                                      between("block_time", 3) + " ORDER BY block_height, tx_hash",
                                  heights.from, heights.to, times->since, times->until);
    for (const auto& row : rows) {
        found.tx_hashes.push_back(row[0].as<std::string>());
        found.times = {row[1].as<std::string>(), row[2].as<std::string>()};
    }
    if (!found.tx_hashes.empty()) begin_with_earlier_executions(tx, found);
    return found;
}

using ResultKey = std::pair<std::string, std::uint64_t>;  // hash, height of the block that includes it

struct JudgingAgain {
    RuleBook& rules;
    std::string why;
};

// Judges some trees again, and replaces their stored results and findings.
class Replacing {
public:
    Replacing(pqxx::transaction_base& tx, const JudgingAgain& again, const TreeTimes& times)
        : tx_(tx), again_(again), times_(times), placing_(tx, times) {
        told_.why = again.why;
    }

    // The transactions among these that have a result and were not judged: not all of them lies between the
    // times.
    std::vector<std::string> left(const std::vector<std::string>& tx_hashes) {
        std::vector<std::string> found;
        for (const auto& row :
             shim::query(tx_,
                         "SELECT DISTINCT tx_hash FROM transaction_results "
                         "WHERE tx_hash = ANY ($1::text[]) AND tx_hash <> ALL ($2::text[]) "
                         "AND block_time BETWEEN $3::timestamptz AND $4::timestamptz",
                         text_array(tx_hashes), text_array(settled_), times_.since, times_.until))
            found.push_back(row[0].as<std::string>());
        return found;
    }

    Rejudged run(const std::vector<std::string>& tx_hashes) {
        for (const auto& [tx_hash, tree] : load_to_judge(tx_, tx_hashes, times_)) {
            if (tree.transaction) judge(tx_hash, tree);
        }
        take_results_back();
        write_users();
        done_.roles = placing_.write();
        replace();
        return done_;
    }

private:
    // All executions of a hash are replaced, or none.
    void judge(const std::string& tx_hash, const StoredTree& tree) {
        const auto executions = executions_of(tx_hash, tree);
        chain::Decided all;
        for (const auto& execution : executions) {
            const auto judgement = execution.judge();
            placing_.add(tx_hash, judgement);
            auto decided = chain::decided(*tree.transaction, judgement);
            const bool is_over = !decided.results.empty();
            if (const auto at = judgement.included ? judgement.included_at : tree.listed_at)
                take_user({tx_hash, at->height},
                          is_over ? judgement.user.id : tree.transaction->named_user());
            if (!is_over && executions.size() == 1 && judgement.settled && judgement.undecided)
                undecided_.push_back(tx_hash);
            if (is_over) all.add(std::move(decided));
        }
        if (all.results.size() == executions.size()) take(tx_hash, std::move(all));
    }

    void take(const std::string& tx_hash, chain::Decided&& decided) {
        settled_.push_back(tx_hash);
        told_.tx_hashes.push_back(tx_hash);
        told_.verdicts.emplace_back(chain::verdict_name(decided.results.front().verdict));
        told_.error_classes.push_back(decided.results.front().failure.error_class);
        for (const auto& result : decided.results)
            verdicts_[{tx_hash, result.included_at.height}] = chain::verdict_name(result.verdict);
        for (const auto& finding : decided.findings) {
            const bool is_known = findings_.contains(finding.finding_id);
            findings_.insert(finding.finding_id);
            if (is_known) continue;
            told_.holding.push_back(finding.finding_id);
            told_.handled.emplace_back(!finding.handled ? "" : *finding.handled ? "t" : "f");
        }
        chain::write_decided(batch_, std::move(decided));
    }

    // The row of a transaction has the named user until its tree is over (disown.hpp).
    void take_user(const ResultKey& included, std::string user_id) {
        if (user_id.empty()) return;
        relayed_.push_back(included.first);
        relayed_at_.push_back(std::to_string(included.second));
        users_.push_back(std::move(user_id));
    }

    // Results, by the rules of before, of trees of which receipts are missing that decide the verdict by
    // these. The trees are fetched again.
    void take_results_back() {
        const auto rows =
            shim::query(tx_,
                        "SELECT tx_hash, block_height FROM transaction_results WHERE tx_hash = ANY "
                        "($1::text[]) AND block_time BETWEEN $2::timestamptz AND "
                        "$3::timestamptz",
                        text_array(undecided_), times_.since, times_.until);
        std::vector<std::string> judged;
        for (const auto& row : rows) {
            const auto& tx_hash = judged.emplace_back(row[0].as<std::string>());
            settled_.push_back(tx_hash);
            told_.tx_hashes.push_back(tx_hash);
            told_.verdicts.emplace_back();
            told_.error_classes.emplace_back(chain::kReceiptsMissing);
            verdicts_[{tx_hash, row[1].as<std::uint64_t>()}] = chain::kind::kUndecided;
        }
        const auto meanwhile = [](const std::string& time) {
            return time + " BETWEEN $2::timestamptz AND $3::timestamptz";
        };
        shim::query(tx_, make_pending("rows", meanwhile, "t.tx_hash = ANY ($1::text[])"), text_array(judged),
                    times_.since, times_.until);
    }

    void write_users() {
        if (relayed_.empty()) return;
        shim::query(tx_,
                    "UPDATE transactions t SET user_id = known.user_id "
                    "FROM unnest($1::text[], $2::text[], $3::text[]) AS known (tx_hash, height, user_id) "
                    "WHERE t.tx_hash = known.tx_hash AND t.block_height = known.height::bigint "
                    "  AND t.user_id IS DISTINCT FROM known.user_id "
                    "  AND t.block_time BETWEEN $4::timestamptz AND $5::timestamptz",
                    text_array(relayed_), text_array(relayed_at_), text_array(users_), times_.since,
                    times_.until);
    }

    void replace() {
        done_.trees = settled_.size();
        take_back_judged(tx_, told_);
        std::map<ResultKey, std::string> earlier;
        for (const auto& row : remove("transaction_results WHERE tx_hash", "tx_hash, block_height, verdict"))
            earlier[{row[0].as<std::string>(), row[1].as<std::uint64_t>()}] = row[2].as<std::string>();
        for (const auto& [included, verdict] : verdicts_)
            if (const auto& before = earlier[included]; before != verdict)
                ++done_.verdicts[{before, verdict}];
        for (const auto& row : remove("findings WHERE " + kTreeFindings + " AND tree_id", "finding_id")) {
            const auto again = findings_.find(row[0].as<std::string>());
            if (again == findings_.end())
                ++done_.findings_removed;
            else
                findings_.erase(again);
        }
        done_.findings_added = findings_.size();
        copy_rows(tx_, batch_);
        tell_findings(tx_, again_.rules, batch_.findings, Telling::again);
    }

    pqxx::result remove(const std::string& from, const std::string& returning) {
        return shim::query(tx_,
                           "DELETE FROM " + from +
                               " = ANY ($1::text[]) AND block_time BETWEEN $2::timestamptz AND "
                               "$3::timestamptz RETURNING " +
                               returning,
                           text_array(settled_), times_.since, times_.until);
    }

    pqxx::transaction_base& tx_;
    const JudgingAgain& again_;
    const TreeTimes& times_;
    std::vector<std::string> settled_;
    JudgedAnew told_;
    std::map<ResultKey, std::string> verdicts_;
    std::multiset<std::string> findings_;  // two executions may have failed by one id: that of the hash
    std::vector<std::string> undecided_;
    std::vector<std::string> relayed_, relayed_at_, users_;
    Placing placing_;
    chain::RowBatch batch_;
    Rejudged done_;
};

// Trees that took longer are looked for as far as they reach.
Rejudged rejudge_some(pqxx::transaction_base& tx, const JudgingAgain& again,
                      const std::vector<std::string>& tx_hashes, const TreeTimes& times) {
    Replacing most(tx, again, times);
    auto done = most.run(tx_hashes);
    const auto longer = most.left(tx_hashes);
    if (longer.empty()) return done;
    const TreeTimes all{times.since, whole_times(tx, longer).until};
    Replacing others(tx, again, all);
    done.add(others.run(longer));
    done.left = others.left(longer).size();
    return done;
}

Rejudged rejudge_trees(pqxx::transaction_base& tx, const JudgingAgain& again,
                       std::span<const std::string> tx_hashes, const TreeTimes& times) {
    Rejudged done;
    for (; !tx_hashes.empty(); tx_hashes = tx_hashes.subspan(std::min(kTreesAtOnce, tx_hashes.size()))) {
        const auto part = tx_hashes.first(std::min(kTreesAtOnce, tx_hashes.size()));
        const std::vector<std::string> some(part.begin(), part.end());
        find_executions(tx, some, times);
        gather_executions(tx, some);
        keep_first_rows(tx, text_array(some), times);
        done.add(rejudge_some(tx, again, some, times));
        name_executions(tx, some);
    }
    return done;
}

void note_judged(pqxx::transaction_base& tx, base::HeightRange heights) {
    shim::query(tx, "UPDATE coverage SET judged_before = judged_before - $1::int8multirange",
                base::HeightSet(heights).to_multirange());
}

Rejudged rejudge_together(pqxx::connection& connection, const JudgingAgain& again,
                          base::HeightRange heights) {
    pqxx::work tx(connection);
    lock_adoption(tx);
    const auto found = included(tx, heights);
    const auto done = rejudge_trees(tx, again, found.tx_hashes, found.times);
    note_judged(tx, heights);
    tx.commit();
    return done;
}

// What is refused stays as it was judged.
Rejudged rejudge_apart(pqxx::connection& connection, Database& database, const std::string& why,
                       base::HeightRange heights) {
    const auto found = [&] {
        pqxx::work tx(connection);
        return included(tx, heights);
    }();
    Rejudged done;
    const auto judge = [&](std::span<const std::string> some) {
        pqxx::work tx(connection);
        lock_adoption(tx);
        const auto judged = rejudge_trees(tx, {database.rules, why}, some, found.times);
        tx.commit();
        done.add(judged);
    };
    const auto leave = [&](const std::string&, const Refusal&) { ++done.left; };
    database.set_aside.apart(Aside::stored_tree, std::span(found.tx_hashes), std::identity(), judge, leave);
    pqxx::work tx(connection);
    note_judged(tx, heights);
    tx.commit();
    return done;
}

Rejudged rejudge_all(pqxx::connection& connection, Database& database, const std::string& why,
                     base::HeightRange heights) {
    try {
        return rejudge_together(connection, {database.rules, why}, heights);
    } catch (const std::exception& error) {
        if (!is_of_the_rows(error)) throw;
        return rejudge_apart(connection, database, why, heights);
    }
}

}  // namespace

void Rejudged::add(const Rejudged& other) {
    trees += other.trees;
    for (const auto& [change, count] : other.verdicts) verdicts[change] += count;
    roles += other.roles;
    findings_added += other.findings_added;
    findings_removed += other.findings_removed;
    left += other.left;
}

void note_rules(pqxx::transaction_base& tx) {
    shim::query(tx,
                "UPDATE coverage SET judged_before = judged_before + heights, judged_by = $1 "
                "WHERE judged_by < $1",
                chain::kRulesVersion);
}

StoredHeights stored_heights(pqxx::transaction_base& tx) {
    const auto oldest = tx.exec("SELECT oldest_block_time()")[0][0];
    if (oldest.is_null()) return {};
    const auto rows = shim::query(
        tx,
        "WITH kept AS (SELECT heights * int8multirange(int8range(first, NULL)) AS heights, judged_before "
        "  FROM coverage, (SELECT min(block_height) AS first FROM blocks WHERE block_time = $1::timestamptz) "
        "b) "
        "SELECT heights, heights * judged_before FROM kept",
        oldest.as<std::string>());
    if (rows.empty()) return {};
    return {heights_of(rows[0][0]), heights_of(rows[0][1])};
}

base::Task<StoredHeights> Rejudging::heights() {
    return database_.pool.adopting.transaction([](pqxx::work& tx) {
        note_rules(tx);
        return stored_heights(tx);
    });
}

base::Task<Rejudged> Rejudging::rejudge(base::HeightRange included_in, std::string why) {
    return database_.pool.adopting.run(
        [&database = database_, included_in, why = std::move(why)](pqxx::connection& connection) {
            try {
                return rejudge_together(connection, {database.rules, why}, included_in);
            } catch (const pqxx::unique_violation&) {
                // A daemon stored a result of one of the trees meanwhile; now it is seen.
            } catch (const std::exception& error) {
                if (!is_of_the_rows(error)) throw;
            }
            return rejudge_all(connection, database, why, included_in);
        });
}

}  // namespace receiptd::storage

// Stored trees, judged again by the rules of this program: history keeps one meaning.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "storage/corrections.hpp"
#include "storage/database.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace receiptd::storage {

// What judging again has changed.
struct Rejudged {
    std::uint64_t trees = 0;                                                // that are settled
    std::map<std::pair<std::string, std::string>, std::uint64_t> verdicts;  // before (empty: none), now
    std::uint64_t roles = 0;
    std::uint64_t findings_added = 0;
    std::uint64_t findings_removed = 0;
    std::uint64_t left =
        0;  // trees that keep their result: something of them is not stored any more, or is refused

    void add(const Rejudged& other);
};

// Heights whose blocks are stored: retention has dropped the others.
struct StoredHeights {
    base::HeightSet all;
    base::HeightSet judged_before;  // by earlier rules, and not again since
};

class Rejudging {
public:
    explicit Rejudging(Database& database) : database_(database) {}

    base::Task<StoredHeights> heights();
    // One database transaction: users, roles, results and findings of the trees whose transactions these
    // heights include. A tree that is not settled keeps its findings. Nobody is told but of what was
    // told and does not hold (corrections.hpp), with `why`. Idempotent. Where the data of one tree is at
    // fault, each has a transaction of its own, and that one stays as it was.
    base::Task<Rejudged> rejudge(base::HeightRange included_in, std::string why = kOtherRules);

private:
    Database& database_;
};

// Notes, at the first start with other rules, which heights earlier ones have judged.
void note_rules(pqxx::transaction_base& tx);
StoredHeights stored_heights(pqxx::transaction_base& tx);

}  // namespace receiptd::storage

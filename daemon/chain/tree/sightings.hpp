// Transactions seen in a block, for listeners after its commit (rules, watches).
#pragma once

#include "chain/tree/facts.hpp"

#include <string>
#include <vector>

namespace receiptd::chain {

struct SeenTransaction {
    std::string tx_hash;
    std::string signer_id;
    std::string named_user;  // empty: none (user.hpp); it need not have signed
    std::string receiver_id;
    std::vector<std::string> methods;  // of its function calls, those inside a Delegate action included
    ExecutedAt included_at;
    bool stored = false;  // in scope: what becomes of it is stored
};
SeenTransaction seen_transaction(const SignedTransaction& transaction, ExecutedAt included_at, bool stored);

struct Sightings {
    bool collected = false;  // false: nobody listened when the rows were made
    bool history = false;    // of a range that was ordered: no rule looks at it
    std::vector<SeenTransaction> transactions;
    std::vector<std::string> trees;     // hashes of the transactions whose receipts were executed
    std::vector<std::string> data_ids;  // of the data that was listed (source rpc)

    // Adds the sightings of a later block; `collected` stays true only if both have it.
    void append(Sightings&& other);
};

}  // namespace receiptd::chain

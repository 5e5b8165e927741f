// Looks a transaction up for a reader: in the database, and what is not stored at the hosts.
#pragma once

#include "api/services.hpp"
#include "base/result.hpp"
#include "watch/reference.hpp"

#include <optional>
#include <string>

namespace receiptd::api {

// Finds what the text refers to: an id or an address of it, else the submission with this idempotency key,
// such as the number of an order. nullopt: nothing.
base::Task<std::optional<watch::Reference>> find_reference(SharedContext context, std::string text);

struct Sought {
    std::string id;              // of a transaction, or of one of its stored receipts
    std::string sender_id;       // its signer; empty: not known, so that no host can be asked
    bool may_ask_hosts = false;  // see below
};

// Problems: 404 nobody knows it; 401 the hosts know more, and asking them needs the token; 429 they were
// asked less than a second ago. Throws NoAnswer, as DatabaseCalls do.
base::Task<base::Result<watch::TransactionView, Problem>> find_transaction(SharedContext context,
                                                                           Sought sought);

// Asking spends what the hosts allow: where a token is configured it is asked for.
bool may_ask_hosts(const Services& services, const net::ServerRequest& request);

}  // namespace receiptd::api

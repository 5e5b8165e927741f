// Asks for an account and its keys (rpc.md §6). "Does not exist" is an answer, too.
#pragma once

#include "rpc/decoded_call.hpp"

#include <optional>
#include <string>

namespace receiptd::rpc {

// nullopt: the account, or the key, does not exist there.
using AccountAnswer = Answer<std::optional<chain::AccountView>>;
using AccessKeyAnswer = Answer<std::optional<chain::AccessKeyView>>;

// A Call of ask_account() or ask_access_key().
base::Task<base::Result<AccountAnswer, CallError>> call_account(Router& router, base::asio::thread_pool& pool,
                                                                Call call);
base::Task<base::Result<AccessKeyAnswer, CallError>> call_access_key(Router& router,
                                                                     base::asio::thread_pool& pool,
                                                                     Call call);

// Whether the error says that the requested item does not exist.
bool says_no_account(const CallError& error);
bool says_no_access_key(const CallError& error);

}  // namespace receiptd::rpc

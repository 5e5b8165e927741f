// Asks for an account and its keys (rpc.md §6). "Does not exist" is an answer, too.
#pragma once

#include "rpc/decoded_call.hpp"

#include <optional>
#include <string>

namespace receiptd::rpc {

template <class View>
struct Looked {
    std::optional<View> view;  // nullopt: the account, or the key, does not exist there
    bool has_no_account = false;
    chain::BlockHeight at = 0;  // the block that the host looked at; 0: it names none
};
using LookedAccount = Looked<chain::AccountView>;
using LookedKey = Looked<chain::AccessKeyView>;
using AccountAnswer = Answer<LookedAccount>;
using AccessKeyAnswer = Answer<LookedKey>;

// A Call of ask_account() or ask_access_key().
base::Task<base::Result<AccountAnswer, CallError>> call_account(Router& router, base::asio::thread_pool& pool,
                                                                Call call);
base::Task<base::Result<AccessKeyAnswer, CallError>> call_access_key(Router& router,
                                                                     base::asio::thread_pool& pool,
                                                                     Call call);

}  // namespace receiptd::rpc

// receiver.sandbox: a contract to send tokens to with ft_transfer_call; `msg` says what it does with them.
//
// ft_on_transfer {sender_id, amount, msg}, by msg
//   keep                    returns "0": it used all. So does anything that is not listed here
//   return                  returns the amount: it used nothing
//   return:AMOUNT           returns that as unused (the token takes back at most what was sent)
//   panic, panic:TEXT       panics
//   burn_gas                uses all its gas: "Exceeded the prepaid gas."
//   garbage                 returns bytes that are no JSON, which a token takes as nothing used
//   call:ACCOUNT:METHOD, call:ACCOUNT:METHOD:ARGS
//                           calls that with all gas left (ARGS: JSON, default {}) and returns its result
//
// More can be had from script.sandbox, whose ft_on_transfer takes a program as msg.
#pragma once

#include "sandbox/sim/host.hpp"

namespace receiptd::sandbox {

class ReceiverContract : public sim::Contract {
public:
    bool call(std::string_view method_name, sim::Host& host) const override;
};

}  // namespace receiptd::sandbox

// script.sandbox: runs programs written in JSON, so that any graph of receipts can be made from a test.
//
// Methods: `run`, whose arguments are the program, and `ft_on_transfer {sender_id, amount, msg}`, whose msg
// is one (as text). A program is {"steps": [STEP, …]} or just [STEP, …]; the steps run in order. Whatever is
// wrong with a program panics with the step's number and what was expected, and nothing of it has happened.
//
// Values
//   GAS      a number of Tgas (5, 0.25), or gas as a decimal string ("5000000000000")
//   AMOUNT   yocto as a decimal string
//   ACCOUNT  an account id, or "@self", "@signer", "@predecessor"
//   NAME     any text: what later steps call a promise; a promise need not have one
//   CALL     these members: "method" TEXT with "args" (any JSON; default {}) or "args_base64" TEXT;
//            or "run" [STEP, …], which is the method "run" with that program.
//            "gas" GAS and "weight" N: attached gas, and shares of the gas left at the end. With neither
//            the weight is 1; with "gas" alone it is 0. "deposit" AMOUNT, default "0" (not in a yield)
//
// Steps, each an object with one member, or just its name where it takes nothing
//   {"log": TEXT}
//   {"panic": TEXT}
//   {"return": any JSON}  {"return_text": TEXT}  {"return_base64": TEXT}    the value; the steps go on
//   {"use_gas": GAS}
//   {"transfer": {"to": ACCOUNT, "amount": AMOUNT, "after"?: NAME, "as"?: NAME}}
//   {"call": {"account": ACCOUNT, CALL, "after"?: NAME, "as"?: NAME}}
//   {"then": {"after": NAME, "account"?: ACCOUNT, CALL, "as"?: NAME}}    account: default "@self"
//   {"batch": {"account": ACCOUNT, "actions": [ACTION, …], "after"?: NAME, "as"?: NAME}}
//   {"and": {"promises": [NAME, …], "as": NAME}}
//   {"return_promise": NAME}    the result of this call will be that promise's
//   {"yield": {"id": TEXT, CALL, "as"?: NAME}}
//                               a callback on this account that waits for a resume with that id
//   {"resume": {"id": TEXT, "value": any JSON}}
//                               or "text": TEXT, or "base64": TEXT; at most 1,024 bytes
//   {"write": {"key": TEXT, "value": TEXT}}
//   {"read": TEXT}              logs "KEY = VALUE" or "KEY is not set"
//   {"return_stored": TEXT}     returns what is stored under that key, as text; panics if nothing is
//   {"remove": TEXT}
//   "log_promise_results"       logs "promise result 0: TEXT" of each, "promise result 0 (base64): TEXT" if
//                               it is no text, "promise result 0: failed"
//   {"return_promise_result": N}
//                               returns the value of that one; panics if it failed
//   "fail_if_promise_failed"    panics if any failed
//   {"if_promise_failed": {"then"?: [STEP, …], "else"?: [STEP, …]}}
//
// Actions of a batch
//   "create_account"
//   {"transfer": AMOUNT}
//   {"deploy": "ft" | "receiver" | "yield" | "script"}  {"deploy_base64": TEXT}
//   {"add_key": {"public_key": KEY, "receiver"?: TEXT, "methods"?: [TEXT, …], "allowance"?: AMOUNT}}
//                             full access without "receiver"
//   {"delete_key": KEY}
//   {"delete_account": ACCOUNT}                         the beneficiary
//   {"function_call": {CALL}}
//   {"stake": {"amount": AMOUNT, "public_key": KEY}}
//
// Example: a call that fails, handled by a callback whose result is the transaction's:
//   {"steps": [{"call": {"account": "receiver.sandbox", "method": "nope", "as": "a"}},
//              {"then": {"after": "a", "run": ["log_promise_results", {"return": "handled"}], "as": "b"}},
//              {"return_promise": "b"}]}
#pragma once

#include "sandbox/sim/host.hpp"

namespace receiptd::sandbox {

class ScriptContract : public sim::Contract {
public:
    bool call(std::string_view method_name, sim::Host& host) const override;
};

}  // namespace receiptd::sandbox

// yield.sandbox: a call that waits for another one (promise yield and resume, chain-model.md §3.2).
//
//   request {id, payload?, panic_on_timeout?}
//                           waits for `respond` with that id; its result is that of the callback
//   respond {id, value}     anybody may; wakes the request with `value` (JSON of at most 1,024 bytes);
//                           returns whether the request still waited
//   is_waiting {id}         view: whether `respond` would find a request
//   on_resume               private callback: returns the value; after a timeout "timeout", or panics if the
//                           request said so
//
// `payload` (any JSON) is logged by the callback. A second request with the same id takes the place of the
// first, which can then only time out.
#pragma once

#include "sandbox/sim/host.hpp"

namespace receiptd::sandbox {

class YieldContract : public sim::Contract {
public:
    bool call(std::string_view method_name, sim::Host& host) const override;
};

}  // namespace receiptd::sandbox

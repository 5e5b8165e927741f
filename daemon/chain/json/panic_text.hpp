// Contract panics as people want to read them.
#pragma once

#include <string>
#include <string_view>

namespace receiptd::chain {

// "panicked at 'message', src/lib.rs:7:5" and "panicked at src/lib.rs:7:5:\nmessage" (Rust since
// 1.73) -> "message (src/lib.rs:7:5)"; any other text as it is.
std::string readable_panic(std::string_view message);

}  // namespace receiptd::chain

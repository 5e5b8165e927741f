// Why a transaction or receipt failed, as one short word and one readable sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::chain {

struct FailureClass {
    std::string error_class;  // snake_case, stable across versions: "contract_panic"
    std::string error_text;   // for people; NUL is shown as U+2400, which PostgreSQL can store
    // For an ActionError: the index of the failed action in the batch; nullopt where the error names none.
    std::optional<std::uint64_t> action_index = std::nullopt;

    friend bool operator==(const FailureClass&, const FailureClass&) = default;
};

// Classifies a TxExecutionError as an outcome's `status.Failure` holds it (rpc.md §5.5). Never throws for any
// input: an unknown variant and broken JSON are "unknown" with the input as text. A contract's panic is its
// message alone, with the place in the source behind it: "no such token (src/lib.rs:7:5)". Thread-safe; a few
// microseconds. error_rules.cpp lists all classes. Classes of a delegate action's access key carry the prefix
// "delegate_".
FailureClass classify_failure(std::string_view tx_execution_error_json);

}  // namespace receiptd::chain

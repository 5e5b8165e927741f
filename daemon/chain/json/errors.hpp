// Why a transaction or receipt failed, as one short word and one readable sentence.
#pragma once

#include <cstddef>
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
// input. A variant that is not in the table has its own name as class ("ShardOnFire": "shard_on_fire"), with
// the input as text; broken JSON is "unknown". A contract's panic is its
// message alone, with the place in the source behind it: "no such token (src/lib.rs:7:5)". Thread-safe; a few
// microseconds. error_rules.cpp lists all classes. Classes of a delegate action's access key carry the prefix
// "delegate_".
FailureClass classify_failure(std::string_view tx_execution_error_json);

// The name of a variant as a class has it: in snake_case, cut to kLongestErrorClass; "unknown" where it is no
// name of letters and digits. "BLS12381InvalidInput": "bls12381_invalid_input".
inline constexpr std::size_t kLongestErrorClass = 64;
std::string class_of_variant(std::string_view name);

// The class that somebody has mistyped; nullopt: it is known, like none, or a glob. A newer node may have
// others.
std::optional<std::string_view> meant_error_class(std::string_view written);

// For labels of metrics, which need a closed set: the class itself if the tables have it, else "other". Empty
// stays empty.
std::string_view error_class_label(std::string_view error_class);

}  // namespace receiptd::chain

#include "chain/json/error_rules.hpp"
#include "chain/json/errors.hpp"
#include "chain/json/failed_action.hpp"
#include "chain/json/panic_text.hpp"
#include "codec_error_variants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <set>
#include <thread>

namespace receiptd::chain {
namespace {

using Json = nlohmann::json;

Json wrap(Json inner, const std::vector<std::string>& wrappers) {
    for (auto wrapper = wrappers.rbegin(); wrapper != wrappers.rend(); ++wrapper) {
        if (*wrapper == "ActionError") inner = {{"index", 0}, {"kind", inner}};
        inner = {{*wrapper, inner}};
    }
    return inner;
}

Json variant_json(const std::string& name, const std::vector<std::string>& fields) {
    if (fields.empty()) return name;
    Json payload = Json::object();
    for (const auto& field : fields) payload[field] = "<" + field + ">";
    return {{name, payload}};
}

FailureClass classify(const Json& json) { return classify_failure(json.dump()); }

FailureClass execution_error(const std::string& text) {
    return classify(wrap({{"ExecutionError", text}}, {"ActionError", "FunctionCallError"}));
}

bool is_snake_case(std::string_view name) {
    return !name.empty() &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

TEST(FailureClasses, ExistForEveryKnownVariantAndTellItsFields) {
    for (const auto& family : kAllVariants) {
        for (const auto& [name, fields] : family.variants) {
            const FailureClass found = classify(wrap(variant_json(name, fields), family.wrappers));
            EXPECT_TRUE(is_snake_case(found.error_class)) << family.family << "." << name;
            EXPECT_EQ(error_class_label(found.error_class), found.error_class)
                << family.family << "." << name;
            EXPECT_FALSE(found.error_text.empty()) << family.family << "." << name;
            EXPECT_THAT(found.error_text, ::testing::Not(::testing::HasSubstr("?")))
                << family.family << "." << name;
            if (fields.size() == 1) {
                EXPECT_THAT(found.error_text, ::testing::HasSubstr("<" + fields[0] + ">")) << name;
            }
        }
    }
}

TEST(FailureClasses, OfTheTableAreAllReachedByTheKnownVariants) {
    std::set<std::string> known = {"ActionError", "InvalidTxError"};
    for (const auto& family : kAllVariants) {
        for (const auto& wrapper : family.wrappers) known.insert(wrapper);
        for (const auto& [name, fields] : family.variants) known.insert(name);
    }
    known.insert({"ExecutionError", "DelegateActionAccessKeyError", "StorageInconsistentState",
                  "FlatStorageBlockNotSupported", "MemTrieLoadingError"});
    for (const ErrorRule& rule : error_rules()) {
        EXPECT_TRUE(known.count(std::string(rule.variant))) << rule.variant;
        EXPECT_EQ(find_error_rule(rule.family, rule.variant), &rule) << rule.variant << " is there twice";
    }
}

TEST(FailureClasses, AreStable) {
    const std::pair<Json, const char*> expected[] = {
        {wrap("Expired", {"InvalidTxError"}), "expired"},
        {wrap("InvalidSignature", {"InvalidTxError"}), "invalid_signature"},
        {wrap({{"InvalidNonce", {{"tx_nonce", 1}, {"ak_nonce", 2}}}}, {"InvalidTxError"}), "invalid_nonce"},
        {wrap({{"NotEnoughBalance", Json::object()}}, {"InvalidTxError"}), "not_enough_balance"},
        {wrap({{"LackBalanceForState", Json::object()}}, {"InvalidTxError"}), "lack_balance_for_state"},
        {wrap({{"LackBalanceForState", Json::object()}}, {"ActionError"}), "lack_balance_for_state"},
        {wrap({{"AccountAlreadyExists", Json::object()}}, {"ActionError"}), "account_exists"},
        {wrap({{"AccountDoesNotExist", Json::object()}}, {"ActionError"}), "account_missing"},
        {wrap({{"DelegateActionInvalidNonce", Json::object()}}, {"ActionError"}), "delegate_nonce_used"},
        {wrap("DelegateActionExpired", {"ActionError"}), "delegate_expired"},
        {wrap({{"AccessKeyNotFound", Json::object()}}, {"InvalidTxError", "InvalidAccessKeyError"}),
         "access_key_not_found"},
        {wrap({{"AccessKeyNotFound", Json::object()}}, {"ActionError", "DelegateActionAccessKeyError"}),
         "delegate_access_key_not_found"},
        {wrap("RequiresFullAccess", {"InvalidTxError", "InvalidAccessKeyError"}),
         "access_key_permission_full_access"},
        {wrap({{"CodeDoesNotExist", Json::object()}},
              {"ActionError", "FunctionCallError", "CompilationError"}),
         "code_missing"},
        {wrap("Memory", {"ActionError", "FunctionCallError", "CompilationError", "PrepareError"}),
         "compilation_error"},
        {wrap("MethodNotFound", {"ActionError", "FunctionCallError", "MethodResolveError"}),
         "method_not_found"},
        {wrap("StackOverflow", {"ActionError", "FunctionCallError", "WasmTrap"}), "wasm_trap"},
        {wrap("GasExceeded", {"ActionError", "FunctionCallError", "HostError"}), "gas_exceeded"},
        {wrap("GasLimitExceeded", {"ActionError", "FunctionCallError", "HostError"}), "gas_limit_exceeded"},
        {wrap({{"GuestPanic", {{"panic_msg", "x"}}}}, {"ActionError", "FunctionCallError", "HostError"}),
         "contract_panic"},
        {wrap({{"TotalPrepaidGasExceeded", Json::object()}},
              {"ActionError", "NewReceiptValidationError", "ActionsValidation"}),
         "total_prepaid_gas_exceeded"},
        {wrap({{"StorageInconsistentState", "s"}}, {"InvalidTxError", "StorageError"}), "storage_error"},
    };
    for (const auto& [json, error_class] : expected)
        EXPECT_EQ(classify(json).error_class, error_class) << json;
}

TEST(FailureClasses, ReadTheFreeTextOfExecutionErrors) {
    const std::pair<const char*, const char*> expected[] = {
        {"Smart contract panicked: ERR_OUT_OF_FUND", "contract_panic"},
        {"Exceeded the prepaid gas.", "gas_exceeded"},
        {"Exceeded the maximum amount of gas allowed to burn per contract.", "gas_limit_exceeded"},
        {"MethodNotFound", "method_not_found"},
        {"MethodResolveError(MethodNotFound)", "method_not_found"},
        {"MethodEmptyName", "method_name_empty"},
        {"WebAssembly trap: An `unreachable` opcode was executed.", "wasm_trap"},
        {"WasmTrap(Unreachable)", "wasm_trap"},
        {"cannot find contract code for account a.near", "code_missing"},
        {"CompilationError(CodeDoesNotExist { account_id: \"a.near\" })", "code_missing"},
        {"CompilationError(PrepareError(TooManyLocals))", "compilation_error"},
        {"PrepareError: Stack instrumentation failed.", "compilation_error"},
        {"Wasmer compilation error: x", "compilation_error"},
        {"Wasmtime compilation error: x", "compilation_error"},
        {"Loading Error: x", "loading_error"},
        {"Link Error: x", "link_error"},
        {"Size of the recorded trie storage proof has exceeded the allowed limit (4.0 MB)",
         "storage_proof_size_exceeded"},
        {"BLS12-381 invalid input: x", "host_crypto_input"},
        {"Yield resume payload is 1025 bytes which exceeds the 1024 byte limit", "host_limit_yield_payload"},
        {"yield resumption token is malformed", "host_data_id_malformed"},
        {"Data entry for given key already exists", "host_data_entry_exists"},
        {"contract code hash is malformed", "host_code_hash_malformed"},
        {"Setting refund_to on a joint promise is prohibited.", "host_joint_promise"},
        {"Action 3 in receipt 1 does not exist or has the wrong type of action.",
         "host_invalid_action_index"},
        {"HostError(GuestPanic { panic_msg: \"no\" })", "contract_panic"},
        {"HostError(GasExceeded)", "gas_exceeded"},
        {"Exceeded the account balance.", "host_balance_exceeded"},
        {"7 does not correspond to existing promises", "host_invalid_promise_index"},
        {"storage_write is not allowed in view calls", "host_prohibited_in_view"},
        {"The length of a storage value 5 exceeds the limit 4", "host_limit_value_length"},
        {"something new", "execution_error"},
        {"", "execution_error"},
        {"HostError(", "execution_error"},
        {"HostError(SomethingNew)", "execution_error"},
        {"MethodResolveError", "execution_error"},
    };
    for (const auto& [text, error_class] : expected)
        EXPECT_EQ(execution_error(text).error_class, error_class) << text;
    EXPECT_EQ(execution_error("something new").error_text, "something new");
}

TEST(FailureTexts, OfPanicsAreTheMessageAndItsPlace) {
    const std::pair<const char*, const char*> expected[] = {
        {"ERR_OUT_OF_FUND", "ERR_OUT_OF_FUND"},
        {"panicked at 'Cannot mint; public mint is not live', src/nft/impl.rs:552:13",
         "Cannot mint; public mint is not live (src/nft/impl.rs:552:13)"},
        {"panicked at 'it's 'quoted', see', src/lib.rs:1:2", "it's 'quoted', see (src/lib.rs:1:2)"},
        {"panicked at 'called `Option::unwrap()` on a `None` value', manager/src/lib.rs:198:62",
         "called `Option::unwrap()` on a `None` value (manager/src/lib.rs:198:62)"},
        {"panicked at src/lib.rs:10:5:\nnew style", "new style (src/lib.rs:10:5)"},
        {"panicked at src/lib.rs:10:5:\n", "(src/lib.rs:10:5)"},
        {"panicked at '', src/lib.rs:1:2", "(src/lib.rs:1:2)"},
        {"panicked at 'no end", "'no end"},
        {"panicked at ', ", "', "},
        {"out of bounds [engine-transactions/src/lib.rs:26:12]",
         "out of bounds [engine-transactions/src/lib.rs:26:12]"},
        {"", ""},
    };
    for (const auto& [message, text] : expected) {
        EXPECT_EQ(readable_panic(message), text);
        EXPECT_EQ(execution_error("Smart contract panicked: " + std::string(message)).error_text, text);
        const Json structured = {{"GuestPanic", {{"panic_msg", message}}}};
        EXPECT_EQ(classify(wrap(structured, {"ActionError", "FunctionCallError", "HostError"})).error_text,
                  text);
    }
}

TEST(FailureTexts, FillInThePayload) {
    EXPECT_EQ(classify_failure(R"({"ActionError":{"index":0,"kind":{"DelegateActionInvalidNonce":
        {"ak_nonce":114883222000350,"delegate_nonce":7}}}})")
                  .error_text,
              "delegate action nonce 7 is not above the access key's 114883222000350");
    EXPECT_EQ(classify_failure(R"({"ActionError":{"index":null,"kind":{"GlobalContractDoesNotExist":
        {"identifier":{"hash":"abc"}}}}})")
                  .error_text,
              "global contract abc does not exist");
    EXPECT_EQ(
        classify_failure(R"({"InvalidTxError":{"InvalidNonceIndex":{"tx_nonce_index":null,"num_nonces":4}}})")
            .error_text,
        "nonce index none, but the key has 4 nonces");
    EXPECT_EQ(
        classify_failure(R"({"InvalidTxError":{"ShardCongested":{"shard_id":3,"congestion_level":0.85}}})")
            .error_text,
        "shard 3 is congested (0.85)");
    EXPECT_EQ(classify_failure(R"({"InvalidTxError":{"SignerDoesNotExist":{}}})").error_text,
              "signer ? does not exist");
    EXPECT_EQ(classify_failure(R"({"ActionError":{"index":0,"kind":{"DelegateActionAccessKeyError":
        {"MethodNameMismatch":{"method_name":"m"}}}}})")
                  .error_text,
              "delegate action: the access key does not allow method m");
}

TEST(FailureTexts, HoldEscapesAndShowNul) {
    const auto found =
        classify_failure(R"({"ActionError":{"index":0,"kind":{"FunctionCallError":{"ExecutionError":)"
                         R"("Smart contract panicked: a\u0000b\n\"\ud83d\ude00\u0000"}}}})");
    EXPECT_EQ(found.error_class, "contract_panic");
    EXPECT_EQ(found.error_text,
              "a\xe2\x90\x80"
              "b\n\"\xf0\x9f\x98\x80\xe2\x90\x80");
}

TEST(FailureClasses, OfUnknownVariantsAreTheirNameWithTheJsonAsText) {
    const std::pair<const char*, const char*> expected[] = {
        {R"("New")", "new"},
        {R"({"ShardOnFire":1})", "shard_on_fire"},
        {R"({"ActionError":{"index":0,"kind":"New"}})", "new"},
        {R"({"ActionError":{"index":0,"kind":{"FunctionCallError":{"OutOfInk":{}}}}})", "out_of_ink"},
        {R"({"InvalidTxError":{"InvalidAccessKeyError":{"KeyTooOld":[1,2]}}})", "key_too_old"},
        {R"({"ActionError":{"index":1,"kind":{"DelegateActionAccessKeyError":"KeyTooOld"}}})",
         "delegate_key_too_old"},
        {R"({"ActionError":{"index":1,"kind":{"NewReceiptValidationError":{"ActionsValidation":"NoInk"}}}})",
         "no_ink"},
    };
    for (const auto& [json, error_class] : expected) {
        const FailureClass found = classify_failure(json);
        EXPECT_EQ(found.error_class, error_class);
        EXPECT_EQ(found.error_text, json);
        EXPECT_EQ(error_class_label(found.error_class), "other");
    }
}

TEST(FailureClasses, OfUnknownVariantsHaveALongestName) {
    const std::string name(200, 'a');
    EXPECT_EQ(classify_failure("\"" + name + "\"").error_class, std::string(64, 'a'));
    const std::string delegate =
        R"({"ActionError":{"index":0,"kind":{"DelegateActionAccessKeyError":")" + name + R"("}}})";
    EXPECT_EQ(classify_failure(delegate).error_class, "delegate_" + std::string(55, 'a'));
}

TEST(FailureClasses, ReadTheWordsOfAName) {
    const std::pair<const char*, const char*> expected[] = {
        {"New", "new"},
        {"ShardOnFire", "shard_on_fire"},
        {"BLS12381InvalidInput", "bls12381_invalid_input"},
        {"ECRecoverError", "ec_recover_error"},
        {"_EVMError", "evm_error"},
        {"already_snake_case", "already_snake_case"},
        {"Utf16", "utf16"},
        {"", "unknown"},
        {"___", "unknown"},
        {"two words", "unknown"},
        {"na\xc3\xafve", "unknown"},
    };
    for (const auto& [name, error_class] : expected) EXPECT_EQ(class_of_variant(name), error_class);
}

TEST(FailureClasses, AreLabelsOnlyWhereTheTablesHaveThem) {
    for (const char* known : {"contract_panic", "execution_error", "unknown", "delegate_access_key_not_found",
                              "storage_proof_size_exceeded", "loading_error", ""})
        EXPECT_EQ(error_class_label(known), known);
    for (const char* other : {"shard_on_fire", "Contract_panic", "delegate_", "other"})
        EXPECT_EQ(error_class_label(other), "other");
}

TEST(FailureClasses, OfWhatIsNoVariantAreUnknownWithTheJsonAsText) {
    for (const char* json :
         {R"({"ActionError":"New"})", R"({"ActionError":{"index":0}})", R"({"InvalidTxError":[]})",
          R"({"ActionError":{"kind":{"FunctionCallError":{"ExecutionError":5}}}})", "{}", "[]", "null", "1.5",
          R"("not a name")", "true"}) {
        const FailureClass found = classify_failure(json);
        EXPECT_EQ(found.error_class, "unknown") << json;
        EXPECT_EQ(found.error_text, json);
    }
}

TEST(FailureClasses, KnowTheActionOfABatchThatFailed) {
    const std::string third =
        R"({"ActionError":{"index":2,"kind":{"AccountAlreadyExists":{"account_id":"a"}}}})";
    EXPECT_EQ(classify_failure(third).action_index, 2u);
    EXPECT_EQ(failed_action(third), 2u);
    EXPECT_EQ(failed_action(R"({"ActionError":{"kind":"\u0000","index":3}})"), 3u) << "whatever the kind is";
    for (const char* json : {R"({"ActionError":{"index":null,"kind":{}}})", R"({"ActionError":{"index":-1}})",
                             R"({"InvalidTxError":"Expired"})", "[]", "", "{"})
        EXPECT_EQ(failed_action(json), std::nullopt) << json;
}

TEST(FailureClasses, OfBrokenJsonAreUnknown) {
    const std::string good =
        wrap(variant_json("TriesToStake", {"account_id", "stake"}), {"ActionError"}).dump();
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_EQ(classify_failure(std::string_view(good).substr(0, size)).error_class, "unknown");
    EXPECT_EQ(classify_failure("\xff\xfe").error_class, "unknown");
    EXPECT_EQ(classify_failure(std::string(100000, '[')).error_class, "unknown");
    EXPECT_EQ(classify_failure(R"({"InvalidTxError":"Expired"} x)").error_class, "unknown");
    EXPECT_EQ(classify_failure(std::string_view("\0", 1)).error_text, "\xe2\x90\x80");
}

TEST(FailureClasses, MayBeAskedForByManyThreads) {
    const std::string json = wrap("Expired", {"InvalidTxError"}).dump();
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n < 200; ++n) wrong += classify_failure(json).error_class != "expired";
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace receiptd::chain

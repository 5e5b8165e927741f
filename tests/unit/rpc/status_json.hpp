// Answers of EXPERIMENTAL_tx_status and tx, as small as the decoders accept.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace receiptd::rpc::testing {

inline const std::string kTreeTx = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4";
inline const std::string kR1 = "A2dCfgBTjreZBEXt3JsWXda11FB7vRgtQAHzuV5DzpW2";
inline const std::string kR2 = "6gk5rCA4mjkBS2i9xthxona8Q3akpjvFhaTdACgVw7yC";
inline const std::string kR3 = "HjAMoRyRgvWo9BcDB8WBD9mL3Uk9EnK8gFqAw5CxP846";
inline const std::string kBlock = "72JMWj22x3ze1pUFQd6aE8EffpsWNtHezeqgxGENyMvc";

inline std::string list(const std::vector<std::string>& ids) {
    std::string text;
    for (const auto& id : ids) text += (text.empty() ? "\"" : ",\"") + id + "\"";
    return "[" + text + "]";
}

inline std::string outcome(const std::string& id, const std::vector<std::string>& spawned) {
    return R"({"id":")" + id + R"(","block_hash":")" + kBlock +
           R"(","proof":[],"outcome":{"logs":[],"receipt_ids":)" + list(spawned) +
           R"(,"gas_burnt":1,"tokens_burnt":"1","executor_id":"b.near","status":{"SuccessValue":""}}})";
}

inline std::string receipt(const std::string& id) {
    return R"({"receipt_id":")" + id +
           R"(","predecessor_id":"a.near","receiver_id":"b.near","receipt":{"Action":{"signer_id":"a.near",)" +
           R"("signer_public_key":"ed25519:8hSHprDq2StXwMtNd43wDTXQYsjXcD4MJTXQYsjXcc","gas_price":"1",)" +
           R"("output_data_receivers":[],"input_data_ids":[],"actions":[]}}})";
}

inline std::string transaction(const std::string& receiver) {
    return R"({"signer_id":"a.near","public_key":"ed25519:8hSHprDq2StXwMtNd43wDTXQYsjXcD4MJTXQYsjXcc","nonce":1,)" +
           (R"("receiver_id":")" + receiver) + R"(","actions":[],"signature":"ed25519:1","hash":")" +
           kTreeTx + "\"}";
}

using Texts = std::vector<std::string>;

inline std::string join(const std::vector<std::string>& items) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ",") + item;
    return text;
}

// `bodies`: only EXPERIMENTAL_tx_status has them.
inline std::string status(const Texts& outcomes, const Texts& spawned = {kR1},
                          const std::optional<Texts>& bodies = std::nullopt,
                          const std::string& receiver = "b.near") {
    return R"({"final_execution_status":"FINAL","status":{"SuccessValue":""},"transaction":)" +
           transaction(receiver) + R"(,"transaction_outcome":)" + outcome(kTreeTx, spawned) +
           R"(,"receipts_outcome":[)" + join(outcomes) + "]" +
           (bodies ? R"(,"receipts":[)" + join(*bodies) + "]" : "") + "}";
}

}  // namespace receiptd::rpc::testing

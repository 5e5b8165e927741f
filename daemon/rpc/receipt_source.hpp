// Asks JSON-RPC about a single receipt: the transaction it descends from, its body, its outcome (rpc.md §9).
#pragma once

#include "chain/proof/outcome_proof.hpp"
#include "rpc/decoded_call.hpp"
#include "rpc/source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace receiptd::rpc {

class ReceiptSource {
public:
    virtual ~ReceiptSource() = default;

    struct Origin {
        std::string tx_hash;
        std::string sender_id;
    };
    struct Unknown {  // regular and archival hosts were asked
        std::string evidence;
        bool not_offered = false;  // nobody takes the question
    };
    using OriginResult = std::variant<Origin, Unknown, Unavailable>;
    using Body = chain::Decoded<chain::Receipt>;
    using BodyResult = std::variant<Body, Unknown, Unavailable>;
    // Checked: a block's header, which is named in it, commits to the outcome.
    using Proof = chain::Decoded<chain::OutcomeProof>;
    using ProofResult = std::variant<Proof, NotYet, Unknown, Unavailable>;

    // EXPERIMENTAL_receipt_to_tx.
    virtual base::Task<OriginResult> origin(std::string receipt_id, Priority priority) = 0;
    // EXPERIMENTAL_receipt.
    virtual base::Task<BodyResult> body(std::string receipt_id, Priority priority) = 0;
    // EXPERIMENTAL_light_client_proof below a final block.
    virtual base::Task<ProofResult> outcome(std::string receipt_id, std::string receiver_id,
                                            std::string final_block_hash, Priority priority) = 0;
};

class RpcReceiptSource final : public ReceiptSource {
public:
    RpcReceiptSource(base::asio::thread_pool& pool, std::shared_ptr<Router> router)
        : pool_(pool), router_(std::move(router)) {}

    base::Task<OriginResult> origin(std::string receipt_id, Priority priority) override;
    base::Task<BodyResult> body(std::string receipt_id, Priority priority) override;
    base::Task<ProofResult> outcome(std::string receipt_id, std::string receiver_id,
                                    std::string final_block_hash, Priority priority) override;

private:
    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
};

}  // namespace receiptd::rpc

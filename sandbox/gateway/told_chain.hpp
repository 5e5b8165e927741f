// A chain as its host tells it: the true one, but for the blocks of the lies `false_head`, `fork` and
// `network`, and for the headers of `false_header`.
#pragma once

#include "sandbox/gateway/lies.hpp"
#include "sandbox/gateway/live_chain.hpp"

#include <map>

namespace receiptd::sandbox {

class ToldChain final : public Chain {
public:
    // All must outlive it. `forger`: the same chain as `truth`; null: a recording, of which no lie is told.
    ToldChain(Chain& truth, const LiveChain* forger, Lies& lies)
        : truth_(truth), forger_(forger), lies_(lies) {}

    // Gives the lies about blocks their heights; to be called when the lies were set.
    void begin();

    void note_request() override { truth_.note_request(); }
    Height first() const override { return truth_.first(); }
    Height oldest() const override { return truth_.oldest(); }
    Height tip() const override;
    Height final_head(Height tip) const override;
    Height near_final_head(Height tip) const override;
    Height back(Height height, std::uint64_t blocks) const override;
    std::optional<base::WallTime> served_at(Height height) const override { return truth_.served_at(height); }
    std::optional<base::Duration> until(Height height) const override { return truth_.until(height); }
    bool has_block(Height height) const override;
    std::optional<Height> height_of_block(std::string_view hash) const override;
    std::optional<std::string> block(Height height) const override;
    std::optional<Located> lost_block(std::string_view hash) const override {
        return truth_.lost_block(hash);
    }
    std::optional<Located> chunk(std::string_view hash) const override { return truth_.chunk(hash); }
    std::optional<Located> receipt(std::string_view id) const override { return truth_.receipt(id); }
    std::optional<TransactionView> transaction(std::string_view hash, Height tip) const override;
    bool has_receipts_of_transactions() const override { return truth_.has_receipts_of_transactions(); }
    std::optional<Height> whole_tip(Height tip) const override;
    std::shared_ptr<const std::string> whole_block(Height height) const override;
    std::shared_ptr<const std::string> whole_block_gzip(Height height) const override;

private:
    // Heights whose blocks are forged, both inclusive.
    struct Forged {
        Lie* lie = nullptr;
        Height from = 0;
        Height to = 0;
        bool wrong_parent = false;
    };
    std::optional<Forged> false_head() const;
    std::optional<Forged> fork() const;
    // The lie about the block at that height; nullopt: it is the true one, or there is none.
    std::optional<Forged> forged_at(Height height) const;
    Forgery forgery(const Forged& forged, Height height) const;
    const std::string& forged_hash(Height height) const;
    // The lie that changes each header but not its hash; nullptr: there is none.
    Lie* false_header() const { return forger_ ? lies_.find("false_header") : nullptr; }
    Height true_tip(Height tip) const;  // without what is above the true one
    // The final head, where it is `truth` without the lies.
    Height told_final(Height truth, Height tip) const;

    Chain& truth_;
    const LiveChain* forger_;
    Lies& lies_;
    mutable std::map<Height, std::string> hashes_;  // of forged blocks, as far as they were needed
};

}  // namespace receiptd::sandbox

// The contents of a block in the forms in which sources have them.
#pragma once

#include "rpc/listed_receipts.hpp"
#include "rpc/source.hpp"

#include <utility>
#include <vector>

namespace receiptd::rpc {

// A block and its new chunks; what became of its transactions is not in it.
class RpcBlock final : public BlockContents {
public:
    RpcBlock(std::string told_by, chain::Decoded<chain::Block> block, std::vector<SharedChunk> chunks)
        : BlockContents(std::move(told_by)), block_(std::move(block)), chunks_(std::move(chunks)) {}

    const chain::Block& block() const override { return block_.value; }
    bool tells_outcomes() const override { return false; }
    bool is_in_part() const override;
    void mark(chain::Text on_trust) override { block_.value.header.on_trust = on_trust; }
    const std::vector<SharedChunk>& chunks() const { return chunks_; }
    void for_each_transaction(
        const std::function<void(const chain::SignedTransaction&)>& visit) const override;
    chain::RowBatch rows(const RowsSettings& settings) const override;

private:
    chain::Decoded<chain::Block> block_;
    std::vector<SharedChunk> chunks_;
};

// A block with all its shards and outcomes.
class WholeBlockContents final : public BlockContents {
public:
    WholeBlockContents(std::string told_by, chain::Decoded<chain::WholeBlock> whole)
        : BlockContents(std::move(told_by)), whole_(std::move(whole)) {}

    const chain::Block& block() const override { return whole_.value.block; }
    bool tells_outcomes() const override { return true; }
    bool is_in_part() const override { return !whole_.unreadable.empty(); }
    void mark(chain::Text on_trust) override { whole_.value.block.header.on_trust = on_trust; }
    void for_each_transaction(
        const std::function<void(const chain::SignedTransaction&)>& visit) const override;
    chain::RowBatch rows(const RowsSettings& settings) const override;
    void amend(Amendment amendment) override;

private:
    chain::Decoded<chain::WholeBlock> whole_;
    Amendment amended_by_;  // views into its documents
};

}  // namespace receiptd::rpc

#include "follow/continuity.hpp"

#include <utility>

namespace receiptd::follow {
namespace {

std::string name(const chain::BlockRef& block) {
    return "block " + std::to_string(block.height) + " (" + block.hash + ")";
}

// The parent's height as far as `block` and its candidate parent tell.
std::optional<base::Height> parent_height(const chain::BlockRef& block,
                                          const std::optional<chain::BlockRef>& candidate) {
    if (block.prev_height) return block.prev_height;
    if (candidate && candidate->hash == block.prev_hash) return candidate->height;
    return std::nullopt;
}

// Why `child` cannot be the next known block above `parent`, if it cannot.
std::optional<std::string> mismatch(const chain::BlockRef& parent, const chain::BlockRef& child) {
    const bool adjacent =
        child.prev_height ? *child.prev_height == parent.height : child.height == parent.height + 1;
    if (adjacent && child.prev_hash != parent.hash)
        return name(child) + " names " + child.prev_hash + " as its parent, but " + name(parent) +
               " is stored at the parent's height";
    if (child.prev_height && *child.prev_height < parent.height)
        return name(child) + " names height " + std::to_string(*child.prev_height) +
               " as its parent and so denies " + name(parent) + " between them";
    return std::nullopt;
}

}  // namespace

Continuity::Continuity(std::optional<chain::BlockRef> below, std::optional<chain::BlockRef> above)
    : last_(std::move(below)), above_(std::move(above)) {}

void Continuity::denied(base::Height height) { denied_.add(height); }

std::optional<Continuity::Misfit> Continuity::misfit(const chain::BlockRef& block) const {
    if (block.prev_height && *block.prev_height >= block.height)
        return Misfit{name(block) + " names height " + std::to_string(*block.prev_height) + " as its parent",
                      std::nullopt};
    if (last_ && block.height <= last_->height)
        return Misfit{"height went backwards: " + name(block) + " after " + name(*last_), std::nullopt};
    if (last_)
        if (auto why = mismatch(*last_, block)) return Misfit{std::move(*why), last_};
    if (above_ && above_->height > block.height)
        if (auto why = mismatch(block, *above_)) return Misfit{std::move(*why), above_};
    return std::nullopt;
}

Continuity::Step Continuity::settle(std::optional<base::Height> parent, base::Height child_height) {
    Step step;
    step.prev_height = parent;
    if (parent && *parent + 1 < child_height) step.skipped.add({*parent + 1, child_height - 1});
    step.holes = std::exchange(denied_, {});
    step.holes.subtract(step.skipped);
    return step;
}

Continuity::Step Continuity::block(const chain::BlockRef& block) {
    auto step = settle(parent_height(block, last_), block.height);
    last_ = block;
    return step;
}

Continuity::Step Continuity::finish() {
    if (!above_) return settle(std::nullopt, 0);
    return settle(parent_height(*above_, last_), above_->height);
}

}  // namespace receiptd::follow

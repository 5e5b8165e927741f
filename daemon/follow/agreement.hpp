// Agreement of the hosts, where one answer alone must not decide: whether a block that is not linked to the
// stored ones is of this chain, and which of two blocks that do not fit is the wrong one.
#pragma once

#include "follow/state.hpp"
#include "rpc/source.hpp"
#include "storage/block_store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::follow {

enum class Told {
    yes,  // by two hosts, or by the only one that can tell
    no,
    unclear,  // by one, and another one gives no answer
};
// Whether the hosts tell this block. Pure.
Told tell_block(const std::vector<rpc::Witness>& witnesses, const std::string& hash);

// Which of a stored and an offered block that do not fit each other is wrong.
enum class Wrong {
    offered,  // more hosts tell the stored block than any other
    stored,   // two hosts agree on another block, or on none, and fewer tell the stored one
    undecided,
};
// `witnesses`: of the stored block's height. Pure.
Wrong judge_misfit(const std::vector<rpc::Witness>& witnesses, const std::string& stored_hash);

// Whether two hosts agree on another block at its height than the stored one, and fewer tell the stored one.
// A host that has no block there may lag. Pure.
bool contradicted(const std::vector<rpc::Witness>& witnesses, const std::string& stored_hash);

// Whether as many hosts have another block at its height as have the stored one. Pure.
bool opposed(const std::vector<rpc::Witness>& witnesses, const std::string& stored_hash);

// "regular: hash9, archival: no block"
std::string in_words(const std::vector<rpc::Witness>& witnesses);

class Agreement {
public:
    Agreement(rpc::Witnesses& witnesses, storage::BlockStore& blocks, State& state)
        : witnesses_(witnesses), blocks_(blocks), state_(state) {}

    // Whether there is a host beside the one that tells a block.
    bool among_several() const { return witnesses_.count() > 1; }

    // Asks several times within a few seconds, since hosts lag behind each other. An agreed block is final,
    // and its time is known.
    base::Task<Told> on(const chain::BlockRef& block);
    struct Judgement {
        Told told = Told::unclear;
        Wrong wrong = Wrong::undecided;
        bool spoken_against = false;  // by at least one host
        bool contradicted = false;    // by two
        bool opposed = false;         // another block is told by as many hosts as tell the stored one
        std::vector<std::string> telling_stored;  // hosts
        std::string said;                         // by which host, for people
    };
    base::Task<Judgement> about_stored(const chain::BlockRef& stored);

    // After a minute the word of one host is enough for the first block, if the others give no answer. The
    // database remembers it until another one confirms the chain.
    base::Task<bool> begins_alone(const chain::BlockRef& first, Told told);
    // Another host has confirmed the chain.
    base::Task<void> end_one_host();

    // Nothing is stored before the hosts agree: readyz tells what they said last.
    void hold_up();

    // The host's heads are not believed for some time; the known head is forgotten.
    void doubt(const std::string& host);
    void doubt_head();

private:
    rpc::Witnesses& witnesses_;
    storage::BlockStore& blocks_;
    State& state_;
    std::optional<base::SteadyTime> begins_alone_at_;
    std::string said_;  // about the last block that was not agreed on
};

}  // namespace receiptd::follow

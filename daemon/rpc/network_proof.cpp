#include "rpc/network_proof.hpp"

#include "base/backoff.hpp"
#include "base/line.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;

constexpr base::BackoffPolicy kAskForProof{1s, 30s, 2.0, 0.0};
constexpr base::Duration kCompareAgain = 10s;
constexpr std::size_t kMostQuoted = 100;

// A host's text may be of any length: errors quote its beginning.
std::string quoted(const std::string& told) { return base::shortened(told, kMostQuoted); }

class Next {
public:
    Next(NetworkProof proof, const ChainIdentity& ours, base::SteadyTime now)
        : proof_(std::move(proof)), ours_(ours), now_(now) {}

    NetworkProof operator()(const ChainIdentity& told) const {
        if (told.chain_id != ours_.chain_id)
            return other("is of network \"" + quoted(told.chain_id) + "\", not of \"" + ours_.chain_id + '"');
        const bool both_known = !told.genesis_hash.empty() && !ours_.genesis_hash.empty();
        if (both_known && told.genesis_hash != ours_.genesis_hash)
            return other("is of another network \"" + told.chain_id + "\": its genesis block is " +
                         quoted(told.genesis_hash) + ", not " + ours_.genesis_hash);
        return {NetworkState::proven, both_known ? "" : "known by the name of its network alone",
                now_ + kProveAgain};
    }
    NetworkProof operator()(const SameBlock&) const { return {NetworkState::proven, {}, now_ + kProveAgain}; }
    NetworkProof operator()(const OtherBlock& other_block) const {
        return other("has another block at height " + std::to_string(other_block.height) + ": " +
                     quoted(other_block.hash) + ", not " + other_block.expected);
    }
    NetworkProof operator()(NothingToCompare) const {
        return {NetworkState::on_trust,
                "does not say which network it is of, and there is nothing to compare its blocks with",
                now_ + kCompareAgain};
    }
    NetworkProof operator()(const Untold& untold) const {
        auto proof = proof_;
        proof.ask_at = now_ + base::backoff_delay(kAskForProof, ++proof.untold, 0.0);
        if (proof.state == NetworkState::unproven)
            proof.detail = "does not say which network it is of: " + untold.why;
        return proof;
    }

private:
    NetworkProof other(std::string why) const {
        return {NetworkState::other_network, std::move(why), now_ + kOtherNetworkAgain};
    }

    NetworkProof proof_;
    const ChainIdentity& ours_;
    base::SteadyTime now_;
};

}  // namespace

const char* to_string(NetworkState state) {
    switch (state) {
        case NetworkState::unchecked: return "unchecked";
        case NetworkState::unproven: return "unproven";
        case NetworkState::proven: return "proven";
        case NetworkState::on_trust: return "on_trust";
        case NetworkState::other_network: return "other_network";
    }
    return "unchecked";
}

NetworkProof unproven(std::string why, base::SteadyTime ask_at) {
    return {NetworkState::unproven, std::move(why), ask_at};
}

NetworkProof disputed(const std::string& genesis_hash, base::SteadyTime now) {
    auto proof = unproven("says that the genesis block is " + quoted(genesis_hash) +
                              ", and another host says otherwise: chain.genesis_hash decides",
                          now + kOtherNetworkAgain);
    proof.untold = kUntoldIsAReason;
    return proof;
}

NetworkProof next(NetworkProof proof, const NetworkAnswer& answer, const ChainIdentity& ours,
                  base::SteadyTime now) {
    return std::visit(Next(std::move(proof), ours, now), answer);
}

NetworkProof after_absence(NetworkProof proof, base::SteadyTime now) {
    if (proof.state != NetworkState::proven && proof.state != NetworkState::on_trust) return proof;
    return unproven("was put aside, and has not said again which network it is of", now);
}

}  // namespace receiptd::rpc

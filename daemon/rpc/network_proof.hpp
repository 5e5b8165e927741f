// Whether a host is of the network that is followed: next = f(proof, answer, ours, now). Pure.
//
// A host that nobody checks (`receiptd tx`) is used as it is. One that is checked is used once it has proven
// itself: by `status`, or by a block that is known otherwise. It is asked again every ten minutes, and when
// it comes back from being put aside.
#pragma once

#include "base/clock.hpp"
#include "chain/json/model.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

namespace receiptd::rpc {

// Empty: not known, or not told.
struct ChainIdentity {
    std::string chain_id;  // "mainnet"
    std::string genesis_hash;
};

enum class NetworkState : std::uint8_t {
    unchecked,
    unproven,  // not used
    proven,
    on_trust,       // there is nothing to compare it with
    other_network,  // put aside
};
const char* to_string(NetworkState state);

struct NetworkProof {
    NetworkState state = NetworkState::unchecked;
    std::string detail;         // for people; empty: nothing to tell
    base::SteadyTime ask_at{};  // the next question
    unsigned untold = 0;        // questions in a row that told nothing
};
inline bool may_be_used(const NetworkProof& proof) {
    return proof.state != NetworkState::unproven && proof.state != NetworkState::other_network;
}

// Unproven, but for no reason so far.
inline constexpr unsigned kUntoldIsAReason = 3;
inline bool is_being_asked(const NetworkProof& proof) {
    return proof.state == NetworkState::unproven && proof.untold < kUntoldIsAReason;
}

struct SameBlock {
    chain::BlockHeight height = 0;
};
struct OtherBlock {
    chain::BlockHeight height = 0;
    std::string hash;
    std::string expected;
};
struct NothingToCompare {};
struct Untold {
    std::string why;
};
using NetworkAnswer = std::variant<ChainIdentity, SameBlock, OtherBlock, NothingToCompare, Untold>;

inline constexpr std::chrono::minutes kProveAgain{10};
inline constexpr std::chrono::minutes kOtherNetworkAgain{1};

// Not asked, or asked anew.
NetworkProof unproven(std::string why, base::SteadyTime ask_at);
// Hosts tell different genesis hashes, and nobody knows which one is ours.
NetworkProof disputed(const std::string& genesis_hash, base::SteadyTime now);
// `ours`: its genesis hash is empty as long as nobody knows it.
NetworkProof next(NetworkProof proof, const NetworkAnswer& answer, const ChainIdentity& ours,
                  base::SteadyTime now);
// The host was put aside for its faults: another one may answer behind its name.
NetworkProof after_absence(NetworkProof proof, base::SteadyTime now);

}  // namespace receiptd::rpc

#include "net/reply_text.hpp"
#include "net/server_session.hpp"

#include <algorithm>
#include <tuple>

namespace receiptd::net {

void ServerState::enter(ServerSession& session) {
    sessions.insert(&session);
    auto& of_client = connections_of_[session.client()];
    ++of_client;
    session.counts_among(of_client);
    if (session.standing().in_reserve) ++in_reserve_;
}

void ServerState::leave(ServerSession& session) {
    sessions.erase(&session);
    if (session.standing().in_reserve) --in_reserve_;
    const auto own = connections_of_.find(session.client());
    if (--own->second == 0) connections_of_.erase(own);
    if (sessions.empty()) drained.cancel();
}

ServerState::Room ServerState::make_room() {
    if (sessions.size() - in_reserve_ < options.max_connections) return Room::usual;
    if (auto* session = worst(false)) {
        session->abort();
        return Room::usual;
    }
    if (in_reserve_ < options.probe_connections) return Room::reserve;
    auto* session = worst(true);
    if (session == nullptr) return Room::none;
    session->abort();
    return Room::reserve;
}

bool ServerState::end_longest_wait() {
    auto* session = worst(false);
    if (session == nullptr) session = worst(true);
    if (session != nullptr) session->abort();
    return session != nullptr;
}

// The session to close: of the client with the most connections; one without a request sooner than one that
// reads an answer; the longest wait. A client that opens many can thus not close those of others.
ServerSession* ServerState::worst(bool in_reserve) const {
    ServerSession* found = nullptr;
    const auto rank = [](const ServerSession& session) {
        const auto& standing = session.standing();
        return std::tuple(session.of_client(), standing.waits, -standing.since.time_since_epoch().count());
    };
    for (auto* session : sessions) {
        const auto& standing = session->standing();
        if (standing.waits == ServerSession::Waits::not_for_client || standing.in_reserve != in_reserve)
            continue;
        if (found == nullptr || rank(*found) < rank(*session)) found = session;
    }
    return found;
}

bool ServerState::hold(ServerSession& session, ServerSession::Standing& standing, std::uint64_t bytes) {
    held_ += bytes - standing.held;
    standing.held = bytes;
    while (held_ > options.max_held_bytes && bytes > 0) {
        ServerSession* slowest = nullptr;
        for (auto* other : sessions)
            if (other != &session && other->standing().held > 0 &&
                other->standing().waits != ServerSession::Waits::not_for_client &&
                (slowest == nullptr || other->standing().since < slowest->standing().since))
                slowest = other;
        if (slowest == nullptr) return false;
        slowest->abort();
    }
    return true;
}

ServerReply ServerState::refuse(int status, std::string_view text) const {
    return options.refusal ? options.refusal(status, text) : plain_reply(status, text);
}

}  // namespace receiptd::net

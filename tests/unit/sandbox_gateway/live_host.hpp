// A host before the fake chain, as its tests ask it.
#pragma once

#include "sandbox/gateway/gateway.hpp"
#include "sandbox/sim/secret_key.hpp"
#include "support/sandbox_requests.hpp"
#include "unit/sandbox_gateway/fake_chain.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <future>

namespace receiptd::sandbox::test {

class LiveHost : public testing::Test {
protected:
    LiveHost() {
        options_.chain_id = "sandbox";
        options_.longest_wait = std::chrono::milliseconds(1);
    }
    Gateway& host() {
        if (!gateway_) gateway_.emplace(chain_, clock_, options_);
        return *gateway_;
    }
    std::future<net::ServerReply> begin(net::ServerRequest request) {
        return boost::asio::co_spawn(context_, host().handle(std::move(request)), boost::asio::use_future);
    }
    // Through keys, limits, faults and waiting.
    net::ServerReply handle(net::ServerRequest request) {
        auto reply = begin(std::move(request));
        context_.restart();
        context_.run();
        return reply.get();
    }
    net::ServerReply ask(const std::string& method, const json& params) {
        return handle(post(call(method, params)));
    }
    json result(const std::string& method, const json& params) {
        const auto reply = ask(method, params);
        EXPECT_EQ(reply.status, 200) << reply.body;
        const json answer = json_of(reply);
        EXPECT_FALSE(answer.contains("error")) << answer;
        return answer.value("result", json());
    }
    // The error object; checks its HTTP status and its cause.
    json error(const std::string& method, const json& params, const std::string& cause, int status = 200) {
        const auto reply = ask(method, params);
        EXPECT_EQ(reply.status, status) << reply.body;
        const json answer = json_of(reply).value("error", json::object());
        EXPECT_EQ(answer.value("/cause/name"_json_pointer, ""), cause) << reply.body;
        return answer;
    }

    boost::asio::io_context context_;
    base::SystemClock clock_;
    GatewayOptions options_;
    FakeChain chain_;
    std::optional<Gateway> gateway_;
};

// A transfer of alice's, signed.
inline chain::wire::SignedTransaction transfer() {
    const auto key = *sim::SecretKey::from_seed(chain::KeyType::ed25519, chain::Bytes(32, 1));
    chain::wire::SignedTransaction made;
    made.transaction.signer_id = "alice.sandbox";
    made.transaction.public_key = key.public_key();
    made.transaction.nonce.nonce = 6;
    made.transaction.receiver_id = "bob.sandbox";
    made.transaction.actions.push_back(chain::wire::Action{chain::wire::Transfer{1}});
    made.signature = key.sign(chain::wire::transaction_hash(made.transaction).view());
    return made;
}
inline std::string transfer_base64() { return chain::base64_encode(chain::wire::encode(transfer())); }
inline std::string transfer_hash() {
    return chain::wire::transaction_hash(transfer().transaction).to_string();
}

}  // namespace receiptd::sandbox::test

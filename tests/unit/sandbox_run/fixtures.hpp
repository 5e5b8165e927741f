// A whole sandbox on free ports, whose blocks come by hand.
#pragma once

#include "chain/wire/base64.hpp"
#include "sandbox/gateway/rpc_context.hpp"
#include "sandbox/run/control_api.hpp"
#include "support/sandbox_requests.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace receiptd::sandbox::test {

using nlohmann::json;

inline RunOptions by_hand() {
    RunOptions options;
    options.listen = {"127.0.0.1:0"};
    options.archival_listen = options.control_listen = "127.0.0.1:0";
    options.block_time = std::chrono::milliseconds(0);
    options.longest_wait = std::chrono::milliseconds(1);
    return options;
}

class Run : public testing::Test {
protected:
    Sandbox& sandbox() {
        if (!sandbox_) sandbox_.emplace(context_.get_executor(), options_, clock_);
        return *sandbox_;
    }
    net::ServerReply control(const std::string& method, const std::string& path, const std::string& body = "",
                             const std::string& query = "") {
        net::ServerRequest request;
        request.method = method;
        request.path = path;
        request.body = body;
        request.query = query;
        ControlApi api(sandbox());
        return finish(api.handle(std::move(request)));
    }
    json get(const std::string& path, const std::string& query = "") {
        const auto reply = control("GET", path, "", query);
        EXPECT_EQ(reply.status, 200) << reply.body;
        return json::parse(reply.body);
    }
    json change(const std::string& path, const json& body = json::object()) {
        const auto reply = control("POST", path, body.dump());
        EXPECT_EQ(reply.status, 200) << reply.body;
        return json::parse(reply.body);
    }
    json rpc(const std::string& method, const json& params) {
        return json_of(finish(sandbox().hosts().regular().handle(post(call(method, params)))));
    }
    // The text of a problem, or "" if there is none.
    std::string problem(const std::string& method, const std::string& path, const std::string& body,
                        int status) {
        const auto reply = control(method, path, body);
        EXPECT_EQ(reply.status, status) << path << " " << reply.body;
        EXPECT_EQ(header_of(reply, "Content-Type"), "application/problem+json");
        return json::parse(reply.body).value("detail", "");
    }
    // A signed transfer of 1 yocto from alice to bob.
    std::string transfer_base64(std::uint64_t nonce) {
        const auto& alice = sandbox().ready()[0];
        chain::wire::SignedTransaction made;
        made.transaction.signer_id = alice.account_id;
        made.transaction.public_key = alice.key.public_key();
        made.transaction.nonce.nonce = nonce;
        made.transaction.receiver_id = "bob.sandbox";
        made.transaction.block_hash =
            *chain::CryptoHash::parse(block_hash(sandbox().ledger(), sandbox().ledger().tip()));
        made.transaction.actions.push_back(chain::wire::Action{chain::wire::Transfer{1}});
        made.signature = alice.key.sign(chain::wire::transaction_hash(made.transaction).view());
        return chain::base64_encode(chain::wire::encode(made));
    }
    std::string send_transfer(std::uint64_t nonce) {
        return rpc("broadcast_tx_async", json::array({transfer_base64(nonce)})).at("result");
    }

    template <class T>
    T finish(base::Task<T> task) {
        auto done = boost::asio::co_spawn(context_, std::move(task), boost::asio::use_future);
        context_.restart();
        context_.run();
        return done.get();
    }

    boost::asio::io_context context_;
    base::SystemClock clock_;
    RunOptions options_ = by_hand();
    std::optional<Sandbox> sandbox_;
};

}  // namespace receiptd::sandbox::test

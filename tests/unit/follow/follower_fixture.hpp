#pragma once

#include "fakes.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace receiptd::follow::testing {

class FollowerTest : public ::testing::Test {
protected:
    base::asio::io_context context;
    PaperChain chain{context.get_executor()};
    MemoryStore store;

    Follower::End follow(base::Height start, base::Height until) {
        Daemon daemon(context, chain, store, config::Start(std::uint64_t{start}));
        return daemon.follow(until);
    }
    Follower::End resume(base::Height until) {
        Daemon daemon(context, chain, store, config::Start(config::StartAtHead{}));
        return daemon.follow(until);
    }
};

}  // namespace receiptd::follow::testing

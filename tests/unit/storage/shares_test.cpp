#include "config/settings.hpp"
#include "storage/database_options.hpp"

#include <gtest/gtest.h>

namespace receiptd::storage {
namespace {

unsigned total(const Shares& s) {
    return s.lease + s.writers + s.following + s.adopting + s.alerts + s.stream + s.people + s.maintenance +
           s.listening;
}

TEST(Shares, AreAllConnectionsAndEveryClassOfWorkHasSome) {
    for (const unsigned writers : {1u, 2u, 16u}) {
        const auto least = writers + config::Database::kLeastBesideWriters;
        for (auto connections = least; connections <= 256; ++connections) {
            const auto shares = shares_of(connections, writers);
            EXPECT_EQ(total(shares), connections);
            EXPECT_EQ(shares.writers, writers);
            EXPECT_GE(shares.following, 2u);
            EXPECT_GE(shares.people, 2u);
        }
        EXPECT_EQ(total(shares_of(config::Database().most_connections(writers), writers)),
                  writers + config::Database::kBesideWriters);
    }
}

}  // namespace
}  // namespace receiptd::storage

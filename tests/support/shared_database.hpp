// The tests of a process use one database, one after the other: a copy for each of them costs more than most
// of them do. Where a test leaves something that cannot be put back, the next one has a new copy.
#pragma once

#include "support/clean_state.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace receiptd::test {

class SharedDatabase {
public:
    using Make = std::function<std::unique_ptr<FreshDatabase>()>;

    // Until the pointer ends.
    static LentDatabase lend(const Make& make) {
        auto taken = idle().database ? std::exchange(idle(), {}) : made_with(make);
        auto* database = taken.database.release();
        return {database, [clean = std::move(taken.clean)](FreshDatabase* used) {
                    take_back({std::unique_ptr<FreshDatabase>(used), clean});
                }};
    }

private:
    struct Kept {
        std::unique_ptr<FreshDatabase> database;
        std::shared_ptr<CleanState> clean;
    };

    static Kept& idle() {
        static Kept kept;
        return kept;
    }
    static Kept made_with(const Make& make) {
        auto database = make();
        auto clean = std::make_shared<CleanState>(database->url());
        return {std::move(database), std::move(clean)};
    }
    static void take_back(Kept used) {
        try {
            used.database->forget_session_state();
        } catch (const std::exception&) {
            return;  // in the middle of a transaction
        }
        if (used.clean->restore()) idle() = std::move(used);
    }

    // Before the end of the program, which ends what a connection needs in any order.
    struct DroppedAtTheEnd : testing::Environment {
        void TearDown() override { idle() = {}; }
    };
    inline static const auto* const kEnd = testing::AddGlobalTestEnvironment(new DroppedAtTheEnd);
};

}  // namespace receiptd::test

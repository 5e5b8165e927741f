#include "storage/copy.hpp"

#include "storage/errors.hpp"
#include "support/copy_cells.hpp"

#include <gmock/gmock.h>

namespace receiptd::storage {
namespace {

using testing::ElementsAre;

TEST(DaysOfRows, AreReadFromBlockTimeWhateverItsColumn) {
    chain::RowBatch batch;
    const auto line = [&batch](chain::Table table, const std::string& time) {
        const auto& columns = chain::table_spec(table).columns;
        test::Line cells;
        for (const auto& column : columns)
            cells.push_back(column == "block_time" ? test::Cell(time) : test::Cell());
        test::write_line(batch[table].piece(), cells, columns);
    };
    line(chain::Table::receipts, "2022-10-19 23:59:59");
    line(chain::Table::receipts, "2022-10-20 00:00:00");
    line(chain::Table::events, "1970-01-02 00:00:00");
    EXPECT_THAT(days_of_rows(batch), ElementsAre(1, 19284, 19285));
}

TEST(DaysOfRows, OfARowWithoutATimeAreAnError) {
    chain::RowBatch batch;
    test::write_line(batch[chain::Table::receipts].piece(), {"only one column"}, {"receipt_id"});
    EXPECT_THROW(days_of_rows(batch), StorageError);
}

TEST(DaysOfBlocks, AreThoseOfTheirTimestamps) {
    chain::RowBatch batch;
    batch.facts.blocks.push_back({1, "a", "b", std::nullopt, 86'400'000'000'000ull * 7 - 1});
    batch.facts.blocks.push_back({2, "c", "a", std::nullopt, 86'400'000'000'000ull * 7});
    EXPECT_THAT(days_of_blocks(batch), ElementsAre(6, 7));
}

TEST(TextArray, QuotesEveryValue) { EXPECT_EQ(text_array({"a", "", "b\"\\,{}"}), R"({"a","","b\"\\,{}"})"); }

}  // namespace
}  // namespace receiptd::storage

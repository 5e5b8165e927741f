// GET /v1/transactions, /v1/gaps and /v1/backfills, and lists as CSV.
#include "api/csv.hpp"
#include "unit/api/fakes.hpp"

namespace receiptd::api {
namespace {

using ::testing::HasSubstr;
using testing::json;
using ::testing::StartsWith;

storage::ListedTransaction listed(const std::string& tx_hash) {
    storage::ListedTransaction made;
    made.tx_hash = tx_hash;
    made.block_time = "2026-01-01T00:00:00.000000Z";
    made.signer_id = made.user_id = "alice.near";
    made.receiver_id = "bob.near";
    made.tokens_burnt = "123456789012345678901234567890";
    return made;
}

class Lists : public testing::ApiTest {
protected:
    std::string body_of(const net::ServerReply& reply) {
        std::string body;
        for (auto piece = next(reply); !piece.empty(); piece = next(reply)) body += piece;
        return body;
    }
    std::string next(const net::ServerReply& reply) { return net::testing::run_on(io_, reply.next_piece()); }
    json missing(const std::string& target) { return problem(get(target), 422); }
};

TEST_F(Lists, OfAnAccountTellWhatIsWhole) {
    history_.transactions = {listed("T1"), listed("T2")};
    history_.known.followed = true;
    history_.known.ranges = {{20, 30}, {1, 9}};
    history_.known.since = "2026-01-01T00:00:00.000000Z";
    const auto page = answer(
        get("/v1/transactions?account_id=alice.near&role=receiver&method=ft_transfer&verdict=callback_failed"
            "&near_status=success&error_class=contract_panic&since=2020-01-01T00:00:00Z&limit=1"));
    EXPECT_EQ(page["transactions"].size(), 1u);
    EXPECT_EQ(page["transactions"][0]["tokens_burnt"], "123456789012345678901234567890");
    EXPECT_EQ(page["transactions"][0]["verdict"], nullptr);
    EXPECT_EQ(page["next_cursor"], testing::FakeHistory::cursor_at(1));
    EXPECT_EQ(page["coverage"]["account_id"], "alice.near");
    EXPECT_EQ(page["coverage"]["heights"],
              json::parse(R"([{"from_height":20,"to_height":30},{"from_height":1,"to_height":9}])"));
    EXPECT_EQ(history_.asked.role, storage::AccountRole::receiver);
    EXPECT_EQ(history_.asked.method_name, "ft_transfer");
    EXPECT_EQ(history_.asked.verdict, chain::Verdict::callback_failed);
    EXPECT_EQ(history_.known_of, "alice.near");
}

TEST_F(Lists, WithoutAnIndexNameTheFilterThatIsMissing) {
    EXPECT_EQ(missing("/v1/transactions")["parameter"], "since");
    EXPECT_EQ(missing("/v1/transactions?verdict=succeeded&since=2026-01-01T00:00:00Z")["parameter"], "until");
    EXPECT_EQ(missing("/v1/transactions?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:01Z")["parameter"],
              "until");
    EXPECT_EQ(missing("/v1/transactions?role=signer&verdict=failed")["parameter"], "account_id");
    EXPECT_EQ(missing("/v1/findings?error_class=contract_panic")["parameter"], "since");
    EXPECT_EQ(missing("/v1/findings?method=run&kind=failed_receipt&format=csv")["parameter"], "since");
    EXPECT_EQ(history_.pages, 0u);
    for (const std::string enough :
         {"transactions?account_id=alice.near&verdict=succeeded", "transactions?verdict=failed&method=run",
          "transactions?since=2026-01-01T00:00:00%2B01:00&until=2026-01-01T23:00:00Z",
          "findings?user_id=alice.near&effect=refunded", "findings?contract_id=bob.near&role=callback",
          "findings?effect=refunded&since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z"})
        EXPECT_EQ(get("/v1/" + enough).status, 200) << enough;
}

TEST_F(Lists, RefuseWhatIsNoFilter) {
    for (const std::string wrong : {"role=touched", "verdict=odd", "near_status=odd", "since=yesterday",
                                    "cursor=1", "cursor=2026-13-01T00:00:00.000000Z,T", "limit=101",
                                    "format=xml", "format=csv&limit=5", "account_id=NO", "method=%00"})
        EXPECT_EQ(get("/v1/transactions?account_id=alice.near&" + wrong).status, 400) << wrong;
    for (const std::string wrong : {"cursor=x", "cursor=-1", "cursor=99999999999999999999", "limit=0"})
        EXPECT_EQ(get("/v1/gaps?" + wrong).status, 400) << wrong;
    EXPECT_EQ(get("/v1/findings?contract_id=a.near&role=odd").status, 400);
    EXPECT_EQ(get("/v1/findings?contract_id=a.near&effect=odd").status, 400);
}

TEST_F(Lists, OfGapsAndBackfillsGoOnPageByPage) {
    for (const std::int64_t height : {5, 9, 14}) {
        storage::Gap gap;
        gap.from_height = height;
        gap.to_height = height + 1;
        gap.reason = "not fetched yet";
        history_.gaps.push_back(gap);
        storage::BackfillOrder order;
        order.id = 20 - height;
        history_.backfills.push_back(order);
    }
    const auto gaps = answer(get("/v1/gaps?limit=2"));
    EXPECT_EQ(gaps["gaps"].size(), 2u);
    EXPECT_EQ(gaps["gaps"][1]["heights"], 2);
    const auto last = answer(get("/v1/gaps?cursor=" + gaps["next_cursor"].get<std::string>()));
    EXPECT_EQ(last["gaps"][0]["from_height"], 14);
    EXPECT_EQ(last["next_cursor"], nullptr);
    const auto orders = answer(get("/v1/backfills?limit=1"));
    EXPECT_EQ(orders["backfills"][0]["state"], "unfinished");
    EXPECT_EQ(
        answer(get("/v1/backfills?cursor=" + orders["next_cursor"].get<std::string>()))["backfills"].size(),
        2u);
}

TEST_F(Lists, AsCsvAreWrittenPieceByPiece) {
    for (unsigned i = 0; i < 2 * kRowsAtOnce + 1; ++i)
        history_.transactions.push_back(listed("T" + std::to_string(i)));
    const auto reply = get("/v1/transactions?account_id=alice.near&format=csv");
    EXPECT_EQ(reply.status, 200);
    EXPECT_THAT(header(reply, "Content-Type"), StartsWith("text/csv"));
    EXPECT_THAT(header(reply, "Content-Disposition"), HasSubstr("receiptd-transactions.csv"));
    EXPECT_EQ(history_.pages, 1u);
    const auto first = next(reply);
    EXPECT_THAT(first, StartsWith("tx_hash,block_height,block_time,signer_id,"));
    EXPECT_THAT(first, HasSubstr("\r\nT0,0,2026-01-01T00:00:00.000000Z,alice.near,alice.near,,bob.near,"));
    EXPECT_THAT(first, HasSubstr(",123456789012345678901234567890,"));
    EXPECT_EQ(history_.pages, 1u) << "the second part is read when the first is taken";
    const auto rest = body_of(reply);
    EXPECT_THAT(rest, StartsWith("T" + std::to_string(kRowsAtOnce) + ","));
    EXPECT_EQ(std::count(rest.begin(), rest.end(), '\n'), kRowsAtOnce + 1);
    EXPECT_EQ(history_.pages, 3u);
}

TEST_F(Lists, AsCsvEndAtTheMostRows) {
    history_.transactions.assign(kMostCsvRows + 5, listed("T"));
    const auto body = body_of(get("/v1/transactions?account_id=alice.near&format=csv"));
    EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), kMostCsvRows + 1);
}

TEST_F(Lists, AsCsvHaveAHeadWithoutRows) {
    for (const std::string list :
         {"transactions?account_id=a.near&", "findings?", "watches?", "alerts?", "gaps?", "backfills?"}) {
        const auto body = body_of(get("/v1/" + list + "format=csv"));
        EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), 1) << list;
    }
}

TEST_F(Lists, AsCsvHaveSeats) {
    std::vector<net::ServerReply> taken;
    for (std::size_t i = 0; i < Shared::kCsvAtOnce; ++i) taken.push_back(get("/v1/gaps?format=csv"));
    EXPECT_EQ(header(get("/v1/gaps?format=csv"), "Retry-After"), "5");
    taken.pop_back();
    EXPECT_EQ(get("/v1/gaps?format=csv").status, 200);
}

TEST_F(Lists, AsCsvWhileTheDatabaseIsAwayAreProblems) {
    database_.away = true;
    problem(get("/v1/gaps?format=csv"), 503);
}

TEST(Csv, DoesNotRunInASpreadsheet) {
    EXPECT_EQ(csv_line(R"({"a":"=1+1","b":"+x","c":"-x","d":"@x","e":"\tx","f":"\rx"})"),
              "\"'=1+1\",\"'+x\",\"'-x\",\"'@x\",\"'\tx\",\"'\rx\"\r\n");
    EXPECT_EQ(csv_line(R"({"a":"-123456789012345678901234567890","b":-5,"c":"-","d":"1=2"})"),
              "-123456789012345678901234567890,-5,\"'-\",1=2\r\n");
}

TEST(Csv, KeepsWhatItIsGiven) {
    EXPECT_EQ(csv_head(R"({"a":1,"b":{}})"), "a,b\r\n");
    EXPECT_EQ(
        csv_line(
            R"({"a":"x,y","b":"say \"no\"","c":"two\nlines","d":null,"e":true,"f":["p","q"],"g":18446744073709551615})"),
        "\"x,y\",\"say \"\"no\"\"\",\"two\nlines\",,true,\"[\"\"p\"\",\"\"q\"\"]\",18446744073709551615\r\n");
}

}  // namespace
}  // namespace receiptd::api

// A text in every place of a block where a stranger may put it: its rows are written by the real writers, and
// read back by SQL through every view, every JSON column and the stores. On PostgreSQL
// (RECEIPTD_TEST_DATABASE).
#include "base/json_text.hpp"
#include "chain/json/decode.hpp"
#include "chain/json/json_check.hpp"
#include "chain/rows/rows.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "chain/wire/base64.hpp"
#include "chain/wire/hash.hpp"
#include "fuzz/odd_block.hpp"
#include "fuzz/visit_model.hpp"
#include "metrics/registry.hpp"
#include "storage/pg_block_store.hpp"
#include "storage/pg_delivery_store.hpp"
#include "storage/pg_finding_store.hpp"
#include "storage/pg_orphan_store.hpp"
#include "storage/pg_page_store.hpp"
#include "storage/pg_tree_store.hpp"
#include "storage/pg_watch_store.hpp"
#include "support/await.hpp"
#include "support/migrated_database.hpp"

#include <simdjson.h>

#include <cstdlib>
#include <memory>
#include <optional>

namespace receiptd::fuzz {
namespace {

using test::await;
using test::run_sql;

constexpr const char* kTransaction = "wjYUgyDEwitMbJm7tGffZ4EoUNHxiLptFHD3psSDeDZY";
constexpr chain::BlockHeight kHeight = 150'000'000;

std::string as_json(std::string_view text) {
    std::string string;
    base::append_quoted(string, text);
    return string;
}

std::string inside(const std::string& string) { return string.substr(1, string.size() - 2); }

void replace_all(std::string& text, std::string_view place, const std::string& by) {
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + by.size()))
        text.replace(at, place.size(), by);
}

// The input as the content of a JSON string, as it is or escaped, and as a JSON value, if it is one.
std::string block_of(const std::string& input) {
    auto text = "\"" + input + "\"";
    if (!chain::check_json(text).valid) text = as_json(input);
    const auto value = chain::check_json(input).valid ? input : text;
    const auto event = R"(EVENT_JSON:{"standard":"nep141","version":)" + text +
                       R"(,"event":"ft_transfer","data":)" + value + "}";
    std::string block(kOddBlock);
    std::erase(block, '\n');
    replace_all(block, "@EVENT@", inside(as_json(event)));
    replace_all(block, "@ARGS@", chain::base64_encode(chain::bytes_of(value)));
    replace_all(block, "@TEXT@", inside(text));
    return block;
}

struct Clock final : base::Clock {
    base::WallTime wall() const override { return base::WallTime(std::chrono::seconds(1'666'137'600)); }
    base::SteadyTime steady() const override { return {}; }
};

// One database for all inputs; each finds it empty.
class World {
public:
    explicit World(const char* maintenance_url)
        : fresh_(test::copy_of(maintenance_url, test::template_of_first_day(maintenance_url))),
          database_(fresh_->options(), series_),
          session_(test::quiet_connection(fresh_->url())) {
        await(database_.check_identity({"testnet", "all"}));
        await(deliveries_.serve_endpoints({{"ops", {"default"}}}, storage::Serving::begins));
        run("UPDATE chain_identity SET created_at = '2000-01-01'");
        for (const auto& row : run("SELECT viewname FROM pg_views WHERE schemaname = 'public' ORDER BY 1"))
            reads_ += "SELECT count(v::text) FROM " + row[0].as<std::string>() + " v;";
        for (const auto& row :
             run("SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
                 "WHERE c.relnamespace = 'public'::regnamespace AND a.atttypid = 'json'::regtype "
                 "AND NOT c.relispartition AND NOT a.attisdropped"))
            reads_ += "SELECT count(\"" + row[1].as<std::string>() + "\" #>> '{0,none}') FROM " +
                      row[0].as<std::string>() + ";";
        reads_ += "SELECT count(convert_from(as_given, 'UTF8')::json) FROM receipts;";
        reads_ += std::string("SELECT count(t::text) FROM receipt_tree('") + kTransaction + "') t";
    }

    void take(const std::string& input) {
        auto block = block_of(input);
        block.reserve(block.size() + chain::kJsonPadding);
        const auto decoded = chain::decode_whole_block(std::move(block));
        require(decoded.has_value(), "it is a block", input);
        chain::Lineage lineage;
        chain::LiveTrees live_trees;
        auto batch = chain::whole_block_rows(decoded->value, std::nullopt, {}, lineage, &live_trees, true);
        batch.facts.wanted.add({kHeight, kHeight});
        require(await(blocks_.commit(std::move(batch))) == storage::CommitOutcome::committed, "it is stored",
                input);
        read(input);
        send(input);
        const auto aside = database_.set_aside.save(*session_);
        require(aside.empty(), "nothing is set aside", input);
        run("DELETE FROM receipts; DELETE FROM transactions; DELETE FROM events; DELETE FROM findings; "
            "DELETE FROM transaction_results; DELETE FROM blocks; DELETE FROM chunks; DELETE FROM "
            "orphan_receipts; "
            "DELETE FROM late_trees; DELETE FROM alerts; DELETE FROM stream_events; DELETE FROM watches; "
            "UPDATE coverage SET heights = '{}'");
        if (++taken_ % 1'000 == 0)
            run("TRUNCATE receipts, transactions, events, findings, transaction_results, blocks, chunks, "
                "orphan_receipts, late_trees, alerts, deliveries, stream_events, watches, watch_transitions");
    }

private:
    pqxx::result run(const std::string& sql) { return pqxx::nontransaction(*session_).exec(sql); }

    void read(const std::string& input) {
        run(reads_);
        await(orphans_.adopt_orphans({kHeight, kHeight}));
        await(trees_.settle_trees({kHeight, kHeight}, {}));
        await(trees_.judge_late_trees(false, {}));
        const auto trees = await(watches_.stored_trees({kTransaction}));
        require(trees.size() == 1 && trees.begin()->second.receipts.size() == 2, "the tree is read", input);
        await(pages_.contract_health("bob.near", 1'000'000, 10));
        await(pages_.failure_groups({}, 10));
        await(findings_.list_findings({}));
        await(findings_.stream_events(0, {}));
    }

    void send(const std::string& input) {
        const auto claimed = await(deliveries_.claim_deliveries({{"ops", 100}}, std::chrono::seconds(1)));
        const auto causes = await(deliveries_.causes(claimed.due));
        require(causes.size() >= 1, "a failure makes an alert", input);
    }

    std::unique_ptr<test::FreshDatabase> fresh_;
    metrics::Registry registry_;
    metrics::StorageSeries series_{registry_};
    storage::Database database_;
    Clock clock_;
    storage::PgBlockStore blocks_{database_};
    storage::PgTreeStore trees_{database_};
    storage::PgOrphanStore orphans_{database_};
    storage::PgWatchStore watches_{database_, clock_};
    storage::PgDeliveryStore deliveries_{database_};
    storage::PgFindingStore findings_{database_};
    storage::PgPageStore pages_{database_};
    std::unique_ptr<pqxx::connection> session_;
    std::string reads_;
    std::size_t taken_ = 0;
};

}  // namespace
}  // namespace receiptd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace receiptd;
    static const char* url = std::getenv("RECEIPTD_TEST_DATABASE");
    fuzz::require(url != nullptr, "RECEIPTD_TEST_DATABASE is set: tests/support/run_test.py --postgres");
    static fuzz::World world(url);
    const std::string input(reinterpret_cast<const char*>(data), size);
    if (simdjson::validate_utf8(input.data(), input.size())) world.take(input);
    return 0;
}

#include "unit/page/fakes.hpp"

namespace receiptd::page {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kScript = "<script>alert(1)</script>";

class ViewsTest : public testing::PageTest {
protected:
    void SetUp() override {
        PageTest::SetUp();
        status_.network = "sandbox";
    }

    void add_finding(std::string text) {
        chain::Finding row;
        row.finding_id = "failed_receipt:" + std::to_string(findings_.findings.size());
        row.kind = "failed_receipt";
        row.tx_hash = kHash;
        row.contract_id = "app.near";
        row.method_name = text;
        row.signer_id = text;
        row.failure = {"contract_panic", text};
        row.at = {7, 1'769'860'800'000'000'000};
        findings_.findings.push_back(row);
    }
    // A transaction whose initial receipt failed; with more receipts behind it, whose outcomes are missing.
    void store_tree(const std::string& text, std::size_t receipts = 1) {
        storage::StoredTree tree;
        chain::TransactionFacts transaction;
        transaction.tx_hash = kHash;
        transaction.signer_id = "alice.near";
        transaction.receiver_id = "app.near";
        transaction.method_name = text;
        tree.transaction = transaction;
        chain::OutcomeFacts conversion;
        conversion.id = kHash;
        conversion.status = chain::StatusKind::success_receipt_id;
        conversion.returned_id = id_of(0);
        conversion.receipt_ids = {id_of(0)};
        conversion.at = chain::ExecutedAt{5, 1'769'860'800'000'000'000};
        tree.outcomes.push_back(conversion);
        for (std::size_t i = 0; i < receipts; ++i) {
            chain::ReceiptFacts receipt;
            receipt.receipt_id = id_of(i);
            receipt.predecessor_id = receipt.signer_id = "alice.near";
            receipt.receiver_id = "app.near";
            receipt.method_name = text;
            if (i > 0) receipt.parent_receipt_id = id_of(0);
            tree.receipts.push_back(receipt);
            chain::OutcomeFacts outcome;
            outcome.id = id_of(i);
            outcome.executor_id = "app.near";
            outcome.status = chain::StatusKind::failure;
            outcome.failure = {"contract_panic", text};
            outcome.at = chain::ExecutedAt{6, 1'769'860'801'000'000'000};
            if (i == 0)
                for (std::size_t child = 1; child < receipts; ++child)
                    outcome.receipt_ids.push_back(id_of(child));
            tree.outcomes.push_back(outcome);
        }
        watches_.trees[kHash] = tree;
    }
    static std::string id_of(std::size_t number) {
        auto id = kOther;
        for (auto at = id.size() - 1; number > 0; number /= 9, --at)
            id[at] = static_cast<char>('1' + number % 9);
        return id;
    }
};

TEST_F(ViewsTest, EveryViewIsShownAndLoadsNothingOfOthers) {
    store_tree("go");
    for (const std::string target :
         {"/", "/findings", "/watches", "/alerts", "/silences", "/contracts", "/search"}) {
        const auto reply = get(target);
        EXPECT_EQ(reply.status, 200) << target;
        const auto policy = header(reply, "Content-Security-Policy");
        EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'self'")) << target;
        EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'")) << target;
        EXPECT_THAT(policy, Not(HasSubstr("unsafe"))) << target;
        EXPECT_EQ(header(reply, "X-Content-Type-Options"), "nosniff");
        EXPECT_EQ(header(reply, "Referrer-Policy"), "no-referrer");
        EXPECT_EQ(header(reply, "Cache-Control"), "no-store");
        EXPECT_THAT(text_of(reply), HasSubstr("<main id=\"main\"")) << target;
        EXPECT_THAT(text_of(reply), Not(HasSubstr("://"))) << target;
    }
}

TEST_F(ViewsTest, TextsOfTheChainAreTextsInEveryView) {
    store_tree(kScript);
    add_finding(kScript);
    storage::FailureGroup group;
    group.kind = "failed_receipt";
    group.contract_id = group.method_name = group.error_text = kScript;
    group.tx_hash = kHash;
    store_.groups.push_back(group);
    store_.methods.push_back({kScript, kScript, 5, 1, 1});
    storage::DeliveryRow row;
    row.alert_id = row.endpoint = row.last_error = kScript;
    row.kind = "failed_receipt";
    deliveries_.rows.push_back(row);
    auto& watch = watches_.rows[kOther];
    watch.tx_hash = kOther;
    watch.sender_id = kScript;
    watch.state.reason = watch.idempotency_key = watch.metadata_json = kScript;
    api::UpstreamView host;
    host.name = host.origin = host.last_error = kScript;
    status_.upstreams.push_back(host);
    storage::SilenceRow silence;
    silence.matcher_json = R"({"contract":["<script>alert(1)</script>"]})";
    silence.reason = silence.author = silence.ended_by = kScript;
    silences_.stored.push_back(silence);
    store_.alert_groups[7] = {7, kScript, R"({"rules":["<script>alert(1)</script>"]})", 1, 1, 0, "", "", ""};
    for (const std::string target :
         {"/", "/findings", "/watches", "/alerts", "/alerts?group=7", "/silences", "/contracts"}) {
        EXPECT_THAT(html(target), HasSubstr("&lt;script&gt;alert(1)")) << target;
        EXPECT_THAT(html(target), Not(HasSubstr("<script>"))) << target;
    }
    const auto transaction = html("/tx/" + kHash);
    EXPECT_THAT(transaction, HasSubstr("&lt;script&gt;alert(1)"));
    EXPECT_THAT(transaction, Not(HasSubstr("<script>")));
    EXPECT_THAT(html("/search?q=%3Cscript%3Ealert(2)%3C%2Fscript%3E", 404), Not(HasSubstr("<script>")));
}

TEST_F(ViewsTest, AWatchIsShownWithItsKeyAndItsMetadata) {
    auto& watch = watches_.rows[kOther];
    watch.tx_hash = watch.transaction.tx_hash = kOther;
    watch.idempotency_key = "payment-7";
    watch.metadata_json = R"({"order":7})";
    EXPECT_EQ(header(get("/search?q=payment-7"), "Location"), "/tx/" + kOther);
    for (const auto& target : {std::string("/watches"), "/tx/" + kOther}) {
        EXPECT_THAT(html(target), HasSubstr("payment-7")) << target;
        EXPECT_THAT(html(target), HasSubstr("{&quot;order&quot;:7}")) << target;
    }
}

TEST_F(ViewsTest, TheFirstViewIsMadeOnceForAllWhoLook) {
    add_finding("first");
    html("/");
    const auto questions = database_.questions;
    for (int i = 0; i < 64; ++i) EXPECT_THAT(html("/"), HasSubstr("first"));
    EXPECT_EQ(database_.questions, questions);
    clock_.now += std::chrono::milliseconds(1'001);
    add_finding("second");
    EXPECT_THAT(html("/"), HasSubstr("second"));
    EXPECT_EQ(store_.counted, 1) << "counts are kept for longer";
}

TEST_F(ViewsTest, WithoutADatabaseTheFirstViewStillTellsOfTheDaemon) {
    database_.away = true;
    const auto text = html("/");
    EXPECT_THAT(text, HasSubstr("The database does not answer"));
    EXPECT_THAT(text, HasSubstr("Something needs a look"));
    EXPECT_THAT(html("/findings", 503), HasSubstr("The database does not answer"));
    EXPECT_EQ(header(get("/watches"), "Retry-After"), "5");
}

TEST_F(ViewsTest, ATransactionIsToldWithItsReceipts) {
    store_tree("out of luck");
    store_.details[id_of(0)] = {id_of(0), R"({"logs":["a log line"],"shard_id":3})", "[]"};
    const auto text = html("/tx/" + kHash);
    EXPECT_THAT(text, HasSubstr("The transaction failed"));
    EXPECT_THAT(text, HasSubstr("out of luck"));
    EXPECT_THAT(text, HasSubstr("a log line"));
    EXPECT_THAT(text, HasSubstr("id=\"receipt-" + id_of(0) + "\""));
    EXPECT_THAT(text, HasSubstr("root cause"));
    EXPECT_THAT(html("/tx/" + kHash + "?receipt=" + id_of(0)), HasSubstr("<details open>"));
}

TEST_F(ViewsTest, AllActionsOfABatchAreNamed) {
    store_tree("CreateAccount");
    watches_.trees[kHash].transaction->action_names = {"CreateAccount", "Transfer", "AddKey"};
    EXPECT_THAT(html("/tx/" + kHash), HasSubstr("<bdi>CreateAccount, Transfer, AddKey</bdi>"));
}

TEST_F(ViewsTest, EvenALargeTransactionStaysBelowTwoHundredKilobytes) {
    const std::string text(500, 'x');
    store_tree(text, 500);
    for (std::size_t i = 0; i < 500; ++i)
        store_.details[id_of(i)] = {id_of(i), json{{"logs", {std::string(4'000, 'x')}}}.dump(), "[]"};
    auto whole = html("/tx/" + kHash + "?receipt=" + id_of(499));
    const auto drawing = whole.find("<svg xmlns");
    ASSERT_NE(drawing, std::string::npos);
    whole.erase(drawing, whole.find("</svg>", drawing) - drawing);
    for (const std::string file : {"style.css", "script.js", "icon.svg"})
        whole += text_of(get("/assets/" + file));
    EXPECT_LT(whole.size(), 200'000U);
}

TEST_F(ViewsTest, WhatIsNotStoredSaysWhatToDo) {
    EXPECT_THAT(html("/tx/" + kHash, 404), HasSubstr("data-watch"));
    EXPECT_THAT(html("/tx/nonsense", 404), HasSubstr("43 or 44 letters"));
    EXPECT_THAT(html("/search?q=nonsense", 404), HasSubstr("Nothing found"));
    EXPECT_THAT(html("/tx/" + kHash + "?sender=alice.near", 404),
                HasSubstr("none knows it, or none answered"));
    Ask stranger;
    stranger.target = "/tx/" + kHash + "?sender=alice.near";
    stranger.token = "";
    const auto refused = send(stranger);
    EXPECT_EQ(refused.status, 401);
    EXPECT_THAT(refused.body, HasSubstr("needs the token"));
    const auto found = get("/search?q=%20" + kHash + "%20");
    EXPECT_EQ(found.status, 303);
    EXPECT_EQ(header(found, "Location"), "/tx/" + kHash);
}

TEST_F(ViewsTest, FiltersReachTheStore) {
    html("/findings?hours=6&contract_id=app.near&kind=failed_receipt&handled=false");
    EXPECT_EQ(store_.asked.hours, 6U);
    EXPECT_EQ(store_.asked.contract_id, "app.near");
    EXPECT_EQ(findings_.asked.kind, "failed_receipt");
    EXPECT_EQ(findings_.asked.handled, false);
    html("/findings?hours=9999&contract_id=%20&kind=&handled=&cursor=&more=1");
    EXPECT_EQ(store_.asked.hours, 168U);
    EXPECT_EQ(store_.asked.contract_id, "");
    html("/watches?open=true&sender_id=alice.near&verdict=callback_failed");
    EXPECT_TRUE(watches_.asked.open_only);
    EXPECT_EQ(watches_.asked.sender_id, "alice.near");
    EXPECT_EQ(watches_.asked.verdict, chain::Verdict::callback_failed);
    html("/alerts?state=dead&endpoint=ops&rule=payments");
    EXPECT_EQ(deliveries_.asked.state, "dead");
    EXPECT_EQ(deliveries_.asked.rule, "payments");
    EXPECT_EQ(deliveries_.asked.endpoint, "ops");
    html("/alerts?group=12");
    EXPECT_EQ(deliveries_.asked.group_id, 12);
    html("/contracts?contract_id=app.near&hours=999");
    EXPECT_EQ(store_.asked.contract_id, "app.near");
}

TEST_F(ViewsTest, DeliveriesAreListedFiftyAtATime) {
    storage::DeliveryRow row;
    row.alert_id = "failed_receipt:x";
    row.endpoint = "ops";
    row.state = "dead";
    row.created_at = "2026-01-01T00:00:00.000000Z";
    row.rules = {"payments@3"};
    deliveries_.rows.assign(50, row);
    EXPECT_THAT(html("/alerts"), Not(HasSubstr("Older deliveries")));
    EXPECT_THAT(html("/alerts"), HasSubstr("href=\"/alerts?rule=payments\"><bdi>payments@3</bdi>"));
    deliveries_.rows.assign(51, row);
    const auto text = html("/alerts?state=dead&endpoint=ops");
    EXPECT_THAT(
        text,
        HasSubstr("href=\"/alerts?state=dead&amp;endpoint=ops&amp;rule=&amp;cursor=2026-01-01T00%3A00%3A00."
                  "000000Z%2Cops%2Cfailed_receipt%3Ax\""));
    html("/alerts?state=dead&endpoint=ops&cursor=2026-01-01T00%3A00%3A00.000000Z%2Cops%2Cx");
    EXPECT_EQ(deliveries_.asked.cursor, "2026-01-01T00:00:00.000000Z,ops,x");
}

TEST_F(ViewsTest, TheFateOfADeliveryIsShown) {
    storage::DeliveryRow row;
    row.alert_id = "failed_receipt:x";
    row.endpoint = "ops";
    for (const auto state : storage::kDeliveryStates) {
        row.state = state;
        deliveries_.rows.push_back(row);
    }
    for (const char* because : {"expired", "unserved", "gone", "attempts"}) {
        row.dead_because = because;
        row.state = "dead";
        deliveries_.rows.push_back(row);
    }
    deliveries_.rows[3].group_id = 12;
    deliveries_.rows[4].silence_id = 5;
    deliveries_.rows.push_back(deliveries_.rows[0]);
    deliveries_.rows[0].next_attempt_at = "1969-12-31T00:00:00.000000Z";  // it is 1970 here
    deliveries_.rows.back().next_attempt_at = "2200-01-01T00:00:00.000000Z";
    const auto text = html("/alerts");
    for (const char* told :
         {"Pending", "Delivered", "Given up", "Grouped", "Silenced", "Withheld", "Late", "it waited too long",
          "no daemon served the endpoint", "the endpoint answered 410", ">due<", ">next <time",
          "href=\"/alerts?group=12\">group 12</a>", "href=\"/silences?all=true#silence-5\">silence 5</a>"})
        EXPECT_THAT(text, HasSubstr(told));
}

TEST_F(ViewsTest, AGroupShowsWhatItsMembersHaveInCommon) {
    store_.alert_groups[12] = {12,
                               "ops",
                               R"({"rules":["payments"],"contract_id":"shop.near","method_name":""})",
                               5'000,
                               21,
                               2,
                               "2026-01-01T00:00:00.000000Z",
                               "2026-01-01T00:01:00.000000Z",
                               ""};
    const auto text = html("/alerts?group=12");
    for (const char* told :
         {"Group 12", "5,000 alerts for <bdi>ops</bdi>", "21 of them told, in 2 digests", "Goes on",
          "<dt>rules</dt><dd><bdi>payments</bdi>", "<dt>contract_id</dt><dd><bdi>shop.near</bdi>"})
        EXPECT_THAT(text, HasSubstr(told));
    EXPECT_THAT(text, Not(HasSubstr("method_name"))) << "the alerts have no method";
    store_.alert_groups[12].ended_at = "2026-01-01T00:11:00.000000Z";
    EXPECT_THAT(html("/alerts?group=12"), HasSubstr("Over"));
    EXPECT_THAT(html("/alerts?group=13"), Not(HasSubstr("group-title"))) << "it is forgotten";
}

TEST_F(ViewsTest, SilencesAreShownWithWhoAndWhy) {
    storage::SilenceRow silence;
    silence.silence_id = 5;
    silence.state = "active";
    silence.matcher_json = R"({"contract":["*.shop.near","dex.near"],"rule":["payments"]})";
    silence.starts_at = "2026-01-01T00:00:00.000000Z";
    silence.ends_at = "2026-01-02T00:00:00.000000Z";
    silence.reason = "a migration";
    silence.author = "alice";
    silences_.stored.push_back(silence);
    silence.silence_id = 4;
    silence.state = "over";
    silence.ended_by = "bob";
    silences_.stored.push_back(silence);
    const auto text = html("/silences");
    for (const char* told :
         {"a migration", "alice", "<bdi>*.shop.near</bdi>", "<bdi>dex.near</bdi>", "<bdi>payments</bdi>",
          "Active", "2026-01-02T00:00:00.000000Z", "data-end-silence=\"5\""})
        EXPECT_THAT(text, HasSubstr(told));
    EXPECT_THAT(text, Not(HasSubstr("bob")));
    const auto all = html("/silences?all=true");
    EXPECT_THAT(all, HasSubstr("ended by <bdi>bob</bdi>"));
    EXPECT_THAT(all, Not(HasSubstr("data-end-silence=\"4\""))) << "it is over";
}

TEST_F(ViewsTest, FindingsOneByOneAreOfTheSameHoursAsTheirCauses) {
    status_.committed = api::BlockView{};
    status_.committed->time = "2026-02-01T00:00:00.5Z";
    html("/findings?hours=6");
    EXPECT_EQ(findings_.asked.since, "2026-01-31T18:00:00.000Z");
}

TEST_F(ViewsTest, AFilterThatCannotBeReadListsNothingAndSaysWhatIsWrong) {
    add_finding("of somebody else");
    for (const std::string filter : {"hours=-1", "hours=soon", "contract_id=NO", "contract_id=a%20b",
                                     "kind=novel", "handled=maybe", "cursor=2026-13-45T00:00:00.000000Z,x"}) {
        const auto text = html("/findings?" + filter);
        EXPECT_THAT(text,
                    HasSubstr("the filter “" + filter.substr(0, filter.find('=')) + "” cannot be read"));
        EXPECT_THAT(text, Not(HasSubstr("of somebody else"))) << filter;
    }
    for (const std::string target :
         {"/watches?sender_id=NO", "/watches?open=maybe", "/watches?verdict=good", "/watches?stage=later",
          "/watches?cursor=x", "/alerts?state=lost", "/alerts?group=0", "/alerts?group=x",
          "/silences?all=maybe", "/alerts?endpoint=a%20b", "/alerts?cursor=x", "/contracts?contract_id=NO",
          "/contracts?hours=0"})
        EXPECT_THAT(html(target), HasSubstr("Nothing is listed: the filter")) << target;
    EXPECT_THAT(html("/findings?contract_id=%zz"), HasSubstr("this address cannot be read"));
    EXPECT_EQ(database_.questions, 0);
}

TEST_F(ViewsTest, CountsThatCouldNotBeHadAreNotAskedForAtOnceAgain) {
    database_.slow = true;
    html("/");
    database_.slow = false;
    clock_.now += std::chrono::seconds(2);
    html("/");
    EXPECT_EQ(store_.counted, 0);
    clock_.now += std::chrono::seconds(10);
    html("/");
    EXPECT_EQ(store_.counted, 1);
}

TEST_F(ViewsTest, AssetsAreKeptByTheBrowser) {
    const auto first = get("/assets/style.css");
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(header(first, "Content-Type"), "text/css; charset=utf-8");
    EXPECT_EQ(header(first, "Cache-Control"), "no-cache");
    const auto tag = header(first, "ETag");
    const auto version = tag.substr(1, tag.size() - 2);
    EXPECT_THAT(html("/"), HasSubstr("/assets/style.css?v=" + version));
    EXPECT_THAT(header(get("/assets/style.css?v=" + version), "Cache-Control"), HasSubstr("immutable"));
    net::ServerRequest again;
    again.method = "GET";
    again.path = "/assets/style.css";
    again.headers.push_back({"If-None-Match", tag});
    const auto unchanged = run_on(io_, api().handler()(std::move(again)));
    EXPECT_EQ(unchanged.status, 304);
    EXPECT_FALSE(unchanged.shared_body);
    EXPECT_EQ(get("/assets/..%2Fframe.mustache").status, 404);
    EXPECT_EQ(get("/assets/frame.mustache").status, 404);
}

}  // namespace
}  // namespace receiptd::page

// Transactions without contracts, beside what a real node of protocol 84 said of the same ones
// (tests/data/recorded/nearcore-84/README.md).
#include "test_chain.hpp"

#include "chain/wire/delegate.hpp"
#include "support/recordings.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

#include <functional>

namespace receiptd::sandbox {
namespace {

using sim::Json;

const std::string kOwner = "alice.sandbox";
const std::string kOther = "bob.sandbox";

LedgerOptions version84() {
    LedgerOptions options = test_options();
    options.protocol = sim::find_protocol(84);
    return options;
}

// Each makes one transaction and returns its hash.
using Shape = std::function<std::string(TestChain&)>;

Shape sends(std::string receiver_id, std::vector<wire::Action> actions) {
    return [receiver_id = std::move(receiver_id), actions = std::move(actions)](TestChain& chain) {
        return chain.run(chain.make(kOwner, receiver_id, actions));
    };
}

wire::Action transferring(u128 amount = kToken) { return {wire::Transfer{amount}}; }

wire::Action calling(const std::string& method, std::size_t args, Gas gas) {
    return {wire::FunctionCall{method, chain::Bytes(args), gas, 0}};
}

// A new account deletes itself.
Shape leaves(const std::string& beneficiary) {
    return [beneficiary](TestChain& chain) {
        const std::string leaver = "gone." + kOwner;
        chain.run(chain.make(kOwner, leaver,
                             {{wire::CreateAccount{}},
                              transferring(5 * kToken),
                              {wire::AddKey{key_of(leaver).public_key(), {}}}}));
        const Height made = chain.ledger->tip();
        return chain.run(
            chain.make(leaver, leaver, {{wire::DeleteAccount{beneficiary}}}, (made - 1) * 1'000'000));
    };
}

wire::Action delegated(std::uint64_t nonce, Height last_height) {
    wire::SignedDelegate delegate;
    wire::DelegateAction& inner = delegate.delegate_action;
    inner.sender_id = kOwner;
    inner.receiver_id = "script.sandbox";
    inner.actions = {calling("run", 6, 50 * sim::kTera)};
    inner.nonce = nonce;
    inner.max_block_height = last_height;
    inner.public_key = key_of(kOwner).public_key();
    delegate.signature = key_of(kOwner).sign(wire::delegate_hash(inner).view());
    return {std::move(delegate)};
}

std::string carry_twice(TestChain& chain) {
    const wire::Action action = delegated(77, chain.ledger->tip() + 100);
    chain.run(chain.make("relayer.sandbox", kOwner, {action}));
    return chain.run(chain.make("relayer.sandbox", kOwner, {action}));
}

std::string carry_too_late(TestChain& chain) {
    const wire::Action action = delegated(77, chain.ledger->tip());
    chain.produce(3);
    return chain.run(chain.make("relayer.sandbox", kOwner, {action}));
}

std::string delete_new_key(TestChain& chain) {
    const chain::PublicKey key = key_of("a key").public_key();
    chain.run(chain.make(kOwner, kOwner, {{wire::AddKey{key, {}}}}));
    return chain.run(chain.make(kOwner, kOwner, {{wire::DeleteKey{key}}}));
}

const std::map<std::string, Shape>& shapes() {
    static const std::map<std::string, Shape> shapes{
        {"transfer", sends(kOther, {transferring()})},
        {"transfer_self", sends(kOwner, {transferring()})},
        {"transfer_to_nobody", sends("nobody.sandbox", {transferring()})},
        {"implicit", sends(std::string(64, 'a'), {transferring()})},
        {"eth_implicit", sends("0x" + std::string(40, 'b'), {transferring()})},
        {"eth_wallet_made", sends("0x" + std::string(40, 'c'), {transferring(10 * kToken)})},
        {"no_code", sends(kOther, {calling("run", 0, 30 * sim::kTera)})},
        {"batch_fails_second", sends(kOther, {transferring(), {wire::CreateAccount{}}})},
        {"create_account_exists", sends(kOther, {{wire::CreateAccount{}}, transferring()})},
        {"delete_account", leaves(kOther)},
        {"delete_account_bad_beneficiary", leaves("nobody.sandbox")},
        {"delegate_repeated", carry_twice},
        {"delegate_expired", carry_too_late},
        {"add_delete_key", delete_new_key},
        {"stake_too_little", sends(kOwner, {{wire::Stake{1, key_of(kOwner).public_key()}}})},
    };
    return shapes;
}

// "SuccessValue", or "Failure" and the kind of error.
std::string kind_of_status(const Json& status) {
    const std::string kind = status.begin().key();
    if (kind != "Failure") return kind;
    const Json& error = status.at("Failure").at("ActionError").at("kind");
    return kind + " " + (error.is_string() ? error.get<std::string>() : error.begin().key());
}

Json row_of(const Json& executed) {
    const Json& outcome = executed.at("outcome");
    return {outcome.at("gas_burnt"), outcome.at("tokens_burnt"), kind_of_status(outcome.at("status"))};
}

void expect_as_recorded(const std::string& name, const Json& told, const Json& expected) {
    EXPECT_EQ(kind_of_status(told.at("status")), expected.at("status")) << name;
    Json rows{row_of(told.at("transaction_outcome"))};
    for (const Json& executed : told.at("receipts_outcome")) rows.push_back(row_of(executed));
    EXPECT_EQ(rows, expected.at("outcomes")) << name;
    EXPECT_EQ(told.at("receipts").size(), expected.at("bodies")) << name;
}

TEST(RealNode, BurnsTellsAndRefundsTheSameForNativeTransactions) {
    const Json recorded =
        Json::parse(test::read_file(test::kRecorded / "nearcore-84" / "native_shapes.json"));
    ASSERT_EQ(recorded.size(), shapes().size());
    for (const auto& [name, expected] : recorded.items()) {
        TestChain chain(version84());
        expect_as_recorded(name, chain.tx(shapes().at(name)(chain)), expected);
    }
}

TEST(RealNode, AChunkOrHeightThatIsMissingChangesNothingInNativeTransactions) {
    const Json recorded =
        Json::parse(test::read_file(test::kRecorded / "nearcore-84" / "native_shapes.json"));
    for (const auto& [name, expected] : recorded.items()) {
        LedgerOptions options = version84();
        options.missing_chunk_probability = 0.2;
        options.skipped_height_probability = 0.1;
        options.seed = name.size();
        TestChain chain(std::move(options));
        const std::string hash = shapes().at(name)(chain);
        chain.produce(30);
        expect_as_recorded(name, chain.tx(hash), expected);
    }
}

// Two validators' blocks after its head was told final: so old is a transaction when it is sent, and so old
// when its turn comes (nearcore-84-faults/expiry.json, validity 100).
TEST(RealNode, TakesATransactionAsLongAsTheOldestThatWasTaken) {
    const auto age_when_included = [](Height when_sent) -> std::optional<Height> {
        LedgerOptions options = version84();
        options.validity_blocks = 100;
        TestChain chain(std::move(options));
        const auto transaction = chain.transfer(kOwner, kOther, 1);
        chain.produce(when_sent);
        if (chain.ledger->validate(transaction, chain.ledger->tip()) == Json("Expired")) return std::nullopt;
        const std::string hash = chain.send(transaction);
        chain.ledger->delay(hash, 2);
        chain.produce(4);
        const Json included = chain.truth(hash).at("heights").at("included");
        return included.is_null() ? Height{0} : included.get<Height>() - 1'000;
    };
    EXPECT_EQ(age_when_included(97), 100U);
    EXPECT_EQ(age_when_included(98), 101U) << "its block's parent is 100 above";
    EXPECT_EQ(age_when_included(99), 0U) << "nobody objects, and no block has it";
    EXPECT_EQ(age_when_included(100), 0U);
    EXPECT_FALSE(age_when_included(101)) << "Expired";
}

TEST(RealNode, ObjectsToNoNonceThatIsTooLargeAndNeverIncludesIt) {
    TestChain chain(version84());
    const auto transaction = chain.transfer(kOwner, kOther, 1, 1'000'000'000'000'000'000);
    EXPECT_FALSE(chain.ledger->validate(transaction, chain.ledger->tip()));
    const std::string hash = chain.run(transaction, 5);
    EXPECT_FALSE(chain.ledger->is_on_chain(hash, chain.ledger->tip()));
    const Json truth = chain.truth(hash);
    EXPECT_EQ(truth.at("stage"), "dropped");
    EXPECT_TRUE(truth.at("evidence").at("InvalidTxError").contains("NonceTooLarge"));
}

TEST(RealNode, OfVersion84KnowsNoGasKeys) {
    TestChain chain(version84());
    const auto error_of = [&](wire::Action action) {
        const auto transaction = chain.make(kOwner, kOwner, {std::move(action)});
        return chain.ledger->validate(transaction, chain.ledger->tip()).value().dump();
    };
    const chain::PublicKey key = key_of("a key").public_key();
    EXPECT_THAT(error_of({wire::AddKey{key, {0, wire::GasKeyFullAccess{{0, 1}}}}}),
                testing::HasSubstr("UnsupportedProtocolFeature"));
    EXPECT_THAT(error_of({wire::TransferToGasKey{key, 1}}), testing::HasSubstr("UnsupportedProtocolFeature"));
    wire::SignedTransaction newer = chain.transfer(kOwner, kOther, 1);
    newer.transaction.version = wire::TransactionVersion::v1;
    EXPECT_EQ(chain.ledger->validate(newer, chain.ledger->tip()), Json("InvalidTransactionVersion"));
}

}  // namespace
}  // namespace receiptd::sandbox

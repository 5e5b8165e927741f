// Read-only calls (rpc.md §6, §6.1).
#include "sandbox/sim/function_call.hpp"

namespace receiptd::sandbox::sim {

namespace {

const std::string kNoAccount;
const std::vector<PromiseResult> kNoResults;

class ViewWorld final : public CallWorld {
public:
    ViewWorld(const State& state, const std::string& account_id, Height at)
        : state_(state), account_id_(account_id), at_(at) {}

    std::optional<std::string> read(std::string_view key) const override {
        return state_.data(account_id_, key, at_);
    }
    // The host refuses before it would come to these.
    void write(std::string_view, std::string) override {}
    void remove(std::string_view) override {}
    bool has_yield(const CryptoHash&) const override { return false; }

private:
    const State& state_;
    const std::string& account_id_;
    Height at_;
};

}  // namespace

ViewResult call_view(const State& state, Height at, const BlockContext& block, const ViewCall& call,
                     const Contracts& contracts) {
    ViewResult result;
    const std::optional<Account> account = state.account(call.account_id, at);
    if (!account) {
        result.error = "account " + call.account_id + " does not exist while viewing";
        return result;
    }
    CallContext context{call.account_id, kNoAccount, kNoAccount, call.args, kNoResults, {}};
    context.account_balance = account->amount;
    context.block_height = block.height;
    context.block_timestamp_nanosec = block.timestamp_nanosec;
    context.prepaid_gas = std::numeric_limits<Gas>::max();  // limited by what a view may burn
    context.is_view = true;
    ViewWorld world(state, call.account_id, at);
    CallHost host(context, world);
    const auto error =
        run_contract(contracts, state.contract_hash(call.account_id, at), call.method_name, host);
    result.logs = host.take_logs();
    if (error) {
        result.error = "wasm execution failed with error: " + error->debug;
        return result;
    }
    ReturnData value = host.take_return_data();
    if (auto* bytes = std::get_if<Bytes>(&value)) result.value = std::move(*bytes);
    return result;
}

}  // namespace receiptd::sandbox::sim

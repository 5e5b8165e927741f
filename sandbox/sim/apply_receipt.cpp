#include "sandbox/sim/apply_receipt.hpp"

#include "sandbox/sim/actions.hpp"
#include "sandbox/sim/derive.hpp"
#include "sandbox/sim/error_json.hpp"
#include "sandbox/sim/fees.hpp"
#include "sandbox/sim/function_call.hpp"
#include "sandbox/sim/receipt_tokens.hpp"
#include "sandbox/sim/validate_actions.hpp"

#include <algorithm>

namespace receiptd::sandbox::sim {

namespace {

// Receipts made by a contract are checked like a transaction's actions, after the call.
std::optional<Json> check_new_receipts(const Protocol& protocol, const std::vector<Receipt>& receipts) {
    for (const Receipt& receipt : receipts) {
        const auto* body = std::get_if<ActionReceipt>(&receipt.body);
        if (body == nullptr) continue;
        if (std::optional<Json> error = check_actions(protocol, body->actions, receipt.receiver_id)) {
            Json validation = variant("ActionsValidation", std::move(*error));
            return variant("NewReceiptValidationError", std::move(validation));
        }
    }
    return std::nullopt;
}

// nullopt: the account has none.
std::optional<RunContract> contract_of(const Account& account) {
    if (account.global_contract) return *account.global_contract;
    if (account.code_hash == CryptoHash{}) return std::nullopt;
    return LocalCode{account.code_hash};
}

// Made by a receipt, it is executed directly after it and listed in no chunk (chain-model.md §1.1).
bool is_instant_deletion(const Receipt& made) {
    const auto* body = std::get_if<ActionReceipt>(&made.body);
    return body != nullptr && body->actions.size() == 1 && body->input_data_ids.empty() &&
           made.predecessor_id == made.receiver_id &&
           std::holds_alternative<wire::DeleteAccount>(body->actions.front().value);
}

class ReceiptExecution {
public:
    ReceiptExecution(ChunkFrame& chunk, const Receipt& receipt)
        : chunk_(chunk),
          receipt_(receipt),
          body_(std::get<ActionReceipt>(receipt.body)),
          protocol_(*chunk.block.protocol),
          burn_price_(protocol_.burn_price(body_.gas_price, chunk.block.gas_price)),
          is_refund_(receipt.predecessor_id == kSystemAccount),
          state_(chunk.state),
          frame_{receipt, body_, chunk.block, state_, receipt.predecessor_id, is_refund_} {}

    // Receipts that are executed directly after it.
    std::vector<Receipt> take_instant() { return std::move(instant_); }

    Outcome run() {
        promise_results_ = chunk_.queues.take_results(body_);
        gas_burnt_ = gas_used_ = receipt_fee().exec;
        contracts_.resize(body_.actions.size());
        for (std::size_t i = 0; i < body_.actions.size() && !failed(); ++i) run_action(i);
        if (!failed()) check_storage();
        if (failed()) new_receipts_.clear();
        if (!is_refund_) add_refunds();
        add_data_receipts();
        const u128 burnt = finish_state();
        return finish_outcome(burnt);
    }

private:
    bool failed() const { return !error_.is_null(); }
    void fail(Json kind, Json index) {
        error_ = Json{{"ActionError", {{"index", std::move(index)}, {"kind", std::move(kind)}}}};
    }

    void run_action(std::size_t index) {
        const wire::Action& action = body_.actions[index];
        const Gas exec_fee = action_fee(protocol_, action, receipt_.receiver_id).exec;
        gas_burnt_ += exec_fee;
        gas_used_ += exec_fee;
        // The result of a receipt is that of its last action.
        return_data_ = std::monostate{};
        std::optional<Json> error = check_action_allowed(frame_, action, body_.actions.size() == 1);
        if (!error) {
            const auto* call = std::get_if<wire::FunctionCall>(&action.value);
            error = call ? run_call(*call, index) : run_other(action);
        }
        if (error) fail(std::move(*error), index);
    }

    std::optional<Json> run_other(const wire::Action& action) {
        std::optional<Json> error = apply_action(frame_, action);
        gas_burnt_ += std::exchange(frame_.gas_burnt, 0);
        gas_used_ += std::exchange(frame_.gas_used, 0);
        std::ranges::move(std::exchange(frame_.new_receipts, {}), std::back_inserter(new_receipts_));
        return error;
    }

    std::optional<Json> run_call(const wire::FunctionCall& call, std::size_t index) {
        FunctionCallFrame frame{receipt_,         body_,  call, chunk_.block, promise_results_, chunk_.queues,
                                chunk_.contracts, state_, {}};
        frame.action_hash = sim::action_hash(receipt_.receipt_id, chunk_.block.height, index);
        frame.is_last_action = index + 1 == body_.actions.size();
        contracts_[index] = contract_of(state_.account(receipt_.receiver_id).value());
        FunctionCallResult result = call_function(frame);
        gas_burnt_ += result.gas_burnt;
        gas_used_ += result.gas_used;
        gas_burnt_in_calls_ += result.gas_burnt;
        std::move(result.logs.begin(), result.logs.end(), std::back_inserter(logs_));
        if (result.error) return Json{{"FunctionCallError", std::move(result.error->kind)}};
        if (std::optional<Json> error = check_new_receipts(protocol_, result.new_receipts)) return error;
        return_data_ = std::move(result.return_data);
        if (auto* made = std::get_if<ReceiptIndex>(&return_data_)) *made += new_receipts_.size();
        std::move(result.new_receipts.begin(), result.new_receipts.end(), std::back_inserter(new_receipts_));
        return std::nullopt;
    }

    void check_storage() {
        const std::optional<Account> account = state_.account(receipt_.receiver_id);
        if (!account) return;
        if (std::optional<Json> error = check_storage_stake(receipt_.receiver_id, *account))
            fail(std::move(*error), nullptr);
    }

    // Unused gas comes back at the price it was bought at, and burnt gas as far as it was bought dearer
    // than it is burnt (chain-model.md §5.3).
    void add_refunds() {
        if (failed()) {
            const u128 deposit = total_deposit(body_.actions).value_or(0);
            if (deposit > 0) new_receipts_.push_back(deposit_refund(receipt_, deposit));
        }
        const Gas unused = gas_in(protocol_, receipt_) - (failed() ? gas_burnt_ : gas_used_);
        const u128 surplus = gas_burnt_ * (body_.gas_price - burn_price_);
        if (!failed() && frame_.makes_account) account_charge_ = std::min(account_price(), surplus);
        const u128 amount = unused * body_.gas_price + surplus - account_charge_;
        if (amount > 0) new_receipts_.push_back(gas_refund(body_, amount));
    }

    // The price of a new account besides the gas of its creation.
    u128 account_price() const {
        const u128 by_gas = burn_price_ * protocol_.create_account.exec;
        return by_gas < protocol_.account_creation_charge ? protocol_.account_creation_charge - by_gas : 0;
    }

    void add_data_receipts() {
        if (body_.output_data_receivers.empty()) return;
        if (const auto* made = std::get_if<ReceiptIndex>(&return_data_); made && !failed()) {
            auto& receivers = std::get<ActionReceipt>(new_receipts_[*made].body).output_data_receivers;
            receivers.insert(receivers.end(), body_.output_data_receivers.begin(),
                             body_.output_data_receivers.end());
            return;
        }
        std::optional<Bytes> data;
        if (!failed()) data = value();
        for (const DataReceiver& receiver : body_.output_data_receivers) {
            new_receipts_.push_back(
                {{}, receipt_.receiver_id, receiver.receiver_id, DataReceipt{receiver.data_id, data, false}});
        }
    }

    // The value of a receipt that succeeded and returned no promise.
    Bytes value() const {
        const auto* bytes = std::get_if<Bytes>(&return_data_);
        return bytes ? *bytes : Bytes{};
    }

    // Keeps the changes of a receipt that succeeded and pays the contract. Returns what is burnt in
    // the eyes of the outcome: the contract's share included (chain-model.md §5.2). A refund burns gas and no
    // tokens.
    u128 finish_state() {
        if (is_refund_) {
            // A refund that nobody can take is burnt.
            if (failed()) chunk_.result.tokens_burnt += total_deposit(body_.actions).value_or(0);
            if (!failed()) state_.commit(chunk_.block.height);
            return 0;
        }
        StateUpdate unchanged(chunk_.state);
        StateUpdate& state = failed() ? unchanged : state_;
        const u128 reward = pay_contract(state);
        state.commit(chunk_.block.height);
        const u128 beside_gas = failed() ? 0 : frame_.tokens_burnt + frame_.keys_burnt;
        const u128 burnt = gas_burnt_ * burn_price_ + account_charge_ + beside_gas;
        chunk_.result.tokens_burnt += burnt - reward;
        return burnt;
    }

    u128 pay_contract(StateUpdate& state) const {
        const Gas share =
            gas_burnt_in_calls_ * protocol_.contract_reward.part / protocol_.contract_reward.whole;
        const u128 reward = share * burn_price_;
        if (reward == 0) return 0;
        std::optional<Account> account = state.account(receipt_.receiver_id);
        if (!account) return 0;
        account->amount += reward;
        state.set_account(receipt_.receiver_id, *account);
        return reward;
    }

    Outcome finish_outcome(u128 burnt) {
        Outcome outcome;
        outcome.id = receipt_.receipt_id;
        outcome.executor_id = receipt_.receiver_id;
        outcome.logs = std::move(logs_);
        outcome.gas_burnt = gas_burnt_;
        outcome.tokens_burnt = burnt;
        outcome.keys_burnt = failed() ? 0 : frame_.keys_burnt;
        if (protocol_.tells_contracts) outcome.contracts = std::move(contracts_);
        emit_receipts(outcome);
        if (failed()) {
            outcome.status = Failure{std::move(error_)};
        } else if (const auto* made = std::get_if<ReceiptIndex>(&return_data_)) {
            outcome.status = SuccessReceiptId{child_id(*made)};
        } else {
            outcome.status = SuccessValue{value()};
        }
        return outcome;
    }

    CryptoHash child_id(std::size_t index) const {
        return sim::child_receipt_id(receipt_.receipt_id, chunk_.block.height, index);
    }

    void emit_receipts(Outcome& outcome) {
        for (std::size_t i = 0; i < new_receipts_.size(); ++i) {
            Receipt& made = new_receipts_[i];
            made.receipt_id = child_id(i);
            const auto* body = std::get_if<ActionReceipt>(&made.body);
            if (body) outcome.receipt_ids.push_back(made.receipt_id);
            if (body && body->is_promise_yield) {
                chunk_.result.instant.push_back(made);
                chunk_.queues.add_yield(std::move(made),
                                        chunk_.block.height + chunk_.block.yield_timeout_blocks);
            } else if (is_instant_deletion(made)) {
                chunk_.result.instant.push_back(made);
                instant_.push_back(std::move(made));
            } else {
                chunk_.result.outgoing.push_back(std::move(made));
            }
        }
    }

    ChunkFrame& chunk_;
    const Receipt& receipt_;
    const ActionReceipt& body_;
    const Protocol& protocol_;
    u128 burn_price_;
    bool is_refund_;
    StateUpdate state_;
    ActionFrame frame_;
    std::vector<PromiseResult> promise_results_;
    Gas gas_burnt_ = 0;
    Gas gas_used_ = 0;
    Gas gas_burnt_in_calls_ = 0;
    u128 account_charge_ = 0;
    std::vector<std::optional<RunContract>> contracts_;  // by action
    std::vector<std::string> logs_;
    std::vector<Receipt> new_receipts_;  // in the order that their ids count
    std::vector<Receipt> instant_;
    ReturnData return_data_;
    Json error_;
};

}  // namespace

void apply_action_receipt(ChunkFrame& chunk, Receipt receipt, ReceiptOrigin origin) {
    ReceiptExecution execution(chunk, receipt);
    Outcome outcome = execution.run();
    std::vector<Receipt> instant = execution.take_instant();
    chunk.result.gas_used += outcome.gas_burnt;
    const bool is_instant =
        origin == ReceiptOrigin::instant || std::get<ActionReceipt>(receipt.body).is_promise_yield;
    chunk.result.executed.push_back(
        {std::move(receipt), std::move(outcome), origin == ReceiptOrigin::local, is_instant});
    for (Receipt& next : instant) apply_action_receipt(chunk, std::move(next), ReceiptOrigin::instant);
}

}  // namespace receiptd::sandbox::sim

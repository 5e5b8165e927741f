// near-api-js: function calls, token transfers with a call, meta-transactions.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Account, Contract, KeyPairSigner, actions } from "near-api-js";
import { FungibleToken } from "near-api-js/tokens";
import * as errors from "near-api-js/rpc-errors";
import { accountsOf, newKey } from "./near_api_js.mjs";
import { balanceOf, failedReceipts, feesOf, near, startSandbox, tgas, tokensOf } from "./support.mjs";

const token = new FungibleToken("ft.sandbox", { name: "Sandbox Token", symbol: "SBX", decimals: 18 });
const text = (value) => Buffer.from(value, "base64").toString();

describe("near-api-js: contracts", () => {
  let sandbox, provider, alice, bob, relayer;
  before(async () => {
    sandbox = await startSandbox();
    ({ provider, alice, bob, relayer } = accountsOf(sandbox));
    await alice.callFunction({
      contractId: "ft.sandbox",
      methodName: "ft_mint",
      args: { account_id: alice.accountId, amount: "1000000" },
    });
    await token.registerAccount({ accountIdToRegister: "receiver.sandbox", fundingAccount: alice });
  });
  after(() => sandbox?.stop());

  // Balances of alice and the receiver, before and after `run`.
  async function movedBy(run) {
    const tokens = () =>
      Promise.all([alice.accountId, "receiver.sandbox"].map((id) => tokensOf(sandbox.regular, id)));
    const [alices, receivers] = await tokens();
    const result = await run();
    const [alicesThen, receiversThen] = await tokens();
    return { result, alice: alicesThen - alices, receiver: receiversThen - receivers };
  }

  const transferCall = (msg, memo) =>
    alice.callFunctionRaw({
      contractId: "ft.sandbox",
      methodName: "ft_transfer_call",
      args: { receiver_id: "receiver.sandbox", amount: "100", msg, memo },
      deposit: 1n,
      gas: tgas(100),
      waitUntil: "FINAL",
    });

  it("views a contract", async () => {
    const contract = new Contract({ contractId: "ft.sandbox", provider });
    assert.equal((await contract.view.ft_metadata({ blockQuery: { finality: "final" } })).symbol, "SBX");
    assert.equal(await token.getBalance({ accountId: alice.accountId, provider }), 1_000_000n);
    const { code, hash } = await new Account("ft.sandbox", provider).getContractCode();
    assert.ok(code.length > 0 && hash.length > 40);
    const state = await new Account("ft.sandbox", provider).getContractState();
    assert.ok(state.values.length > 0);
  });

  it("fails a view as a node does", async () => {
    const view = (contractId, method) => provider.callFunction({ contractId, method, args: {} });
    await assert.rejects(view("ft.sandbox", "no_such_method"), errors.ContractMethodNotFoundError);
    await assert.rejects(
      view(alice.accountId, "anything"),
      (error) => error instanceof errors.ContractCodeDoesNotExistError && error.contractId === alice.accountId,
    );
    await assert.rejects(view("nobody.sandbox", "anything"), errors.AccountDoesNotExistError);
    await assert.rejects(view("ft.sandbox", "ft_balance_of"), /HostError\(GuestPanic.*missing field/);
  });

  it("deploys a contract on an account of its own", async () => {
    const { code, hash } = await new Account("ft.sandbox", provider).getContractCode();
    const view = () => provider.callFunction({ contractId: bob.accountId, method: "ft_total_supply", args: {} });
    await assert.rejects(view(), errors.ContractCodeDoesNotExistError);
    await bob.deployContract(code);
    assert.equal((await bob.getState()).codeHash, hash);
    const mint = { account_id: bob.accountId, amount: "7" };
    // FINAL: with the refund of the gas, so that the next test finds balances at rest.
    await alice.callFunction({ contractId: bob.accountId, methodName: "ft_mint", args: mint, waitUntil: "FINAL" });
    assert.equal(await view(), "7");
  });

  it("calls a function with a deposit, and gets back what is too much", async () => {
    const before = await balanceOf(sandbox.regular, alice.accountId);
    const result = await alice.callFunctionRaw({
      contractId: "ft.sandbox",
      methodName: "storage_deposit",
      args: { account_id: bob.accountId },
      deposit: near(1),
      waitUntil: "FINAL",
    });
    assert.deepEqual(JSON.parse(text(result.status.SuccessValue)), {
      total: near(0.00125).toString(),
      available: "0",
    });
    const spent = before - (await balanceOf(sandbox.regular, alice.accountId));
    assert.equal(spent, near(0.00125) + feesOf(result));
    assert.ok(await token.isAccountRegistered({ accountId: bob.accountId, provider }));
  });

  it("transfers tokens, with the event in the logs", async () => {
    const result = await token.transfer({ from: alice, receiverId: bob.accountId, amount: 40n });
    assert.equal(result, "");
    assert.equal(await tokensOf(sandbox.regular, bob.accountId), 40n);
    const outcome = await alice.callFunctionRaw({
      contractId: "ft.sandbox",
      methodName: "ft_transfer",
      args: { receiver_id: bob.accountId, amount: "2", memo: "hello" },
      deposit: 1n,
    });
    const logs = outcome.receipts_outcome.flatMap((each) => each.outcome.logs);
    assert.deepEqual(JSON.parse(logs[0].replace("EVENT_JSON:", "")), {
      standard: "nep141",
      version: "1.0.0",
      event: "ft_transfer",
      data: [{ old_owner_id: alice.accountId, new_owner_id: bob.accountId, amount: "2", memo: "hello" }],
    });
  });

  it("fails a call as on chain: a panic, a method, a contract, an account that is not there, no gas", async () => {
    const call = (params) => alice.callFunction({ args: {}, ...params });
    const unregistered = { receiver_id: "carol.sandbox", amount: "1" };
    await assert.rejects(
      call({ contractId: "ft.sandbox", methodName: "ft_transfer", args: unregistered, deposit: 1n }),
      (error) => {
        assert.ok(error instanceof errors.ContractExecutionError);
        assert.match(error.message, /Smart contract panicked: .*carol\.sandbox is not registered/);
        assert.equal(error.transactionResult.transaction_outcome.outcome.executor_id, alice.accountId);
        return true;
      },
    );
    await assert.rejects(
      call({ contractId: "ft.sandbox", methodName: "no_such_method" }),
      errors.ContractMethodNotFoundError,
    );
    await assert.rejects(
      call({ contractId: relayer.accountId, methodName: "x" }),
      errors.ContractCodeDoesNotExistError,
    );
    await assert.rejects(
      call({ contractId: "nobody.sandbox", methodName: "x" }),
      errors.AccountDoesNotExistActionError,
    );
    await assert.rejects(
      call({ contractId: "script.sandbox", methodName: "run", args: [{ use_gas: 50 }], gas: tgas(20) }),
      /Exceeded the prepaid gas/,
    );
  });

  it("ft_transfer_call that is kept", async () => {
    const { result, ...moved } = await movedBy(() => transferCall("keep"));
    assert.equal(text(result.status.SuccessValue), '"100"');
    assert.deepEqual(moved, { alice: -100n, receiver: 100n });
    assert.deepEqual(failedReceipts(result), []);
  });

  it("ft_transfer_call that is given back", async () => {
    const { result, ...moved } = await movedBy(() => transferCall("return"));
    assert.equal(text(result.status.SuccessValue), '"0"');
    assert.deepEqual(moved, { alice: 0n, receiver: 0n });
    const partly = await movedBy(() => transferCall("return:30"));
    assert.equal(text(partly.result.status.SuccessValue), '"70"');
    assert.deepEqual([partly.alice, partly.receiver], [-70n, 70n]);
  });

  it("ft_transfer_call whose receiver panics: handled by the callback, the transaction succeeds", async () => {
    const { result, ...moved } = await movedBy(() => transferCall("panic:no thanks"));
    assert.equal(text(result.status.SuccessValue), '"0"');
    assert.deepEqual(moved, { alice: 0n, receiver: 0n });
    const failed = failedReceipts(result);
    assert.deepEqual(
      failed.map((each) => each.receiver),
      ["receiver.sandbox"],
    );
    assert.match(JSON.stringify(failed[0].error), /Smart contract panicked: no thanks/);
  });

  it("ft_transfer_call whose callback fails: the tokens stay, and the transaction says so", async () => {
    const { result, ...moved } = await movedBy(() =>
      transferCall("keep", "sandbox:resolve-panics").then(
        () => assert.fail("it succeeded"),
        (error) => error,
      ),
    );
    assert.ok(result instanceof errors.ContractExecutionError);
    assert.match(result.message, /ft_resolve_transfer was told to fail/);
    assert.deepEqual(moved, { alice: -100n, receiver: 100n });
    assert.deepEqual(
      failedReceipts(result.transactionResult).map((each) => each.receiver),
      ["ft.sandbox"],
    );
  });

  it("ft_transfer_call whose callback fails unseen: only its receipts tell", async () => {
    const { result, ...moved } = await movedBy(() => transferCall("return", "sandbox:resolve-panics-unseen"));
    assert.equal(text(result.status.SuccessValue), '"100"');
    assert.deepEqual(moved, { alice: -100n, receiver: 100n });
    assert.deepEqual(
      failedReceipts(result).map((each) => each.receiver),
      ["ft.sandbox"],
    );
  });

  it("a relayer pays for somebody's signed actions (NEP-366)", async () => {
    const before = await Promise.all(
      [alice, bob, relayer].map((each) => balanceOf(sandbox.regular, each.accountId)),
    );
    const { signedDelegate } = await alice.createSignedMetaTransaction({
      receiverId: bob.accountId,
      actions: [actions.transfer(near(3))],
    });
    const result = await relayer.signAndSendTransaction({
      receiverId: alice.accountId,
      actions: [actions.signedDelegate(signedDelegate)],
      waitUntil: "FINAL",
    });
    assert.equal(result.transaction.signer_id, relayer.accountId);
    const then = await Promise.all([alice, bob, relayer].map((each) => balanceOf(sandbox.regular, each.accountId)));
    assert.deepEqual(
      then.map((each, i) => each - before[i]),
      [0n, near(3), -near(3) - feesOf(result)],
    );
    // The same signed actions a second time.
    await assert.rejects(
      relayer.relayMetaTransaction(signedDelegate),
      errors.DelegateActionInvalidNonceActionError,
    );
  });

  it("a meta-transaction whose inner call fails looks successful from outside", async () => {
    const { signedDelegate } = await alice.createSignedMetaTransaction({
      receiverId: "ft.sandbox",
      actions: [actions.functionCall("no_such_method", {}, tgas(10), 0n)],
    });
    const result = await relayer.relayMetaTransaction(signedDelegate);
    assert.deepEqual(result.status, { SuccessValue: "" });
    assert.deepEqual(
      failedReceipts(result).map((each) => each.receiver),
      ["ft.sandbox"],
    );
  });

  it("refuses a meta-transaction that is late, of an unknown key, or relayed to somebody else", async () => {
    const key = sandbox.key(alice.accountId).secret_key;
    const signed = async (secretKey, changes) => {
      const signer = KeyPairSigner.fromSecretKey(secretKey);
      const delegate = await alice.createMetaTransaction({
        receiverId: bob.accountId,
        actions: [actions.transfer(1n)],
        publicKey: sandbox.key(alice.accountId).public_key,
      });
      Object.assign(delegate, { publicKey: await signer.getPublicKey() }, changes);
      return (await signer.signDelegateAction(delegate)).signedDelegate;
    };
    const late = await signed(key, { maxBlockHeight: 1n });
    await assert.rejects(relayer.relayMetaTransaction(late), errors.DelegateActionExpiredActionError);
    const stranger = await signed(newKey().toString());
    await assert.rejects(relayer.relayMetaTransaction(stranger), errors.AccessKeyNotFoundActionError);
    const far = await signed(key, { nonce: 10n ** 18n });
    await assert.rejects(relayer.relayMetaTransaction(far), errors.DelegateActionNonceTooLargeActionError);

    const misled = [actions.signedDelegate(await signed(key))];
    await assert.rejects(
      relayer.signAndSendTransaction({ receiverId: bob.accountId, actions: misled }),
      errors.DelegateActionSenderDoesNotMatchTxReceiverActionError,
    );
    const forged = await signed(key);
    forged.delegateAction.nonce += 1n;
    await assert.rejects(relayer.relayMetaTransaction(forged), errors.DelegateActionInvalidSignatureActionError);
  });

  it("waits for a call that yields, until somebody responds", async () => {
    const request = alice.callFunction({
      contractId: "yield.sandbox",
      methodName: "request",
      args: { id: "one" },
      gas: tgas(100),
    });
    const waiting = () =>
      provider.callFunction({ contractId: "yield.sandbox", method: "is_waiting", args: { id: "one" } });
    while (!(await waiting()));
    await bob.callFunction({
      contractId: "yield.sandbox",
      methodName: "respond",
      args: { id: "one", value: { answer: 42 } },
      gas: tgas(50),
    });
    assert.deepEqual(await request, { answer: 42 });
  });
});

// near-kit: function calls, token transfers with a call, meta-transactions.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decodeSignedDelegateAction } from "near-kit";
import { nearKitError, nearOf } from "./near_kit.mjs";
import { balanceOf, failedReceipts, feesOf, near, startSandbox, tokensOf } from "./support.mjs";

const text = (value) => Buffer.from(value, "base64").toString();

describe("near-kit: contracts", () => {
  let sandbox, alice, bob, relayer;
  before(async () => {
    sandbox = await startSandbox();
    [alice, bob, relayer] = ["alice.sandbox", "bob.sandbox", "relayer.sandbox"].map((each) =>
      nearOf(sandbox, each),
    );
    await alice.call("ft.sandbox", "ft_mint", { account_id: "alice.sandbox", amount: "1000000" });
    await register("receiver.sandbox");
  });
  after(() => sandbox?.stop());

  const register = (account, deposit = "0.00125 NEAR") =>
    alice.call("ft.sandbox", "storage_deposit", { account_id: account }, { attachedDeposit: deposit });

  async function movedBy(run) {
    const tokens = () =>
      Promise.all(["alice.sandbox", "receiver.sandbox"].map((id) => tokensOf(sandbox.regular, id)));
    const [alices, receivers] = await tokens();
    const result = await run();
    const [alicesThen, receiversThen] = await tokens();
    return { result, alice: alicesThen - alices, receiver: receiversThen - receivers };
  }

  const transferCall = (msg, memo) =>
    alice.call(
      "ft.sandbox",
      "ft_transfer_call",
      { receiver_id: "receiver.sandbox", amount: "100", msg, memo },
      { attachedDeposit: "1 yocto", gas: "100 Tgas" },
    );

  it("views a contract", async () => {
    assert.equal((await alice.view("ft.sandbox", "ft_metadata")).symbol, "SBX");
    assert.equal(await alice.view("ft.sandbox", "ft_balance_of", { account_id: "nobody.sandbox" }), "0");
    const { values } = await alice.viewState("ft.sandbox");
    assert.ok(values.length > 0);
    const { code, hash } = await alice.getContractCode("ft.sandbox");
    assert.equal((await alice.getAccount("ft.sandbox")).codeHash, hash);
    assert.ok(code.length > 0);
  });

  it("fails a view as a node does", async () => {
    await assert.rejects(
      alice.view("ft.sandbox", "no_such_method"),
      nearKitError("FUNCTION_CALL_ERROR", { contractId: "ft.sandbox", panic: /MethodNotFound/ }),
    );
    await assert.rejects(
      alice.view("alice.sandbox", "anything"),
      nearKitError("FUNCTION_CALL_ERROR", { panic: /CodeDoesNotExist/ }),
    );
    await assert.rejects(alice.view("nobody.sandbox", "anything"), nearKitError("ACCOUNT_NOT_FOUND"));
  });

  it("calls a function with a deposit, and gets back what is too much", async () => {
    const before = await balanceOf(sandbox.regular, "alice.sandbox");
    const result = await register("bob.sandbox", "1 NEAR");
    assert.deepEqual(JSON.parse(text(result.status.SuccessValue)).total, near(0.00125).toString());
    const spent = before - (await balanceOf(sandbox.regular, "alice.sandbox"));
    assert.equal(spent, near(0.00125) + feesOf(result));
  });

  it("fails a call as on chain: a panic, a method, a contract, an account that is not there, no gas", async () => {
    const unregistered = { receiver_id: "carol.sandbox", amount: "1" };
    await assert.rejects(
      alice.call("ft.sandbox", "ft_transfer", unregistered, { attachedDeposit: "1 yocto" }),
      nearKitError("FUNCTION_CALL_ERROR", {
        contractId: "ft.sandbox",
        methodName: "ft_transfer",
        panic: /^Smart contract panicked: .*carol\.sandbox is not registered/,
      }),
    );
    await assert.rejects(
      alice.call("ft.sandbox", "no_such_method"),
      nearKitError("FUNCTION_CALL_ERROR", { panic: '{"MethodResolveError":"MethodNotFound"}' }),
    );
    await assert.rejects(
      alice.call("bob.sandbox", "x"),
      nearKitError("FUNCTION_CALL_ERROR", { panic: /CodeDoesNotExist.*bob\.sandbox/ }),
    );
    await assert.rejects(
      alice.call("nobody.sandbox", "x"),
      nearKitError("INVALID_TRANSACTION", { message: "AccountDoesNotExist (account_id: nobody.sandbox)" }),
    );
    await assert.rejects(
      alice.call("script.sandbox", "run", [{ log: "one" }, { use_gas: 50 }], { gas: "20 Tgas" }),
      nearKitError("FUNCTION_CALL_ERROR", { panic: "Exceeded the prepaid gas." }),
    );
  });

  it("ft_transfer_call that is kept", async () => {
    const { result, ...moved } = await movedBy(() => transferCall("keep"));
    assert.equal(text(result.status.SuccessValue), '"100"');
    assert.deepEqual(moved, { alice: -100n, receiver: 100n });
  });

  it("ft_transfer_call that is given back", async () => {
    const { result, ...moved } = await movedBy(() => transferCall("return"));
    assert.equal(text(result.status.SuccessValue), '"0"');
    assert.deepEqual(moved, { alice: 0n, receiver: 0n });
    const partly = await movedBy(() => transferCall("return:30"));
    assert.deepEqual([partly.alice, partly.receiver], [-70n, 70n]);
  });

  it("ft_transfer_call whose receiver panics or burns all its gas: handled, the transaction succeeds", async () => {
    for (const [msg, error] of [
      ["panic", /Smart contract panicked/],
      ["burn_gas", /Exceeded the prepaid gas/],
    ]) {
      const { result, ...moved } = await movedBy(() => transferCall(msg));
      assert.equal(text(result.status.SuccessValue), '"0"');
      assert.deepEqual(moved, { alice: 0n, receiver: 0n });
      const failed = failedReceipts(result);
      assert.deepEqual(
        failed.map((each) => each.receiver),
        ["receiver.sandbox"],
      );
      assert.match(JSON.stringify(failed[0].error), error);
    }
  });

  it("ft_transfer_call whose callback fails: the tokens stay, and near-kit throws", async () => {
    const { result, ...moved } = await movedBy(() =>
      transferCall("keep", "sandbox:resolve-panics").then(
        () => assert.fail("it succeeded"),
        (error) => error,
      ),
    );
    nearKitError("FUNCTION_CALL_ERROR", {
      contractId: "ft.sandbox",
      panic: /ft_resolve_transfer was told to fail/,
    })(result);
    assert.deepEqual(moved, { alice: -100n, receiver: 100n });
  });

  it("ft_transfer_call whose callback fails unseen: near-kit returns, only the receipts tell", async () => {
    const { result, ...moved } = await movedBy(() => transferCall("return", "sandbox:resolve-panics-unseen"));
    assert.equal(text(result.status.SuccessValue), '"100"');
    assert.deepEqual(moved, { alice: -100n, receiver: 100n });
    assert.deepEqual(
      failedReceipts(result).map((each) => each.receiver),
      ["ft.sandbox"],
    );
    const status = await alice.getTransactionStatus(result.transaction.hash, "alice.sandbox", "FINAL");
    const ids = status.receipts.map((each) => each.receipt_id);
    assert.deepEqual(
      ids,
      status.receipts_outcome.map((each) => each.id),
    );
  });

  it("a relayer pays for somebody's signed actions (NEP-366)", async () => {
    const accounts = ["alice.sandbox", "bob.sandbox", "relayer.sandbox"];
    const balances = () => Promise.all(accounts.map((each) => balanceOf(sandbox.regular, each)));
    const before = await balances();
    const { payload } = await alice.transaction("alice.sandbox").transfer("bob.sandbox", "3 NEAR").delegate();
    const relay = () =>
      relayer.transaction("relayer.sandbox").signedDelegateAction(decodeSignedDelegateAction(payload)).send();
    const result = await relay();
    assert.equal(result.transaction.receiver_id, "alice.sandbox");
    const then = await balances();
    assert.deepEqual(
      then.map((each, i) => each - before[i]),
      [0n, near(3), -near(3) - feesOf(result)],
    );
    await assert.rejects(relay(), nearKitError("INVALID_TRANSACTION", { message: /^DelegateActionInvalidNonce/ }));
  });

  it("a meta-transaction whose inner call fails looks successful, and a late one fails", async () => {
    const call = () => alice.transaction("alice.sandbox").functionCall("ft.sandbox", "no_such_method", {});
    const { signedDelegateAction } = await call().delegate();
    const result = await relayer.transaction("relayer.sandbox").signedDelegateAction(signedDelegateAction).send();
    assert.deepEqual(result.status, { SuccessValue: "" });
    assert.deepEqual(
      failedReceipts(result).map((each) => each.receiver),
      ["ft.sandbox"],
    );

    const late = await call().delegate({ maxBlockHeight: 1n });
    await assert.rejects(
      relayer.transaction("relayer.sandbox").signedDelegateAction(late.signedDelegateAction).send(),
      nearKitError("INVALID_TRANSACTION", { message: /DelegateActionExpired/ }),
    );
  });

  it("waits for a call that yields, until somebody responds", async () => {
    const request = alice.call(
      "yield.sandbox",
      "request",
      { id: "kit" },
      { gas: "100 Tgas", waitUntil: "EXECUTED" },
    );
    while (!(await alice.view("yield.sandbox", "is_waiting", { id: "kit" }, { finality: "optimistic" })));
    await bob.call("yield.sandbox", "respond", { id: "kit", value: "done" }, { gas: "50 Tgas" });
    assert.equal(text((await request).status.SuccessValue), '"done"');
  });
});

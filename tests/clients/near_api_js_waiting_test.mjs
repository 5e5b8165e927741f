// near-api-js: the six levels of wait_until, transactions nobody knows, many at once.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { actions, baseEncode } from "near-api-js";
import * as errors from "near-api-js/rpc-errors";
import { accountsOf, providerOf } from "./near_api_js.mjs";
import { balanceOf, startSandbox, tgas } from "./support.mjs";

const unknownHash = "7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ";

describe("near-api-js: waiting", () => {
  let sandbox, provider, alice, bob, carol;
  before(async () => {
    sandbox = await startSandbox({ blockTimeMs: 0 });
    await sandbox.advance(5);
    ({ provider, alice, bob, carol } = accountsOf(sandbox));
  });
  after(() => sandbox?.stop());

  const signedTransfer = () =>
    alice.createSignedTransaction({ receiverId: bob.accountId, actions: [actions.transfer(1n)] });

  // Calls that take a block each, so that a transaction's block is final long before all is executed.
  const chainOfCalls = (depth) =>
    depth === 0 ? ["log_promise_results"] : [{ call: { account: "script.sandbox", run: chainOfCalls(depth - 1) } }];
  const signedChain = () =>
    alice.createSignedTransaction({
      receiverId: "script.sandbox",
      actions: [actions.functionCall("run", chainOfCalls(6), tgas(300), 0n)],
    });

  // The level the node can prove now: "unknown" before it is in a block.
  async function level(txHash) {
    try {
      const status = await provider.viewTransactionStatus({
        txHash,
        accountId: alice.accountId,
        waitUntil: "NONE",
      });
      return status.final_execution_status;
    } catch (error) {
      assert.ok(error instanceof errors.UnknownTransactionError);
      assert.equal(error.txHash, txHash);
      return "unknown";
    }
  }

  // Sends with that level and makes blocks until there is an answer; with it the levels seen on the way.
  async function sendUntil(waitUntil, signed) {
    const txHash = baseEncode((await alice.getSigner().signTransaction(signed.transaction)).txHash);
    const levels = [];
    let answer;
    const sent = provider.sendTransactionUntil(signed, waitUntil).then((result) => (answer = result));
    await sandbox.advanceUntil(async () => {
      const now = await level(txHash);
      if (now !== "unknown" && levels[levels.length - 1] !== now) levels.push(now);
      return answer !== undefined || now === "FINAL";
    });
    await sent;
    return { answer, levels, txHash };
  }

  it("goes through the levels of a transfer in order", async () => {
    const { levels } = await sendUntil("FINAL", await signedTransfer());
    assert.deepEqual(levels, ["INCLUDED", "EXECUTED_OPTIMISTIC", "EXECUTED", "FINAL"]);
  });

  it("goes through INCLUDED_FINAL if the receipts take longer than finality", async () => {
    const { levels } = await sendUntil("FINAL", await signedChain());
    assert.deepEqual(levels, ["INCLUDED", "INCLUDED_FINAL", "EXECUTED", "FINAL"]);
  });

  it("NONE answers at once and tells nothing", async () => {
    const signed = await signedTransfer();
    const answer = await provider.sendTransactionAsync(signed);
    assert.deepEqual(answer, { final_execution_status: "NONE" });
  });

  for (const [waitUntil, expected] of [
    ["INCLUDED", "INCLUDED"],
    ["EXECUTED_OPTIMISTIC", "EXECUTED_OPTIMISTIC"],
    ["INCLUDED_FINAL", "EXECUTED"],
    ["EXECUTED", "EXECUTED"],
    ["FINAL", "FINAL"],
  ]) {
    it(`${waitUntil} of a transfer is answered as soon as it holds, with ${expected}`, async () => {
      const { answer } = await sendUntil(waitUntil, await signedTransfer());
      assert.equal(answer.final_execution_status, expected);
      assert.equal(answer.transaction_outcome.id, answer.transaction.hash);
      const executed = answer.receipts_outcome.length;
      assert.equal(executed > 0, waitUntil !== "INCLUDED", `${executed} receipts`);
    });
  }

  it("INCLUDED_FINAL of a long call is answered before its end", async () => {
    const { answer, txHash } = await sendUntil("INCLUDED_FINAL", await signedChain());
    assert.equal(answer.final_execution_status, "INCLUDED_FINAL");
    await sandbox.advance(12);
    assert.equal(await level(txHash), "FINAL");
  });

  it("looks up a transaction at every level, on both hosts, with and without receipts", async () => {
    const { answer } = await sendUntil("FINAL", await signedTransfer());
    for (const url of [sandbox.regular, sandbox.archival]) {
      for (const waitUntil of ["NONE", "INCLUDED", "EXECUTED_OPTIMISTIC", "INCLUDED_FINAL", "EXECUTED", "FINAL"]) {
        const query = { txHash: answer.transaction.hash, accountId: alice.accountId, waitUntil };
        const status = await providerOf(url).viewTransactionStatus(query);
        assert.deepEqual(status, answer);
        const full = await providerOf(url).viewTransactionStatusWithReceipts(query);
        const { receipts, ...rest } = full;
        assert.deepEqual(rest, answer);
        assert.equal(receipts[0].receipt_id, answer.transaction_outcome.outcome.receipt_ids[0]);
        const receipt = await providerOf(url).viewTransactionReceipt(receipts[0].receipt_id);
        assert.deepEqual(receipt, receipts[0]);
      }
    }
  });

  it("an unknown transaction is named at NONE, and waited for at any other level", async () => {
    const hasty = await startSandbox({ blockTimeMs: 0, flags: ["--longest-wait-ms", "200"] });
    try {
      const look = (waitUntil) =>
        providerOf(hasty.regular).viewTransactionStatus({
          txHash: unknownHash,
          accountId: alice.accountId,
          waitUntil,
        });
      await assert.rejects(
        look("NONE"),
        (error) => error instanceof errors.UnknownTransactionError && error.txHash === unknownHash,
      );
      // near-api-js reads 408 before the body.
      await assert.rejects(look("FINAL"), (error) => error.cause === 408 && /Timeout/.test(error.message));
    } finally {
      await hasty.stop();
    }
  });

  it("sends many at once with consecutive nonces, and all of them are executed", async () => {
    const bobs = await balanceOf(sandbox.regular, bob.accountId);
    const one = { receiverId: bob.accountId, actions: [actions.transfer(1n)] };
    const signed = await Promise.all(Array.from({ length: 20 }, () => carol.createSignedTransaction(one)));
    const nonces = signed.map((each) => each.transaction.nonce).sort((a, b) => (a < b ? -1 : 1));
    assert.deepEqual(
      nonces,
      nonces.map((_, i) => nonces[0] + BigInt(i)),
    );
    // In an order of its own: the gateway has to sort them.
    await Promise.all(signed.reverse().map((each) => provider.sendTransactionAsync(each)));
    await sandbox.advance(8);
    assert.equal(await balanceOf(sandbox.regular, bob.accountId), bobs + 20n);
    const key = await provider.viewAccessKey({
      accountId: carol.accountId,
      publicKey: signed[0].transaction.publicKey,
    });
    assert.equal(key.nonce, nonces[19]);
  });

  // A transaction that arrives after a later one is in a block is refused. near-api-js 7.3 then signs it again,
  // but two that do so at once take the same nonce and become one transaction: hence what is counted here.
  it("sends many at once while the chain moves", async () => {
    const moving = await startSandbox({ blockTimeMs: 200, flags: ["--seed", "2"] });
    try {
      const { carol: sender, bob: receiver } = accountsOf(moving);
      const before = await balanceOf(moving.regular, receiver.accountId);
      const transactions = Array.from({ length: 15 }, () => ({
        receiverId: receiver.accountId,
        actions: [actions.transfer(1n)],
      }));
      const results = await sender.signAndSendTransactions({ transactions, waitUntil: "EXECUTED" });
      assert.ok(results.every((each) => each.status.SuccessValue === ""));
      const sent = new Map(results.map((each) => [each.transaction.nonce, each.transaction.hash]));
      assert.equal(sent.size, new Set(sent.values()).size);
      assert.equal(await balanceOf(moving.regular, receiver.accountId), before + BigInt(sent.size));
    } finally {
      await moving.stop();
    }
  });
});

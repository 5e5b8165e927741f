// near-api-js: transactions that were accepted and then lost, and what a client can find out about each.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { actions, baseEncode } from "near-api-js";
import * as errors from "near-api-js/rpc-errors";
import { accountsOf } from "./near_api_js.mjs";
import { balanceOf, near, startSandbox } from "./support.mjs";

describe("near-api-js: lost transactions", () => {
  let sandbox, provider, accounts;
  before(async () => {
    const flags = ["--validity-blocks", "20", "--longest-wait-ms", "200"];
    sandbox = await startSandbox({ blockTimeMs: 0, flags });
    await sandbox.advance(5);
    accounts = accountsOf(sandbox);
    ({ provider } = accounts);
  });
  after(() => sandbox?.stop());

  // Sends a transfer that will be lost in this way; returns it and its hash.
  async function lose(sender, how, amount = 1n) {
    const signed = await sender.createSignedTransaction({
      receiverId: "ft.sandbox",
      actions: [actions.transfer(amount)],
    });
    const { txHash } = await sender.getSigner().signTransaction(signed.transaction);
    const hash = baseEncode(txHash);
    await sandbox.post(`/transactions/${hash}/drop`, { how });
    const tokens = await balanceOf(sandbox.regular, "ft.sandbox");
    // Accepted, as nothing is wrong with it; the answer is late, which says nothing.
    await assert.rejects(provider.sendTransactionUntil(signed, "INCLUDED"), (error) => error.cause === 408);
    await sandbox.advance(4);
    const look = { txHash: hash, accountId: sender.accountId, waitUntil: "NONE" };
    await assert.rejects(provider.viewTransactionStatus(look), errors.UnknownTransactionError);
    assert.equal(await balanceOf(sandbox.regular, "ft.sandbox"), tokens);
    return { signed, look };
  }

  const nonceOf = async (signed) => {
    const { signerId: accountId, publicKey } = signed.transaction;
    return (await provider.viewAccessKey({ accountId, publicKey })).nonce;
  };

  it("without a route: nothing has changed, until its block hash is too old", async () => {
    const { signed } = await lose(accounts.alice, "forwarding");
    assert.ok((await nonceOf(signed)) < signed.transaction.nonce);
    await sandbox.advance(25);
    await assert.rejects(provider.sendTransaction(signed), errors.TransactionExpiredError);
  });

  it("expired in the mempool", async () => {
    const { signed } = await lose(accounts.carol, "expired");
    assert.ok((await nonceOf(signed)) < signed.transaction.nonce);
    await sandbox.advance(25);
    await assert.rejects(provider.sendTransaction(signed), errors.TransactionExpiredError);
  });

  it("superseded: its nonce was used by another transaction", async () => {
    const { signed } = await lose(accounts.bob, "superseded");
    assert.ok((await nonceOf(signed)) >= signed.transaction.nonce);
    await assert.rejects(provider.sendTransaction(signed), errors.InvalidNonceError);
  });

  it("not enough balance when its turn came: another transaction has taken the tokens away", async () => {
    // The one before it leaves a nonce for that other transaction.
    await accounts.relayer.createSignedTransaction({ receiverId: "ft.sandbox", actions: [actions.transfer(1n)] });
    const { signed } = await lose(accounts.relayer, "balance", near(9_000));
    assert.equal(await nonceOf(signed), signed.transaction.nonce - 1n);
    await assert.rejects(provider.sendTransaction(signed), (error) => {
      assert.ok(error instanceof errors.NotEnoughBalanceError);
      assert.ok(error.cost > near(9_000) && error.balance < near(9_000), `${error.balance}`);
      return true;
    });
  });

  it("a transaction that is delayed is executed later all the same", async () => {
    const sender = accounts.carol;
    const signed = await sender.createSignedTransaction({
      receiverId: "ft.sandbox",
      actions: [actions.transfer(5n)],
    });
    const { txHash } = await sender.getSigner().signTransaction(signed.transaction);
    const look = { txHash: baseEncode(txHash), accountId: sender.accountId, waitUntil: "NONE" };
    await sandbox.post(`/transactions/${look.txHash}/delay`, { blocks: 6 });
    await provider.sendTransactionAsync(signed);
    await sandbox.advance(5);
    await assert.rejects(provider.viewTransactionStatus(look), errors.UnknownTransactionError);
    await sandbox.advance(6);
    assert.equal((await provider.viewTransactionStatus(look)).final_execution_status, "FINAL");
  });
});

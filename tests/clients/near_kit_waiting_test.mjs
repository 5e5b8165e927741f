// near-kit: refused transactions, the six levels of wait_until, transactions nobody knows, many at once.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { FinalExecutionStatusSchema } from "@near-js/jsonrpc-types";
import { generateKey } from "near-kit";
import { forgetNonce, nearKitError, nearOf } from "./near_kit.mjs";
import { balanceOf, near, rawPost, startSandbox, tgas } from "./support.mjs";

const unknownHash = "7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ";

describe("near-kit: refusals and waiting", () => {
  let sandbox, alice, carol;
  before(async () => {
    sandbox = await startSandbox({ blockTimeMs: 0, flags: ["--validity-blocks", "20"] });
    await sandbox.advance(5);
    [alice, carol] = ["alice.sandbox", "carol.sandbox"].map((each) => nearOf(sandbox, each));
  });
  after(() => sandbox?.stop());

  const transfer = (amount = "1 yocto") => alice.transaction("alice.sandbox").transfer("bob.sandbox", amount);
  const sendBytes = (signed, waitUntil = "EXECUTED_OPTIMISTIC") =>
    alice.rpc.sendTransaction(signed.serialize(), waitUntil);

  // The level the node can prove now: "unknown" before it is in a block. Not through near-kit, which
  // cannot read the answer of a transaction under way (see below).
  async function level(hash) {
    const params = { tx_hash: hash, sender_account_id: "alice.sandbox", wait_until: "NONE" };
    const { body } = await rawPost(sandbox.regular, { jsonrpc: "2.0", id: 1, method: "tx", params });
    return body.result?.final_execution_status ?? "unknown";
  }

  // Sends what was signed and makes blocks until there is an answer.
  async function execute(signed, waitUntil) {
    let over = false;
    const sent = sendBytes(signed, waitUntil).finally(() => (over = true));
    sent.catch(() => {});
    await sandbox.advanceUntil(async () => (await level(signed.getHash())) === "FINAL" || over);
    return sent;
  }

  const refusedWith = (detail) => (error) => {
    assert.equal(error.code, "INVALID_TRANSACTION", error.stack);
    assert.deepEqual(error.details.InvalidTxError, detail);
    return true;
  };

  it("a nonce that is used already: an error with both nonces, which near-kit mends by itself", async () => {
    const first = await transfer().sign();
    forgetNonce(sandbox, "alice.sandbox");
    const second = await transfer("2 yocto").sign();
    await execute(first);
    const { nonce } = await alice.getAccessKey("alice.sandbox", sandbox.key("alice.sandbox").public_key);
    await assert.rejects(
      sendBytes(second),
      nearKitError("INVALID_NONCE", { txNonce: nonce, akNonce: nonce, retryable: true }),
    );
    const bobs = await balanceOf(sandbox.regular, "bob.sandbox");
    let answer;
    const sent = second.send({ waitUntil: "FINAL" }).then((result) => (answer = result));
    await sandbox.advanceUntil(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return answer !== undefined;
    });
    assert.ok((await sent).transaction.nonce > nonce);
    assert.equal(await balanceOf(sandbox.regular, "bob.sandbox"), bobs + 2n);
  });

  it("the same bytes again are no error but the same transaction", async () => {
    const signed = await transfer().sign();
    const first = await execute(signed, "FINAL");
    assert.deepEqual(await sendBytes(signed, "FINAL"), first);
  });

  it("a block hash that is too old", async () => {
    const signed = await transfer().sign();
    await sandbox.advance(30);
    await assert.rejects(sendBytes(signed), refusedWith("Expired"));
    forgetNonce(sandbox, "alice.sandbox");
  });

  it("a key that is not on the account, and a signature by another key", async () => {
    await assert.rejects(transfer().signWith(generateKey().secretKey).sign(), nearKitError("ACCESS_KEY_NOT_FOUND"));
    const stranger = generateKey();
    const forged = await transfer()
      .signWith(async (message) => stranger.sign(message))
      .sign();
    await assert.rejects(sendBytes(forged), refusedWith("InvalidSignature"));
    forgetNonce(sandbox, "alice.sandbox");
  });

  it("more than the account has: the exact cost and balance", async () => {
    const balance = await balanceOf(sandbox.regular, "alice.sandbox");
    await assert.rejects(sendBytes(await transfer(`${balance} yocto`).sign()), (error) => {
      const { cost, ...rest } = error.details.InvalidTxError.NotEnoughBalance;
      assert.deepEqual(rest, { signer_id: "alice.sandbox", balance: String(balance) });
      assert.ok(BigInt(cost) > balance && BigInt(cost) < balance + near(0.01), cost);
      return true;
    });
    forgetNonce(sandbox, "alice.sandbox");
  });

  it("NONE answers at once and tells nothing but what near-kit knows", async () => {
    const signed = await transfer().sign();
    const answer = await signed.send({ waitUntil: "NONE" });
    assert.equal(answer.final_execution_status, "NONE");
    assert.equal(answer.transaction.hash, signed.getHash());
    assert.equal(answer.transaction_outcome, undefined);
    await sandbox.advanceUntil(async () => (await level(signed.getHash())) === "FINAL");
  });

  for (const [waitUntil, expected] of [
    ["EXECUTED_OPTIMISTIC", "EXECUTED_OPTIMISTIC"],
    ["INCLUDED_FINAL", "EXECUTED"],
    ["EXECUTED", "EXECUTED"],
    ["FINAL", "FINAL"],
  ]) {
    it(`${waitUntil} of a transfer is answered as soon as it holds, with ${expected}`, async () => {
      const signed = await transfer().sign();
      const answer = await execute(signed, waitUntil);
      assert.equal(answer.final_execution_status, expected);
      assert.equal(answer.transaction.hash, signed.getHash());
      await sandbox.advanceUntil(async () => (await level(signed.getHash())) === "FINAL");
      const status = await alice.getTransactionStatus(signed.getHash(), "alice.sandbox", waitUntil);
      assert.equal(status.final_execution_status, "FINAL");
      assert.equal(status.receipts[0].receiver_id, "bob.sandbox");
    });
  }

  // nearcore tells the status of a transaction under way as "Started"; near-kit 0.19 takes "Unknown" or
  // "Pending" only. Remove this once it is mended.
  it("near-kit cannot read the answer of a transaction under way: INCLUDED and INCLUDED_FINAL", async () => {
    assert.ok(FinalExecutionStatusSchema().safeParse("Started").success);
    const cannotRead = (error) => error.name === "ZodError" && JSON.parse(error.message)[0].path[0] === "status";
    await assert.rejects(execute(await transfer().sign(), "INCLUDED"), cannotRead);
    const chain = (depth) =>
      depth === 0
        ? []
        : [{ call: { account: "script.sandbox", run: chain(depth - 1), as: "next" } }, { return_promise: "next" }];
    const long = alice
      .transaction("alice.sandbox")
      .functionCall("script.sandbox", "run", chain(6), { gas: `${tgas(300)}` });
    const signed = await long.sign();
    await assert.rejects(execute(signed, "INCLUDED_FINAL"), cannotRead);
    await sandbox.advanceUntil(async () => (await level(signed.getHash())) === "FINAL");
    assert.equal(
      (await alice.getTransactionStatus(signed.getHash(), "alice.sandbox")).final_execution_status,
      "FINAL",
    );
  });

  it("a failed transaction throws at every level that knows of it", async () => {
    const nobody = () => alice.transaction("alice.sandbox").transfer("nobody.sandbox", "1 NEAR").sign();
    for (const waitUntil of ["EXECUTED_OPTIMISTIC", "EXECUTED", "FINAL"]) {
      const failed = nearKitError("INVALID_TRANSACTION", {
        message: "AccountDoesNotExist (account_id: nobody.sandbox)",
      });
      const signed = await nobody();
      await assert.rejects(execute(signed, waitUntil), failed);
      await assert.rejects(alice.getTransactionStatus(signed.getHash(), "alice.sandbox", "NONE"), failed);
    }
  });

  it("an unknown transaction is named at NONE, and waited for at any other level", async () => {
    const hasty = await startSandbox({ blockTimeMs: 0, flags: ["--longest-wait-ms", "200"] });
    try {
      const look = (waitUntil) =>
        nearOf(hasty, "alice.sandbox").getTransactionStatus(unknownHash, "alice.sandbox", waitUntil);
      await assert.rejects(look("NONE"), nearKitError("NETWORK_ERROR", { message: /UNKNOWN_TRANSACTION/ }));
      await assert.rejects(look("INCLUDED"), nearKitError("NETWORK_ERROR", { statusCode: 408, retryable: true }));
    } finally {
      await hasty.stop();
    }
  });

  it("sends many at once with consecutive nonces, and all of them are executed", async () => {
    const bobs = await balanceOf(sandbox.regular, "bob.sandbox");
    const send = () =>
      carol.transaction("carol.sandbox").transfer("bob.sandbox", "1 yocto").send({ waitUntil: "NONE" });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    const nonces = answers.map((each) => each.transaction.nonce).sort((a, b) => a - b);
    assert.deepEqual(
      nonces,
      nonces.map((_, i) => nonces[0] + i),
    );
    await sandbox.advance(8);
    assert.equal(await balanceOf(sandbox.regular, "bob.sandbox"), bobs + 20n);
  });

  it("sends many at once while the chain moves", async () => {
    // near-kit signs a transaction that was overtaken again, three times at most: no more than a few blocks.
    const moving = await startSandbox({ blockTimeMs: 300, flags: ["--seed", "2"] });
    try {
      const sender = nearOf(moving, "carol.sandbox", { waitUntil: "EXECUTED" });
      const before = await balanceOf(moving.regular, "bob.sandbox");
      const results = await sender.batch(
        ...Array.from({ length: 15 }, () => sender.send("bob.sandbox", "1 yocto")),
      );
      assert.ok(results.every((each) => each.status.SuccessValue === ""));
      assert.equal(await balanceOf(moving.regular, "bob.sandbox"), before + 15n);
    } finally {
      await moving.stop();
    }
  });
});

// near-api-js: transactions the gateway refuses, each with the error the client makes of it.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  Account,
  KeyPairSigner,
  SignedTransaction,
  actions,
  base64Encode,
  baseDecode,
  createTransaction,
  encodeTransaction,
} from "near-api-js";
import * as errors from "near-api-js/rpc-errors";
import { accountsOf, newKey, providerOf } from "./near_api_js.mjs";
import { balanceOf, near, rawPost, rpc, startSandbox } from "./support.mjs";

// `fields` with which the error must have been made; returns a check for assert.rejects.
const withFields = (kind, fields) => (error) => {
  assert.ok(error instanceof kind, `${error.constructor.name}: ${error.message}`);
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(error[name], value, name);
  return true;
};

describe("near-api-js: refused transactions", () => {
  let sandbox, provider, alice, bob, carol, signer;
  before(async () => {
    sandbox = await startSandbox({ blockTimeMs: 0, flags: ["--validity-blocks", "10"] });
    await sandbox.advance(5);
    ({ provider, alice, bob, carol } = accountsOf(sandbox));
    signer = alice.getSigner();
  });
  after(() => sandbox?.stop());

  // A transfer of 1 yocto from alice to bob, signed, with what is wrong about it.
  async function signedTransfer({
    nonce,
    blockHash,
    amount = 1n,
    sender = alice.accountId,
    by = signer,
    receiver,
  } = {}) {
    const key = await provider.viewAccessKey({
      accountId: alice.accountId,
      publicKey: await signer.getPublicKey(),
    });
    const final = await provider.viewBlock({ finality: "final" });
    const transaction = createTransaction(
      sender,
      await by.getPublicKey(),
      receiver ?? bob.accountId,
      nonce ?? key.nonce + 1n,
      [actions.transfer(amount)],
      baseDecode(blockHash ?? final.header.hash),
    );
    return (await by.signTransaction(transaction)).signedTransaction;
  }

  const send = (signed) => provider.sendTransaction(signed);

  // Sends it and makes blocks until it is done.
  async function execute(signed) {
    let done = false;
    const result = send(signed).finally(() => (done = true));
    result.catch(() => {});
    await sandbox.advanceUntil(() => new Promise((resolve) => setTimeout(() => resolve(done), 20)));
    return result;
  }

  it("a nonce that is not greater than the key's", async () => {
    const signed = await signedTransfer();
    await execute(signed);
    const used = Number(signed.transaction.nonce);
    const again = await signedTransfer({ nonce: signed.transaction.nonce, amount: 2n });
    await assert.rejects(
      send(again),
      withFields(errors.InvalidNonceError, { transactionNonce: used, accessKeyNonce: used }),
    );
    await assert.rejects(
      send(await signedTransfer({ nonce: signed.transaction.nonce - 1n })),
      withFields(errors.InvalidNonceError, { transactionNonce: used - 1, accessKeyNonce: used }),
    );
  });

  it("the same bytes again are no error but the same transaction", async () => {
    const signed = await signedTransfer();
    const first = await execute(signed);
    const bobs = await balanceOf(sandbox.regular, bob.accountId);
    const second = await send(signed);
    assert.equal(second.transaction.hash, first.transaction.hash);
    await sandbox.advance(5);
    assert.equal(await balanceOf(sandbox.regular, bob.accountId), bobs);
  });

  // As a real node does, whose verifier does not know the bound (docs/sandbox-choices.md).
  it("but not a nonce beyond what the height allows, which never comes into a block", async () => {
    const bytes = base64Encode(encodeTransaction(await signedTransfer({ nonce: 10n ** 18n })));
    const bobs = await balanceOf(sandbox.regular, bob.accountId);
    const hash = await rpc(sandbox.regular, "broadcast_tx_async", [bytes]);
    const look = { jsonrpc: "2.0", id: 1, method: "tx", params: { signed_tx_base64: bytes, wait_until: "NONE" } };
    for (let i = 0; i < 2; i++) {
      const { error } = (await rawPost(sandbox.regular, look)).body;
      assert.equal(error.cause.name, "UNKNOWN_TRANSACTION");
      assert.equal(error.cause.info.requested_transaction_hash, hash);
      await sandbox.advance(5);
    }
    assert.equal(await balanceOf(sandbox.regular, bob.accountId), bobs);
  });

  it("a block hash that is too old, or of another chain", async () => {
    const { header } = await provider.viewBlock({ finality: "final" });
    const old = await signedTransfer({ blockHash: header.hash });
    await sandbox.advance(20);
    await assert.rejects(send(old), errors.TransactionExpiredError);
    const foreign = "EPnLgE7iEq9s7yTkos96M3cWymH5avBAPm3qx3NXqR8H";
    await assert.rejects(send(await signedTransfer({ blockHash: foreign })), errors.TransactionExpiredError);
    await execute(await signedTransfer());
  });

  it("a key that is not on the account", async () => {
    const stranger = new KeyPairSigner(newKey());
    const publicKey = await stranger.getPublicKey();
    await assert.rejects(
      send(await signedTransfer({ by: stranger })),
      withFields(errors.AccessKeyNotFoundActionError, { accountId: alice.accountId, publicKey }),
    );
    await assert.rejects(
      new Account(alice.accountId, provider, stranger).transfer({ receiverId: bob.accountId, amount: 1n }),
      errors.AccessKeyDoesNotExistError,
    );
  });

  it("a signature by another key", async () => {
    const good = await signedTransfer();
    const forged = await signedTransfer({ amount: 3n });
    await assert.rejects(
      send(new SignedTransaction({ transaction: good.transaction, signature: forged.signature })),
      errors.InvalidSignatureError,
    );
  });

  it("more than the account has: the exact cost and balance", async () => {
    const balance = await balanceOf(sandbox.regular, alice.accountId);
    await assert.rejects(send(await signedTransfer({ amount: balance })), (error) => {
      withFields(errors.NotEnoughBalanceError, { signerId: alice.accountId, balance })(error);
      assert.ok(error.cost > balance && error.cost < balance + near(0.01), `${error.cost}`);
      return true;
    });
  });

  it("a signer or a receiver that cannot be", async () => {
    const nobody = { sender: "nobody.sandbox" };
    await assert.rejects(
      send(await signedTransfer(nobody)),
      withFields(errors.SignerDoesNotExistError, { signerId: nobody.sender }),
    );
    const actionsOfTransfer = await signedTransfer({ receiver: "nobody.sandbox" });
    const result = await execute(actionsOfTransfer);
    assert.deepEqual(result.status.Failure.ActionError, {
      index: 0,
      kind: { AccountDoesNotExist: { account_id: "nobody.sandbox" } },
    });
  });

  it("actions that no chain would take", async () => {
    const refused = (list, kind) =>
      assert.rejects(carol.signAndSendTransaction({ receiverId: carol.accountId, actions: list }), kind);
    await refused(
      [actions.deleteAccount(bob.accountId), actions.transfer(1n)],
      errors.DeleteActionMustBeFinalActionError,
    );
    await refused([actions.functionCall("x", {}, 0n, 0n)], errors.FunctionCallZeroAttachedGasActionError);
    await refused(
      [actions.functionCall("x", {}, 2000n * 10n ** 12n, 0n)],
      errors.TotalPrepaidGasExceededActionError,
    );
    await refused(
      Array.from({ length: 101 }, () => actions.transfer(1n)),
      errors.TotalNumberOfActionsExceededActionError,
    );
    await refused(
      [actions.functionCall("m".repeat(257), {}, 10n ** 12n, 0n)],
      errors.FunctionCallMethodNameLengthExceededActionError,
    );
  });

  it("bytes that are no transaction", async () => {
    const send = (base64) => provider.sendJsonRpc("send_tx", { signed_tx_base64: base64, wait_until: "NONE" });
    await assert.rejects(send("AAAA"), errors.RpcRequestParseError);
    await assert.rejects(send("not base64!"), errors.RpcRequestParseError);
  });

  it("a block the regular host has dropped and the archival host keeps", async () => {
    const small = await startSandbox({ blockTimeMs: 0, flags: ["--retention-blocks", "10"] });
    try {
      await small.advance(5);
      const { header } = await providerOf(small.regular).viewBlock({ finality: "final" });
      await small.advance(30);
      const view = (url) =>
        providerOf(url).viewAccount({ accountId: "alice.sandbox", blockQuery: { blockId: header.height } });
      await assert.rejects(
        view(small.regular),
        withFields(errors.GarbageCollectedBlockError, { blockHeight: header.height }),
      );
      assert.equal((await view(small.archival)).amount, near(10_000));
      await assert.rejects(
        providerOf(small.regular).viewBlock({ blockId: header.height }),
        errors.UnknownBlockError,
      );
      const kept = await providerOf(small.archival).viewBlock({ blockId: header.height });
      assert.equal(kept.header.hash, header.hash);
      const { sync_info: sync } = await rpc(small.regular, "status", []);
      assert.ok(sync.earliest_block_height > header.height);
    } finally {
      await small.stop();
    }
  });
});

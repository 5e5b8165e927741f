// gateway.md §4.2, §7 word for word, by plain HTTP: the five methods of the specification, and
// error.InvalidTransaction.<Variant> of a transaction that is refused.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  KeyPairSigner,
  SignedTransaction,
  actions,
  baseDecode,
  createTransaction,
  encodeTransaction,
} from "near-api-js";
import { newKey } from "./near_api_js.mjs";
import { balanceOf, rawPost, startSandbox } from "./support.mjs";

describe("the gateway as specified", () => {
  let sandbox, signer;
  before(async () => {
    sandbox = await startSandbox({ flags: ["--validity-blocks", "600"] });
    signer = KeyPairSigner.fromSecretKey(sandbox.key("alice.sandbox").secret_key);
  });
  after(() => sandbox?.stop());

  const ask = async (method, params, url = sandbox.regular) =>
    (await rawPost(url, { jsonrpc: "2.0", id: "dontcare", method, params })).body;
  const publicKey = async (by = signer) => (await by.getPublicKey()).toString();
  const keyQuery = async () => ({
    request_type: "view_access_key",
    finality: "final",
    account_id: "alice.sandbox",
    public_key: await publicKey(),
  });
  const finalBlock = async () => (await ask("block", { finality: "final" })).result.header.hash;

  // Steps 1 to 3 of §4.2, with what is asked for done wrong.
  async function signed({ nonce, blockHash, amount = 1n, by = signer } = {}) {
    const { result } = await ask("query", { ...(await keyQuery()), finality: "optimistic" });
    const transaction = createTransaction(
      "alice.sandbox",
      await by.getPublicKey(),
      "bob.sandbox",
      nonce ?? result.nonce + 1,
      [actions.transfer(amount)],
      baseDecode(blockHash ?? (await finalBlock())),
    );
    return (await by.signTransaction(transaction)).signedTransaction;
  }

  const base64 = (transaction) => Buffer.from(encodeTransaction(transaction)).toString("base64");
  const refusal = async (transaction) => {
    const { error } = await ask("broadcast_tx_commit", [base64(transaction)]);
    return error.InvalidTransaction;
  };

  it("nonce from query, block_hash from block, broadcast_tx_async, tx at FINAL, on both hosts", async () => {
    for (const url of [sandbox.regular, sandbox.archival]) {
      const bobs = await balanceOf(url, "bob.sandbox");
      const { result: hash } = await ask("broadcast_tx_async", [base64(await signed())], url);
      const params = { tx_hash: hash, sender_account_id: "alice.sandbox", wait_until: "FINAL" };
      const { result } = await ask("tx", params, url);
      assert.ok("SuccessReceiptId" in result.transaction_outcome.outcome.status);
      assert.ok(
        result.receipts_outcome.every(({ id, outcome }) => id && outcome.status && Array.isArray(outcome.logs)),
      );
      assert.equal(await balanceOf(url, "bob.sandbox"), bobs + 1n);
    }
  });

  it("broadcast_tx_commit waits for the transaction to complete", async () => {
    const { result } = await ask("broadcast_tx_commit", [base64(await signed())]);
    assert.deepEqual(result.status, { SuccessValue: "" });
    assert.equal(result.receipts_outcome[0].outcome.executor_id, "bob.sandbox");
  });

  it("InvalidNonce", async () => {
    // Not at the final block: what was executed just now is not in it yet.
    const { result } = await ask("query", { ...(await keyQuery()), finality: "optimistic" });
    const { nonce } = result;
    assert.deepEqual(await refusal(await signed({ nonce })), {
      InvalidNonce: { tx_nonce: nonce, ak_nonce: nonce },
    });
  });

  it("Expired", async () => {
    const blockHash = await finalBlock();
    await sandbox.post("/advance", { blocks: 610 });
    assert.deepEqual(await refusal(await signed({ blockHash })), { Expired: null });
  });

  it("NotEnoughBalance", async () => {
    const balance = await balanceOf(sandbox.regular, "alice.sandbox");
    const { NotEnoughBalance: payload } = await refusal(await signed({ amount: balance }));
    assert.deepEqual(Object.keys(payload).sort(), ["balance", "cost", "signer_id"]);
    assert.deepEqual([payload.signer_id, payload.balance], ["alice.sandbox", String(balance)]);
    assert.ok(BigInt(payload.cost) > balance);
  });

  it("InvalidSignature", async () => {
    const { transaction } = await signed();
    const { signature } = await signed({ amount: 2n });
    assert.deepEqual(await refusal(new SignedTransaction({ transaction, signature })), { InvalidSignature: null });
  });

  it("InvalidAccessKeyError.AccessKeyNotFound", async () => {
    const by = new KeyPairSigner(newKey());
    const payload = { account_id: "alice.sandbox", public_key: await publicKey(by) };
    assert.deepEqual(await refusal(await signed({ by })), {
      InvalidAccessKeyError: { AccessKeyNotFound: payload },
    });
  });
});

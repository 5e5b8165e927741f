// near-api-js: connecting, accounts, keys, transfers and batches.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Account, KeyPair, actions } from "near-api-js";
import * as errors from "near-api-js/rpc-errors";
import { accountsOf, newKey, providerOf } from "./near_api_js.mjs";
import { balanceOf, feesOf, near, startSandbox, tokensOf } from "./support.mjs";

describe("near-api-js: accounts and keys", () => {
  let sandbox, provider, alice, bob, carol;
  before(async () => {
    sandbox = await startSandbox();
    ({ provider, alice, bob, carol } = accountsOf(sandbox));
  });
  after(() => sandbox?.stop());

  it("connects to both hosts and finds one chain", async () => {
    const archival = providerOf(sandbox.archival);
    assert.equal(await provider.getNetworkId(), "sandbox");
    assert.equal(await archival.getNetworkId(), "sandbox");
    const block = await provider.viewBlock({ finality: "final" });
    assert.deepEqual(await archival.viewBlock({ blockId: block.header.hash }), block);
    const head = await provider.viewBlock({ finality: "optimistic" });
    assert.ok(head.header.height >= block.header.height);
  });

  it("sees a ready-made account: 10,000 tokens and one full-access key", async () => {
    const fresh = new Account("carol.sandbox", provider);
    const state = await fresh.getState();
    assert.equal(state.balance.total, near(10_000));
    assert.equal(state.balance.locked, 0n);
    assert.equal(await fresh.getBalance(), state.balance.available);
    const { keys } = await fresh.getAccessKeyList();
    assert.deepEqual(
      keys.map((each) => [each.public_key, each.access_key.permission]),
      [[sandbox.key("carol.sandbox").public_key, "FullAccess"]],
    );
    const key = await fresh.getAccessKey(keys[0].public_key);
    assert.equal(key.nonce, BigInt(keys[0].access_key.nonce));
  });

  it("names what is not there", async () => {
    await assert.rejects(new Account("nobody.sandbox", provider).getState(), (error) => {
      assert.ok(error instanceof errors.AccountDoesNotExistError);
      assert.equal(error.accountId, "nobody.sandbox");
      return true;
    });
    const stranger = newKey().getPublicKey();
    await assert.rejects(alice.getAccessKey(stranger), (error) => {
      assert.ok(error instanceof errors.AccessKeyDoesNotExistError);
      assert.equal(error.publicKey.toString(), stranger.toString());
      return true;
    });
    await assert.rejects(provider.viewBlock({ blockId: 1 }), errors.UnknownBlockError);
    await assert.rejects(provider.sendJsonRpc("no_such_method", {}), (error) => {
      assert.ok(error instanceof errors.RpcMethodNotFoundError);
      assert.equal(error.methodName, "no_such_method");
      return true;
    });
    await assert.rejects(provider.sendJsonRpc("block", { finality: "soon" }), errors.RpcRequestParseError);
  });

  it("transfers, and every yocto is accounted for", async () => {
    const [alices, bobs] = [
      await balanceOf(sandbox.regular, alice.accountId),
      await balanceOf(sandbox.regular, bob.accountId),
    ];
    const result = await alice.signAndSendTransaction({
      receiverId: bob.accountId,
      actions: [actions.transfer(near(2.5))],
      waitUntil: "FINAL",
    });
    assert.deepEqual(result.status, { SuccessValue: "" });
    assert.equal(await balanceOf(sandbox.regular, bob.accountId), bobs + near(2.5));
    assert.equal(await balanceOf(sandbox.regular, alice.accountId), alices - near(2.5) - feesOf(result));
  });

  it("pays an implicit account into being", async () => {
    const key = newKey();
    const id = Buffer.from(key.getPublicKey().data).toString("hex");
    await alice.transfer({ receiverId: id, amount: near(1) });
    const implicit = new Account(id, provider, key.toString());
    assert.equal((await implicit.getState()).balance.total, near(1));
    assert.equal((await implicit.getAccessKeyList()).keys[0].public_key, key.getPublicKey().toString());
    await implicit.transfer({ receiverId: alice.accountId, amount: near(0.25) });
    assert.ok((await implicit.getState()).balance.total < near(0.75));
  });

  it("creates an account, which then acts, and deletes it", async () => {
    const key = newKey();
    const id = "child.bob.sandbox";
    await bob.createAccount({ newAccountId: id, publicKey: key.getPublicKey(), nearToTransfer: near(5) });
    const child = new Account(id, provider, key.toString());
    assert.equal((await child.getState()).balance.total, near(5));
    await child.transfer({ receiverId: carol.accountId, amount: near(1) });

    await assert.rejects(bob.createAccount({ newAccountId: id, publicKey: key.getPublicKey() }), (error) => {
      assert.ok(error instanceof errors.AccountAlreadyExistsActionError);
      assert.equal(error.accountId, id);
      assert.equal(error.actionIndex, 0);
      return true;
    });
    await assert.rejects(
      alice.signAndSendTransaction({ receiverId: "other.bob.sandbox", actions: [actions.createAccount()] }),
      errors.CreateAccountNotAllowedActionError,
    );

    const bobs = await balanceOf(sandbox.regular, bob.accountId);
    const left = (await child.getState()).balance.total;
    await child.signAndSendTransaction({
      receiverId: id,
      actions: [actions.deleteAccount(bob.accountId)],
      waitUntil: "FINAL",
    });
    await assert.rejects(child.getState(), errors.AccountDoesNotExistError);
    const paid = (await balanceOf(sandbox.regular, bob.accountId)) - bobs;
    assert.ok(paid > left - near(0.01) && paid < left, `${paid} of ${left}`);
  });

  it("adds a key, signs with it, deletes it", async () => {
    const key = newKey();
    await carol.addFullAccessKey(key.getPublicKey());
    const second = new Account(carol.accountId, provider, key.toString());
    await second.transfer({ receiverId: bob.accountId, amount: 1n });
    assert.equal((await carol.getAccessKeyList()).keys.length, 2);
    await assert.rejects(carol.addFullAccessKey(key.getPublicKey()), errors.AddKeyAlreadyExistsActionError);

    await carol.deleteKey(key.getPublicKey());
    assert.equal((await carol.getAccessKeyList()).keys.length, 1);
    await assert.rejects(carol.deleteKey(key.getPublicKey()), errors.DeleteKeyDoesNotExistActionError);
    await assert.rejects(
      second.transfer({ receiverId: bob.accountId, amount: 1n }),
      (error) => error instanceof errors.AccessKeyNotFoundActionError && error.accountId === carol.accountId,
    );
  });

  it("signs with a secp256k1 key as well", async () => {
    const key = KeyPair.fromRandom("secp256k1");
    await carol.addFullAccessKey(key.getPublicKey());
    const bobs = await balanceOf(sandbox.regular, bob.accountId);
    await new Account(carol.accountId, provider, key.toString()).transfer({
      receiverId: bob.accountId,
      amount: 7n,
    });
    assert.equal(await balanceOf(sandbox.regular, bob.accountId), bobs + 7n);
  });

  it("keeps a function-call key to its contract, methods and allowance", async () => {
    const key = newKey();
    await alice.addFunctionCallAccessKey({
      publicKey: key.getPublicKey(),
      contractId: "ft.sandbox",
      methodNames: ["ft_mint"],
      allowance: near(0.2),
    });
    const { permission } = await alice.getAccessKey(key.getPublicKey());
    assert.deepEqual(permission, {
      FunctionCall: { allowance: near(0.2).toString(), receiver_id: "ft.sandbox", method_names: ["ft_mint"] },
    });
    const limited = new Account(alice.accountId, provider, key.toString());
    const mint = { methodName: "ft_mint", args: { account_id: alice.accountId, amount: "5" } };
    await limited.callFunction({ contractId: "ft.sandbox", ...mint });
    assert.equal(await tokensOf(sandbox.regular, alice.accountId), 5n);
    const left = (await alice.getAccessKey(key.getPublicKey())).permission.FunctionCall.allowance;
    assert.ok(BigInt(left) < near(0.2));

    const refused = (params, kind) => assert.rejects(limited.callFunction(params), kind);
    await refused({ contractId: "receiver.sandbox", ...mint }, errors.AccessKeyReceiverMismatchActionError);
    await refused(
      { contractId: "ft.sandbox", methodName: "ft_transfer" },
      errors.AccessKeyMethodNameMismatchActionError,
    );
    await refused(
      { contractId: "ft.sandbox", ...mint, deposit: 1n },
      errors.AccessKeyDepositWithFunctionCallActionError,
    );
    await refused(
      { contractId: "ft.sandbox", ...mint, gas: 900n * 10n ** 12n },
      errors.AccessKeyNotEnoughAllowanceActionError,
    );
    await assert.rejects(
      limited.transfer({ receiverId: bob.accountId, amount: 1n }),
      errors.AccessKeyRequiresFullAccessActionError,
    );
  });

  it("does a batch as a whole or not at all", async () => {
    const key = newKey();
    const id = "batch.carol.sandbox";
    const create = [
      actions.createAccount(),
      actions.transfer(near(2)),
      actions.addFullAccessKey(key.getPublicKey()),
    ];
    const before = await balanceOf(sandbox.regular, carol.accountId);
    await assert.rejects(
      carol.signAndSendTransaction({
        receiverId: id,
        actions: [...create, actions.deleteKey(newKey().getPublicKey())],
        waitUntil: "FINAL",
      }),
      (error) => error instanceof errors.DeleteKeyDoesNotExistActionError && error.actionIndex === 3,
    );
    await assert.rejects(new Account(id, provider).getState(), errors.AccountDoesNotExistError);
    const cost = before - (await balanceOf(sandbox.regular, carol.accountId));
    assert.ok(cost > 0n && cost < near(0.05), `the deposit came back: ${cost} is gone`);

    await carol.signAndSendTransaction({ receiverId: id, actions: create });
    assert.equal((await new Account(id, provider).getState()).balance.total, near(2));
  });
});

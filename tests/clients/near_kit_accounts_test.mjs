// near-kit: connecting, accounts, keys, transfers and batches.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Near, generateKey } from "near-kit";
import { nearKitError, nearOf } from "./near_kit.mjs";
import { balanceOf, feesOf, near, startSandbox } from "./support.mjs";

describe("near-kit: accounts and keys", () => {
  let sandbox, alice, bob, carol;
  before(async () => {
    sandbox = await startSandbox();
    [alice, bob, carol] = ["alice.sandbox", "bob.sandbox", "carol.sandbox"].map((each) => nearOf(sandbox, each));
  });
  after(() => sandbox?.stop());

  it("connects to both hosts and finds one chain", async () => {
    const archival = nearOf(sandbox, "alice.sandbox", { url: sandbox.archival });
    const status = await alice.getStatus();
    assert.equal(status.chain_id, "sandbox");
    assert.equal((await archival.getStatus()).genesis_hash, status.genesis_hash);
    const block = await alice.rpc.getBlock({ finality: "final" });
    assert.deepEqual(await archival.rpc.getBlock({ blockId: block.header.hash }), block);
    assert.match((await alice.rpc.getGasPrice()).gas_price, /^[1-9][0-9]+$/);
    const genesis = await alice.rpc.genesisConfig();
    assert.equal(genesis.chain_id, "sandbox");
    assert.ok(Array.isArray((await alice.rpc.blockEffects({ blockId: block.header.hash })).changes));
    assert.deepEqual(await alice.rpc.maintenanceWindows("alice.sandbox"), []);
  });

  it("sees a ready-made account: 10,000 tokens and one full-access key", async () => {
    const account = await carol.getAccount("carol.sandbox");
    assert.equal(account.balance, "10000.00");
    assert.equal(account.hasContract, false);
    assert.equal((await carol.getAccount("ft.sandbox")).hasContract, true);
    const { public_key: publicKey } = sandbox.key("carol.sandbox");
    const { keys } = await carol.getAccessKeys("carol.sandbox");
    assert.deepEqual(
      keys.map((each) => [each.public_key, each.access_key.permission]),
      [[publicKey, "FullAccess"]],
    );
    const key = await carol.getAccessKey("carol.sandbox", publicKey);
    assert.equal(key.nonce, keys[0].access_key.nonce);
  });

  it("names what is not there", async () => {
    assert.equal(await alice.accountExists("nobody.sandbox"), false);
    await assert.rejects(
      alice.getAccount("nobody.sandbox"),
      nearKitError("ACCOUNT_NOT_FOUND", { accountId: "nobody.sandbox" }),
    );
    const stranger = generateKey().publicKey.toString();
    await assert.rejects(
      alice.rpc.getAccessKey("alice.sandbox", stranger),
      nearKitError("ACCESS_KEY_NOT_FOUND", { publicKey: stranger }),
    );
    await assert.rejects(alice.getContractCode("alice.sandbox"), nearKitError("NO_CONTRACT_CODE"));
    await assert.rejects(
      alice.rpc.receiptToTx("7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ"),
      nearKitError("UNKNOWN_RECEIPT"),
    );
    // By its hash: an unknown height comes with HTTP 422, whose body near-kit does not read.
    const blockId = "7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ";
    await assert.rejects(alice.rpc.getBlock({ blockId }), nearKitError("UNKNOWN_BLOCK"));
    await assert.rejects(alice.rpc.getBlock({ blockId: 1 }), nearKitError("NETWORK_ERROR", { statusCode: 422 }));
    await assert.rejects(
      alice.rpc.call("no_such_method", []),
      nearKitError("NETWORK_ERROR", { statusCode: 400, retryable: false }),
    );
  });

  it("transfers, and every yocto is accounted for", async () => {
    const balances = () =>
      Promise.all(["alice.sandbox", "bob.sandbox"].map((id) => balanceOf(sandbox.regular, id)));
    const [alices, bobs] = await balances();
    const result = await alice.send("bob.sandbox", "2.5 NEAR");
    assert.deepEqual(result.status, { SuccessValue: "" });
    assert.deepEqual(await balances(), [alices - near(2.5) - feesOf(result), bobs + near(2.5)]);
  });

  it("finds the transaction of a receipt", async () => {
    const result = await alice.send("bob.sandbox", "1 yocto");
    for (const { id } of result.receipts_outcome) {
      assert.deepEqual(await alice.rpc.receiptToTx(id), {
        transaction_hash: result.transaction.hash,
        sender_account_id: "alice.sandbox",
      });
    }
  });

  it("creates an account, which then acts, and deletes it", async () => {
    const key = generateKey();
    const id = "child.bob.sandbox";
    const create = () =>
      bob
        .transaction("bob.sandbox")
        .createAccount(id)
        .transfer(id, "5 NEAR")
        .addKey(key.publicKey.toString(), { type: "fullAccess" })
        .send();
    await create();
    assert.equal(await balanceOf(sandbox.regular, id), near(5));
    await assert.rejects(
      create(),
      nearKitError("INVALID_TRANSACTION", { message: `AccountAlreadyExists (account_id: ${id})` }),
    );
    const child = new Near({
      network: { rpcUrl: sandbox.regular, networkId: "sandbox" },
      privateKey: key.secretKey,
      defaultSignerId: id,
      defaultWaitUntil: "FINAL",
    });
    await child.send("carol.sandbox", "1 NEAR");
    await child.transaction(id).deleteAccount({ beneficiary: "bob.sandbox" }).send();
    assert.equal(await bob.accountExists(id), false);
  });

  it("adds a key, signs with it, deletes it", async () => {
    const key = generateKey();
    const publicKey = key.publicKey.toString();
    await carol.transaction("carol.sandbox").addKey(publicKey, { type: "fullAccess" }).send();
    const spend = () =>
      carol.transaction("carol.sandbox").signWith(key.secretKey).transfer("bob.sandbox", "1 yocto").send();
    assert.equal((await spend()).transaction.public_key, publicKey);
    await carol.transaction("carol.sandbox").deleteKey("carol.sandbox", publicKey).send();
    assert.equal(await carol.getAccessKey("carol.sandbox", publicKey), null);
    // near-kit has the key's next nonce already and sends without another look.
    await assert.rejects(spend(), (error) => {
      assert.equal(error.code, "INVALID_TRANSACTION");
      assert.deepEqual(error.details.InvalidTxError, {
        InvalidAccessKeyError: { AccessKeyNotFound: { account_id: "carol.sandbox", public_key: publicKey } },
      });
      return true;
    });
  });

  it("keeps a function-call key to its contract and methods", async () => {
    const key = generateKey();
    const publicKey = key.publicKey.toString();
    await alice
      .transaction("alice.sandbox")
      .addKey(publicKey, {
        type: "functionCall",
        receiverId: "ft.sandbox",
        methodNames: ["ft_mint"],
        allowance: "0.25 NEAR",
      })
      .send();
    const { permission } = await alice.getAccessKey("alice.sandbox", publicKey);
    assert.deepEqual(permission.FunctionCall.method_names, ["ft_mint"]);
    assert.equal(permission.FunctionCall.allowance, near(0.25).toString());
    const call = (contract, method, options) =>
      alice
        .transaction("alice.sandbox")
        .signWith(key.secretKey)
        .functionCall(contract, method, { account_id: "alice.sandbox", amount: "5" }, options)
        .send();
    await call("ft.sandbox", "ft_mint");
    const refused = (sent, detail) =>
      assert.rejects(sent, (error) => {
        assert.deepEqual(error.details.InvalidTxError, { InvalidAccessKeyError: detail });
        return true;
      });
    const mismatch = { tx_receiver: "receiver.sandbox", ak_receiver: "ft.sandbox" };
    await refused(call("receiver.sandbox", "ft_mint"), { ReceiverMismatch: mismatch });
    await refused(call("ft.sandbox", "ft_transfer"), { MethodNameMismatch: { method_name: "ft_transfer" } });
    await refused(call("ft.sandbox", "ft_mint", { attachedDeposit: "1 yocto" }), "DepositWithFunctionCall");
  });

  it("signs V1 transactions with a strict nonce", async () => {
    const spend = () => bob.transaction("bob.sandbox").transfer("carol.sandbox", "1 yocto").strictNonceMode();
    const first = await spend().send();
    assert.equal(first.transaction.nonce_mode, "strict");
    const second = await spend().send();
    assert.equal(second.transaction.nonce, first.transaction.nonce + 1);
  });

  it("makes a gas key, fills it and empties it", async () => {
    const publicKey = generateKey().publicKey.toString();
    const held = async () => {
      const { permission } = await bob.getAccessKey("bob.sandbox", publicKey);
      assert.equal(permission.GasKeyFullAccess.num_nonces, 3);
      return BigInt(permission.GasKeyFullAccess.balance);
    };
    await bob.transaction("bob.sandbox").addKey(publicKey, { type: "gasKeyFullAccess", numNonces: 3 }).send();
    assert.equal(await held(), 0n);
    await bob.transaction("bob.sandbox").transferToGasKey(publicKey, "1 NEAR").send();
    assert.equal(await held(), near(1));
    await bob.transaction("bob.sandbox").withdrawFromGasKey(publicKey, "0.25 NEAR").send();
    assert.equal(await held(), near(0.75));
  });

  it("does a batch as a whole or not at all", async () => {
    const id = "batch.carol.sandbox";
    const before = await balanceOf(sandbox.regular, "carol.sandbox");
    const batch = () => carol.transaction("carol.sandbox").createAccount(id).transfer(id, "2 NEAR");
    await assert.rejects(
      batch().deleteKey(id, generateKey().publicKey.toString()).send(),
      nearKitError("INVALID_TRANSACTION", { message: /^DeleteKeyDoesNotExist/ }),
    );
    assert.equal(await carol.accountExists(id), false);
    const cost = before - (await balanceOf(sandbox.regular, "carol.sandbox"));
    assert.ok(cost > 0n && cost < near(0.05), `the deposit came back: ${cost} is gone`);
    await batch().send();
    assert.equal(await balanceOf(sandbox.regular, id), near(2));
  });
});

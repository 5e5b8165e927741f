// A small chain on which everything has happened once, for tests of what the gateway tells about it.
import { actions, base64Encode, encodeTransaction } from "near-api-js";
import { accountsOf, newKey } from "./near_api_js.mjs";
import { nearOf } from "./near_kit.mjs";
import { near, tgas } from "./support.mjs";

const ft = (method, args, deposit = 0n) => actions.functionCall(method, args, tgas(100), deposit);
const script = (steps, gas = 200) => actions.functionCall("run", steps, tgas(gas), 0n);

// One transaction of each kind: [sender, receiver, actions, what it shows].
function transactions({ alice, bob, carol }) {
  const key = newKey().getPublicKey();
  const other = newKey().getPublicKey();
  const transferCall = (msg, memo) =>
    ft("ft_transfer_call", { receiver_id: "receiver.sandbox", amount: "5", msg, memo }, 1n);
  const join = [
    { call: { account: "receiver.sandbox", method: "nope", as: "a" } },
    { call: { account: "ft.sandbox", method: "ft_total_supply", as: "b" } },
    { and: { promises: ["a", "b"], as: "both" } },
    { then: { after: "both", run: ["log_promise_results"], as: "end" } },
    { return_promise: "end" },
  ];
  return [
    [alice, "bob.sandbox", [actions.transfer(near(1))]],
    [alice, "alice.sandbox", [actions.transfer(1n)]],
    [alice, "ft.sandbox", [ft("ft_mint", { account_id: "alice.sandbox", amount: "1000" })]],
    [alice, "ft.sandbox", [ft("storage_deposit", { account_id: "receiver.sandbox" }, near(1))]],
    [alice, "ft.sandbox", [transferCall("keep")]],
    [alice, "ft.sandbox", [transferCall("panic")]],
    [alice, "ft.sandbox", [transferCall("keep", "sandbox:resolve-panics")]],
    [alice, "ft.sandbox", [ft("no_such_method", {})]],
    [alice, "bob.sandbox", [ft("no_contract_here", {})]],
    [alice, "nobody.sandbox", [actions.transfer(1n)]],
    [alice, "script.sandbox", [script(join)]],
    [alice, "script.sandbox", [script([{ use_gas: 50 }], 20)]],
    [bob, "child.bob.sandbox", [actions.createAccount(), actions.transfer(near(3)), actions.addFullAccessKey(key)]],
    [bob, "bob.sandbox", [actions.addFunctionCallAccessKey(other, "ft.sandbox", ["ft_transfer"], near(0.1))]],
    [bob, "bob.sandbox", [actions.addFunctionCallAccessKey(key, "ft.sandbox", [], null)]],
    [bob, "bob.sandbox", [actions.deleteKey(other)]],
    [bob, "bob.sandbox", [actions.stake(near(1), key)]],
    [carol, "carol.sandbox", [actions.deployContract(new TextEncoder().encode("no contract at all"))]],
    [carol, "carol.sandbox", [ft("anything", {})]],
  ];
}

// Runs all of it; returns [{hash, sender}] and one signed transaction that was not sent yet.
export async function live(sandbox) {
  const accounts = accountsOf(sandbox);
  const { alice, bob, carol, relayer, provider } = accounts;
  const done = [];
  const send = async (sender, receiverId, list) => {
    const result = await sender.signAndSendTransaction({
      receiverId,
      actions: list,
      waitUntil: "FINAL",
      throwOnFailure: false,
    });
    done.push({ hash: result.transaction.hash, sender: sender.accountId });
  };
  const bySender = (sender) => transactions(accounts).filter(([each]) => each === sender);
  await Promise.all(
    [alice, bob, carol].map(async (sender) => {
      for (const [, receiverId, list] of bySender(sender)) await send(sender, receiverId, list);
    }),
  );
  await yieldAndResume(accounts, send);

  const { signedDelegate } = await alice.createSignedMetaTransaction({
    receiverId: "ft.sandbox",
    actions: [ft("ft_transfer", { receiver_id: "receiver.sandbox", amount: "1" }, 1n), ft("nope", {})],
  });
  await send(relayer, "alice.sandbox", [actions.signedDelegate(signedDelegate)]);
  const child = newKey();
  const doomed = [
    actions.createAccount(),
    actions.transfer(near(1)),
    actions.addFullAccessKey(child.getPublicKey()),
  ];
  await send(bob, "doomed.bob.sandbox", [...doomed, actions.deleteAccount("carol.sandbox")]);
  await sandbox.post("/skip-height");
  const [{ shard_id: shardId }] = (await provider.viewBlock({ finality: "final" })).chunks;
  await sandbox.post("/withhold-chunk", { shard_id: shardId });
  await send(carol, "alice.sandbox", [actions.transfer(1n)]);
  return done;
}

async function yieldAndResume({ alice, bob, provider }, send) {
  const waits = send(alice, "yield.sandbox", [ft("request", { id: "life", payload: { a: 1 } })]);
  const isWaiting = { contractId: "yield.sandbox", method: "is_waiting", args: { id: "life" } };
  while (!(await provider.callFunction(isWaiting)));
  await send(bob, "yield.sandbox", [ft("respond", { id: "life", value: "woken" })]);
  await waits;
}

// A signed transfer, as send_tx takes it.
export async function signedTransfer(sandbox) {
  const { carol } = accountsOf(sandbox);
  const signed = await carol.createSignedTransaction({
    receiverId: "bob.sandbox",
    actions: [actions.transfer(1n)],
  });
  return base64Encode(encodeTransaction(signed));
}

// Adds a gas key of carol.sandbox with three nonces; near-api-js cannot make one.
export async function addGasKey(sandbox) {
  const publicKey = newKey().getPublicKey().toString();
  const permission = { type: "gasKeyFullAccess", numNonces: 3 };
  await nearOf(sandbox, "carol.sandbox").transaction("carol.sandbox").addKey(publicKey, permission).send();
  return publicKey;
}

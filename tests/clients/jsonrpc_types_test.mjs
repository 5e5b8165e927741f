// @near-js/jsonrpc-client, the validating variant: every method's answers, on both hosts, must fit the
// schemas of @near-js/jsonrpc-types, which are made from nearcore's own OpenAPI description.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as client from "@near-js/jsonrpc-client";
import { RPC_METHODS, RpcErrorSchema } from "@near-js/jsonrpc-types";
import { addGasKey, live, signedTransfer } from "./jsonrpc_life.mjs";
import { rawPost, rpc, startSandbox } from "./support.mjs";

const { NearRpcClient } = client;
const unknown = "7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ";

const toSnake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
// "EXPERIMENTAL_tx_status" -> client.experimentalTxStatus
const functionOf = (method) =>
  client[method.toLowerCase().replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())] ?? assert.fail(method);

// Answers of a node that the published schemas (1.4.0) refuse. Each is proved: the raw answer is right
// by near/rpc.md, and the client refuses it. A proof that fails means that the bug was mended: remove it.
const schemaBugs = [
  {
    name: "NONE has no outcome, but RpcTransactionResponseSchema demands one (rpc.md §5.1)",
    method: "send_tx",
    params: async (sandbox) => ({ signedTxBase64: await signedTransfer(sandbox), waitUntil: "NONE" }),
    isRight: (result) => assert.deepEqual(result, { final_execution_status: "NONE" }),
    missing: /transactionOutcome/,
  },
  {
    name: "AccessKeyPermissionViewSchema knows no gas keys, which exist since protocol version 85 (rpc.md §6)",
    method: "query",
    params: async (sandbox) => {
      const publicKey = await addGasKey(sandbox);
      const finality = "optimistic";
      return { requestType: "view_access_key", finality, accountId: "carol.sandbox", publicKey };
    },
    isRight: ({ permission }) =>
      assert.deepEqual(permission, { GasKeyFullAccess: { balance: "0", num_nonces: 3 } }),
    missing: /FullAccess/,
  },
];

// Methods the sandbox does not offer; each is proved to be METHOD_NOT_FOUND.
const notOffered = [
  "EXPERIMENTAL_changes",
  "EXPERIMENTAL_light_client_block_proof",
  "EXPERIMENTAL_split_storage_info",
  "changes",
  "client_config",
];

describe("@near-js/jsonrpc-client: answers fit the published schemas", () => {
  let sandbox, transactions, blocks;
  const used = new Set();
  before(async () => {
    sandbox = await startSandbox({ blockTimeMs: 30, flags: ["--epoch-blocks", "25", "--shards", "3"] });
    transactions = await live(sandbox);
    await sandbox.post("/pause");
    blocks = await allBlocks();
  });
  after(() => sandbox?.stop());

  const rpcOf = (url) => new NearRpcClient({ endpoint: url, retries: 1 });
  const call = (url, method, ...params) => {
    used.add(method);
    return functionOf(method)(rpcOf(url), ...params);
  };

  // From the first block to the final head, by hashes.
  async function allBlocks() {
    const found = [await call(sandbox.archival, "block", { finality: "final" })];
    for (let block = found[0]; block.header.prevHash !== "1".repeat(32) && found.length < 2000; found.push(block)) {
      block = await call(sandbox.archival, "block", { blockId: block.header.prevHash });
    }
    return found.reverse();
  }

  const onBothHosts = async (check) => {
    for (const url of [sandbox.regular, sandbox.archival]) await check(url);
  };

  it("blocks by every reference, chunks of every block", async () => {
    assert.ok(blocks.some(({ header }) => header.prevHeight !== null && header.height > header.prevHeight + 1));
    assert.ok(blocks.some(({ header }) => header.chunkMask.includes(false)));
    const { header } = blocks[blocks.length - 1];
    await onBothHosts(async (url) => {
      for (const finality of ["optimistic", "near-final", "final"]) await call(url, "block", { finality });
      for (const syncCheckpoint of ["genesis", "earliest_available"]) await call(url, "block", { syncCheckpoint });
      assert.deepEqual(await call(url, "block", { blockId: header.height }), blocks[blocks.length - 1]);
    });
    const chunks = new Map();
    for (const block of blocks) for (const chunk of block.chunks) chunks.set(chunk.chunkHash, [block, chunk]);
    let [receipts, included] = [0, 0];
    for (const [chunkId, [block, { shardId }]] of chunks) {
      const chunk = await call(sandbox.archival, "chunk", { chunkId });
      receipts += chunk.receipts.length;
      included += chunk.transactions.length;
      if (chunk.transactions.length === 0) continue;
      assert.deepEqual(await call(sandbox.regular, "chunk", { blockId: block.header.hash, shardId }), chunk);
      assert.deepEqual(await call(sandbox.regular, "chunk", { blockId: block.header.height, shardId }), chunk);
    }
    assert.ok(
      included >= transactions.length && receipts > included,
      `${included} transactions, ${receipts} receipts`,
    );
  });

  it("transactions, their outcomes and all their receipts", async () => {
    await onBothHosts(async (url) => {
      // Each on one of the hosts, and the first on both.
      const mine = (i) => i === 0 || i % 2 === Number(url === sandbox.regular);
      for (const { hash, sender } of transactions.filter((_, i) => mine(i))) {
        const query = { txHash: hash, senderAccountId: sender, waitUntil: "FINAL" };
        const outcome = await call(url, "tx", query);
        const full = await call(url, "EXPERIMENTAL_tx_status", query);
        assert.equal(full.finalExecutionStatus, "FINAL");
        assert.deepEqual(full.receiptsOutcome, outcome.receiptsOutcome);
        for (const { receiptId } of full.receipts) await call(url, "EXPERIMENTAL_receipt", { receiptId });
      }
    });
  });

  it("sending in all its forms", async () => {
    await sandbox.post("/resume");
    await onBothHosts(async (url) => {
      await call(url, "send_tx", { signedTxBase64: await signedTransfer(sandbox), waitUntil: "FINAL" });
      await call(url, "broadcast_tx_commit", { signedTxBase64: await signedTransfer(sandbox) });
      const hash = await call(url, "broadcast_tx_async", { signedTxBase64: await signedTransfer(sandbox) });
      await call(url, "tx", { txHash: hash, senderAccountId: "carol.sandbox", waitUntil: "EXECUTED" });
    });
    await sandbox.post("/pause");
  });

  it("every kind of query", async () => {
    const { hash: blockId } = blocks[blocks.length - 1].header;
    const { public_key: publicKey } = sandbox.key("bob.sandbox");
    await onBothHosts(async (url) => {
      const query = (params) => call(url, "query", params);
      for (const at of [{ finality: "optimistic" }, { finality: "final" }, { blockId }]) {
        await query({ ...at, requestType: "view_account", accountId: "bob.sandbox" });
        await query({ ...at, requestType: "view_code", accountId: "ft.sandbox" });
        await query({ ...at, requestType: "view_state", accountId: "ft.sandbox", prefixBase64: "" });
        await query({ ...at, requestType: "view_access_key", accountId: "bob.sandbox", publicKey });
        const { keys } = await query({ ...at, requestType: "view_access_key_list", accountId: "bob.sandbox" });
        assert.equal(keys.length, 2);
        const view = { accountId: "ft.sandbox", methodName: "ft_metadata", argsBase64: "" };
        const answer = await query({ ...at, requestType: "call_function", ...view });
        assert.equal(client.parseCallResultToJson(answer).symbol, "SBX");
      }
      assert.ok(await client.viewAccount(rpcOf(url), { accountId: "alice.sandbox" }));
      assert.ok(await client.viewAccessKey(rpcOf(url), { accountId: "bob.sandbox", publicKey }));
    });
  });

  // The last block alone of a past epoch tells its validators, so the chain stands still; its final block, two below the
  // newest one, may be of the epoch before.
  const validatorsOfTheFinalBlock = async (url) => {
    const asked = async () => {
      const { header } = await call(url, "block", { finality: "final" });
      return call(url, "validators", { blockId: header.hash });
    };
    return asked().catch(async () => {
      await sandbox.advance(5);
      return asked();
    });
  };

  it("the node and the network", async () => {
    const { header } = await call(sandbox.regular, "block", { finality: "final" });
    await onBothHosts(async (url) => {
      for (const method of ["status", "health", "network_info"]) await call(url, method);
      for (const blockId of [null, header.height, header.hash]) await call(url, "gas_price", { blockId });
      await call(url, "validators", "latest");
      await validatorsOfTheFinalBlock(url);
      await call(url, "validators", { epochId: header.epochId });
      for (const blockId of [null, header.hash]) await call(url, "EXPERIMENTAL_validators_ordered", { blockId });
      for (const prefix of ["", "EXPERIMENTAL_"]) {
        await call(url, `${prefix}genesis_config`);
        await call(url, `${prefix}maintenance_windows`, { accountId: "alice.sandbox" });
      }
      await call(url, "EXPERIMENTAL_protocol_config", { finality: "final" });
      await call(url, "EXPERIMENTAL_protocol_config", { blockId: header.height });
    });
  });

  it("what each block changed, how full its shards are", async () => {
    let kinds = new Set();
    for (const { header, chunks } of blocks) {
      const { changes } = await call(sandbox.archival, "block_effects", { blockId: header.hash });
      kinds = new Set([...kinds, ...changes.map((each) => each.type)]);
      const { chunkHash: chunkId } = chunks[0];
      await call(sandbox.archival, "EXPERIMENTAL_congestion_level", { chunkId });
    }
    assert.ok(kinds.has("account_touched") && kinds.has("access_key_touched"), [...kinds].join());
    for (const method of ["block_effects", "EXPERIMENTAL_changes_in_block"]) {
      await call(sandbox.regular, method, { finality: "final" });
    }
    const { height: blockId } = blocks[blocks.length - 1].header;
    const { shardId } = blocks[0].chunks[0];
    await call(sandbox.regular, "EXPERIMENTAL_congestion_level", { blockId, shardId });
  });

  it("the next block of a light client", async () => {
    const { hash: lastBlockHash, height } = blocks[1].header;
    await onBothHosts(async (url) => {
      const next = await call(url, "next_light_client_block", { lastBlockHash });
      assert.ok(next.innerLite.height > height);
      assert.equal(next.approvalsAfterNext.length, next.nextBps.length);
    });
  });

  it("light-client proofs of transactions and receipts", async () => {
    const { header } = await call(sandbox.regular, "block", { finality: "final" });
    await onBothHosts(async (url) => {
      for (const { hash, sender } of transactions.slice(0, 5)) {
        const about = {
          type: "transaction",
          transactionHash: hash,
          senderId: sender,
          lightClientHead: header.hash,
        };
        const proof = await call(url, "EXPERIMENTAL_light_client_proof", about);
        assert.equal(proof.outcomeProof.id, hash);
        const [receiptId] = proof.outcomeProof.outcome.receiptIds;
        if (receiptId === undefined) continue;
        const receipt = await call(url, "EXPERIMENTAL_receipt", { receiptId });
        const { receiverId } = receipt;
        const of = { type: "receipt", receiptId, receiverId, lightClientHead: header.hash };
        await call(url, "light_client_proof", of);
      }
    });
  });

  it("errors fit their schema as well", async () => {
    const camel = (value) => {
      if (Array.isArray(value)) return value.map(camel);
      if (value === null || typeof value !== "object") return value;
      const name = (key) => key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [name(key), camel(each)]));
    };
    for (const [method, params] of [
      ["no_such_method", {}],
      ["block", { finality: "soon" }],
      ["block", { block_id: unknown }],
      ["chunk", { chunk_id: unknown }],
      ["chunk", { block_id: blocks[0].header.height, shard_id: 999 }],
      ["tx", { tx_hash: unknown, sender_account_id: "alice.sandbox", wait_until: "NONE" }],
      ["query", { request_type: "view_account", finality: "final", account_id: "nobody.sandbox" }],
      ["EXPERIMENTAL_receipt", { receipt_id: unknown }],
      ["send_tx", ["AAAA"]],
    ]) {
      const { body } = await rawPost(sandbox.regular, { jsonrpc: "2.0", id: 1, method, params });
      assert.ok(RpcErrorSchema().safeParse(camel(body.error)).success, `${method}: ${JSON.stringify(body)}`);
    }
  });

  for (const { name, method, params, isRight, missing } of schemaBugs) {
    it(`schema bug: ${name}`, async () => {
      await sandbox.post("/resume");
      const asked = await params(sandbox);
      const snake = Object.fromEntries(Object.entries(asked).map(([key, value]) => [toSnake(key), value]));
      isRight(await rpc(sandbox.regular, method, snake));
      await assert.rejects(
        call(sandbox.regular, method, asked),
        (error) => /Response validation failed/.test(error.message) && missing.test(error.message),
      );
    });
  }

  it("no method of the package is left out", async () => {
    for (const method of notOffered) {
      const { body } = await rawPost(sandbox.regular, { jsonrpc: "2.0", id: 1, method, params: null });
      assert.equal(body.error?.cause.name, "METHOD_NOT_FOUND", method);
    }
    const missing = RPC_METHODS.filter((method) => !used.has(method) && !notOffered.includes(method));
    assert.deepEqual(missing, []);
  });
});

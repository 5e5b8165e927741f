// @near-js/jsonrpc-client, the validating variant, over living traffic: whatever happens on the chain, the
// answers about it fit the published schemas.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NearRpcClient, block, chunk, experimentalReceipt, experimentalTxStatus } from "@near-js/jsonrpc-client";
import { startSandbox } from "./support.mjs";

// Blocks from the newest down to the first.
async function* chain(client) {
  const genesis = "1".repeat(32);
  let shown = await block(client, { finality: "optimistic" });
  for (; shown.header.prevHash !== genesis; shown = await block(client, { blockId: shown.header.prevHash }))
    yield shown;
}

async function readAll(sandbox) {
  const client = new NearRpcClient({ endpoint: sandbox.archival, retries: 1 });
  const ends = new Map();
  let included = 0;
  for await (const { header, chunks } of chain(client)) {
    for (const { chunkHash: chunkId } of chunks.filter((each) => each.heightIncluded === header.height)) {
      const { transactions, receipts } = await chunk(client, { chunkId });
      if (receipts.length > 0) await experimentalReceipt(client, { receiptId: receipts[0].receiptId });
      for (const { hash: txHash, signerId: senderAccountId } of transactions) {
        included += 1;
        const { status } = await experimentalTxStatus(client, { txHash, senderAccountId, waitUntil: "NONE" });
        const end = typeof status === "string" ? status : Object.keys(status)[0];
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
    }
  }
  return { included, ends };
}

describe("@near-js/jsonrpc-client: living traffic", () => {
  for (const profile of ["mixed", "failures"]) {
    it(`profile ${profile}: blocks, chunks, transactions and receipts`, async () => {
      // Its schemas do not know gas keys, which came with protocol 85.
      const flags = ["--protocol-version", "84", "--traffic", profile, "--tps", "8", "--shards", "3", "--missing-chunks", "0.05"];
      const sandbox = await startSandbox({ blockTimeMs: 0, flags: [...flags, "--skipped-heights", "0.05"] });
      try {
        await sandbox.advance(40);
        const { included, ends } = await readAll(sandbox);
        assert.ok(included > 50, `${included} transactions`);
        assert.ok(ends.get("SuccessValue") > 0 && ends.get("Failure") > 0, JSON.stringify([...ends]));
      } finally {
        await sandbox.stop();
      }
    });
  }
});

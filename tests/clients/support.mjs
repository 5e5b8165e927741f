// Starts and ends a sandbox for the tests of one file, and what more than one file needs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { webcrypto } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Debian 12 has node 18, which keeps `crypto` behind a flag; both clients take it for granted.
globalThis.crypto ??= webcrypto;

const build = process.env.RECEIPTD_BUILD ?? fileURLToPath(new URL("../../build", import.meta.url));
const startTimeoutMs = 30_000;

// `near(1.5)`: that many tokens in yocto.
export const near = (tokens) => BigInt(Math.round(tokens * 1e6)) * 10n ** 18n;
export const tgas = (number) => BigInt(number) * 10n ** 12n;

// Resolves to {regular, archival, control} as soon as the program has printed them.
function untilReady(child) {
  let out = "";
  let complaints = "";
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`receiptd-sandbox ${why}\n${out}${complaints}`));
    const timer = setTimeout(() => fail("is not ready in time"), startTimeoutMs);
    child.stderr.on("data", (data) => (complaints = (complaints + data).slice(-4000)));
    child.on("error", (error) => fail(`cannot be started: ${error.message}`));
    child.on("exit", (code, signal) => fail(`ended (${code ?? signal})`));
    child.stdout.on("data", (data) => {
      out += data;
      const lines = [...out.matchAll(/^(regular|archival|control) (\S+)$/gm)];
      const urls = Object.fromEntries(lines.map((line) => line.slice(1)));
      if (!/^ready$/m.test(out) || Object.keys(urls).length < 3) return;
      clearTimeout(timer);
      child.removeAllListeners("exit");
      resolve(urls);
    });
  });
}

class Sandbox {
  constructor(child, urls, keys) {
    this.child = child;
    Object.assign(this, urls);
    this.keys = keys;
  }

  // {account, public_key, secret_key} of a ready-made account.
  key(account) {
    return this.keys.find((each) => each.account === account) ?? assert.fail(`${account} is not in --keys-out`);
  }

  async post(path, body = {}) {
    const answer = await fetch(new URL(path, this.control), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `POST ${path}: ${answer.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  }

  advance(blocks = 1) {
    return this.post("/advance", { blocks });
  }

  // Makes blocks until `done()` is true, one by one.
  async advanceUntil(done, atMost = 30) {
    for (let blocks = 0; blocks < atMost; ++blocks) {
      if (await done()) return;
      await this.advance();
    }
    assert.fail(`not there after ${atMost} blocks`);
  }

  stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return Promise.resolve();
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGTERM");
    return ended;
  }
}

// `blockTimeMs` 0: no blocks but those a test asks for (Sandbox.advance).
export async function startSandbox({ blockTimeMs = 50, flags = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "receiptd-clients-"));
  const keysFile = join(folder, "keys.json");
  const listeners = ["--listen", "--archival-listen", "--control-listen"].flatMap((flag) => [flag, "127.0.0.1:0"]);
  const rhythm = ["--block-time-ms", String(blockTimeMs)];
  const args = ["run", ...listeners, ...rhythm, "--keys-out", keysFile, ...flags];
  const child = spawn(join(build, "receiptd-sandbox"), args, { stdio: ["ignore", "pipe", "pipe"] });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  try {
    const urls = await untilReady(child);
    return new Sandbox(child, urls, JSON.parse(readFileSync(keysFile, "utf8")));
  } catch (error) {
    kill();
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// One JSON-RPC call as plain HTTP: {status, headers, body}, body parsed if it is JSON.
export async function rawPost(url, body, headers = {}) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  let parsed = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // stays text
  }
  return { status: answer.status, headers: answer.headers, body: parsed };
}

export async function rpc(url, method, params) {
  const { body } = await rawPost(url, { jsonrpc: "2.0", id: "support", method, params });
  assert.ok("result" in body, `${method}: ${JSON.stringify(body)}`);
  return body.result;
}

// Balance in yocto at the newest block.
export async function balanceOf(url, account) {
  const view = await rpc(url, "query", {
    request_type: "view_account",
    finality: "optimistic",
    account_id: account,
  });
  return BigInt(view.amount);
}

// Tokens of ft.sandbox at the newest block.
export async function tokensOf(url, account) {
  const view = await rpc(url, "query", {
    request_type: "call_function",
    finality: "optimistic",
    account_id: "ft.sandbox",
    method_name: "ft_balance_of",
    args_base64: Buffer.from(JSON.stringify({ account_id: account })).toString("base64"),
  });
  return BigInt(JSON.parse(Buffer.from(view.result).toString()));
}

// The cost of all outcomes of a transaction to its signer, once refunds are in.
export function feesOf(result) {
  const outcomes = [result.transaction_outcome, ...result.receipts_outcome];
  return outcomes.reduce((sum, each) => sum + BigInt(each.outcome.tokens_burnt), 0n);
}

// The receipts that failed: [{receiver, error}].
export function failedReceipts(result) {
  return result.receipts_outcome
    .filter(({ outcome }) => typeof outcome.status === "object" && "Failure" in outcome.status)
    .map(({ outcome }) => ({ receiver: outcome.executor_id, error: outcome.status.Failure }));
}

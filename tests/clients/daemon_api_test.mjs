// near-kit through the daemon's API: signs, hands in by POST /v1/transactions, sees the end on /v1/stream.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import { forgetNonce, nearOf } from "./near_kit.mjs";
import { startSandbox, tgas } from "./support.mjs";

const build = process.env.RECEIPTD_BUILD ?? fileURLToPath(new URL("../../build", import.meta.url));
const cluster = process.env.RECEIPTD_TEST_DATABASE;
const token = "the-token-of-the-clients";
const ends = new Set(["final", "rejected", "forwarding_failed", "expired", "dropped", "unknown"]);

const psql = (url, statement) =>
  execFileSync("psql", [url, "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement], { encoding: "utf8" });

async function until(what, condition) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const value = await condition();
    if (value) return value;
  }
  assert.fail(`never came true: ${what}`);
}

// The events of an open stream, one by one.
async function* eventsOf(answer) {
  let text = "";
  for await (const bytes of answer.body) {
    text += Buffer.from(bytes).toString();
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const fields = text
        .slice(0, end)
        .split("\n")
        .map((line) => line.split(/: (.*)/s));
      const event = Object.fromEntries(fields);
      if (event.data) yield { ...event, data: JSON.parse(event.data) };
    }
  }
}

describe("near-kit through POST /v1/transactions", { skip: !cluster && "RECEIPTD_TEST_DATABASE is not set" }, () => {
  const database = `clients_${process.pid}_${Date.now()}`;
  const folder = mkdtempSync(join(tmpdir(), "receiptd-api-"));
  let sandbox, daemon, api, alice;
  let log = "";

  before(async () => {
    psql(cluster, `CREATE DATABASE ${database}`);
    sandbox = await startSandbox({ blockTimeMs: 100 });
    const config = join(folder, "receiptd.toml");
    const upstreams = ["regular", "archival"].map(
      (kind) => `[[upstream]]\nname = "${kind}"\nkind = "${kind}"\nurl = "${sandbox[kind]}"\n`,
    );
    writeFileSync(
      config,
      `[chain]\nnetwork = "sandbox"\n${upstreams.join("")}[database]\nurl_env = "DATABASE"\n` +
        `[follow]\nstart = "head"\n[http]\nlisten = "127.0.0.1:0"\ntoken_env = "TOKEN"\n`,
    );
    const environment = { ...process.env, TOKEN: token, DATABASE: cluster.replace(/\/[^/?]*(\?|$)/, `/${database}$1`) };
    daemon = spawn(join(build, "receiptd"), ["run", "--config", config], { env: environment });
    daemon.stderr.on("data", (data) => (log += data));
    const listen = await until("the daemon listens", () => {
      assert.equal(daemon.exitCode, null, log);
      return log.match(/listen=(\S+)/);
    });
    api = `http://${listen[1]}`;
    await until("it is ready", async () => (await fetch(`${api}/readyz`)).ok);
    alice = nearOf(sandbox, "alice.sandbox");
  });

  after(async () => {
    if (daemon && daemon.exitCode === null) {
      const ended = new Promise((resolve) => daemon.once("exit", resolve));
      daemon.kill("SIGTERM");
      await ended;
    }
    await sandbox?.stop();
    rmSync(folder, { recursive: true, force: true });
    psql(cluster, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  });

  const submit = (signed, more = {}) =>
    fetch(`${api}/v1/transactions`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ signed_tx_base64: Buffer.from(signed.serialize()).toString("base64"), ...more }),
    });

  const streamOf = (signed) => fetch(`${api}/v1/stream?kind=transition&tx_hash=${signed.getHash()}`);

  // Hands it in and reads the stream up to its end: the stages it went through. `at` is told of each as it comes.
  async function follow(signed, at = () => {}) {
    const stream = await streamOf(signed);
    assert.equal(stream.headers.get("content-type"), "text/event-stream");
    const answer = await submit(signed);
    const submitted = await answer.json();
    assert.equal(answer.status, 202, JSON.stringify(submitted));
    assert.equal(submitted.tx_hash, signed.getHash());
    return toTheEnd(stream, at);
  }

  async function toTheEnd(stream, at = () => {}) {
    const seen = [];
    for await (const { data } of eventsOf(stream)) {
      seen.push(data);
      await at(data.to_stage);
      if (ends.has(data.to_stage)) break;
    }
    return seen;
  }

  it("a transfer goes from pending to final, and is told as it was", async () => {
    const signed = await alice.transaction("alice.sandbox").transfer("bob.sandbox", "1 yocto").sign();
    // A block that comes before a host was asked leaves "pending" out.
    await sandbox.post("/pause");
    const seen = await follow(signed, (stage) => stage === "pending" && sandbox.post("/resume"));
    assert.deepEqual(
      // An inclusion that is heard of before its block is final is confirmed by a second one.
      seen.filter(({ from_stage, to_stage }) => from_stage !== to_stage).map(({ to_stage }) => to_stage),
      ["pending", "included", "executing", "completed", "final"],
    );
    assert.equal(seen.at(-1).verdict, "succeeded");
    const told = await (await fetch(`${api}/v1/transactions/${signed.getHash()}`)).json();
    assert.equal(told.stage, "final");
    assert.equal(told.verdict, "succeeded");
    assert.equal(told.sender_id, "alice.sandbox");
    assert.equal(new Set(told.stages.map(({ to }) => to)).size, 5);
  });

  it("a callback that fails is told, though near-kit's own answer is a success", async () => {
    const program = [
      { call: { account: "script.sandbox", run: [], as: "call" } },
      { then: { after: "call", account: "script.sandbox", run: [{ panic: "the callback fails" }], as: "callback" } },
    ];
    const signed = await alice
      .transaction("alice.sandbox")
      .functionCall("script.sandbox", "run", program, { gas: `${tgas(200)}` })
      .sign();
    const seen = await follow(signed);
    assert.equal(seen.at(-1).verdict, "callback_failed");
    const { findings } = await (await fetch(`${api}/v1/findings?tx_hash=${signed.getHash()}`)).json();
    assert.equal(findings.length, 1);
    assert.equal(findings[0].role, "callback");
    assert.match(findings[0].error_text, /the callback fails/);
  });

  it("the same bytes twice are one submission", async () => {
    const signed = await alice.transaction("alice.sandbox").transfer("bob.sandbox", "2 yocto").sign();
    const stream = await streamOf(signed);
    const first = await submit(signed, { idempotency_key: "once" });
    assert.equal(first.status, 202);
    const second = await submit(signed, { idempotency_key: "once" });
    assert.equal(second.status, 200);
    assert.equal((await second.json()).existing, true);
    const other = await alice.transaction("alice.sandbox").transfer("bob.sandbox", "3 yocto").sign();
    assert.equal((await submit(other, { idempotency_key: "once" })).status, 409);
    const seen = await toTheEnd(stream);
    assert.equal(seen.at(-1).to_stage, "final");
    forgetNonce(sandbox, "alice.sandbox");
  });

  it("a nonce that is used already is refused with its remedy, before anything is sent", async () => {
    const first = await alice.transaction("alice.sandbox").transfer("bob.sandbox", "4 yocto").sign();
    forgetNonce(sandbox, "alice.sandbox");
    const second = await alice.transaction("alice.sandbox").transfer("bob.sandbox", "5 yocto").sign();
    await follow(first);
    const answer = await submit(second);
    const problem = await answer.json();
    assert.equal(answer.status, 422, JSON.stringify(problem));
    assert.equal(problem.error_class, "invalid_nonce");
    assert.match(problem.remedy, /nonce/);
    assert.equal((await fetch(`${api}/v1/watches/${second.getHash()}`)).status, 404);
    forgetNonce(sandbox, "alice.sandbox");
  });

  it("without the token nothing is handed in", async () => {
    const answer = await fetch(`${api}/v1/transactions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get("content-type"), "application/problem+json");
    assert.ok(!readFileSync(join(folder, "receiptd.toml"), "utf8").includes(token) && !log.includes(token));
  });
});

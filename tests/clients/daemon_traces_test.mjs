// What a daemon sends as traces, read by OpenTelemetry's own decoder.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import { startSandbox } from "./support.mjs";

const require = createRequire(import.meta.url);
// The decoder that comes with OpenTelemetry's exporters; they make it from opentelemetry-proto.
const { opentelemetry } = require("@opentelemetry/otlp-transformer/build/src/generated/root");
const Request = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

const build = process.env.RECEIPTD_BUILD ?? fileURLToPath(new URL("../../build", import.meta.url));
const cluster = process.env.RECEIPTD_TEST_DATABASE;
const psql = (url, statement) =>
  execFileSync("psql", [url, "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement], { encoding: "utf8" });

// Ids are hexadecimal in OTLP's JSON, and base64 in that of Protobuf.
const isId = (name) => name === "traceId" || name === "spanId" || name === "parentSpanId";
function withIds(value, change) {
  if (Array.isArray(value)) return value.map((each) => withIds(each, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isId(name) ? change(member) : withIds(member, change)]),
  );
}

// A member that the decoder does not know, or of another type, would not come back.
function decoded(body) {
  const sent = JSON.parse(body);
  const message = withIds(sent, (hex) => Buffer.from(hex, "hex"));
  const bytes = Request.encode(Request.fromObject(message)).finish();
  const read = Request.toObject(Request.decode(bytes), { longs: String, enums: Number, bytes: String });
  assert.deepEqual(withIds(JSON.parse(JSON.stringify(read)), (base64) => Buffer.from(base64, "base64").toString("hex")), sent);
  return sent.resourceSpans.flatMap((resource) => resource.scopeSpans.flatMap((scope) => scope.spans));
}

describe("traces of failing trees", { skip: !cluster && "RECEIPTD_TEST_DATABASE is not set" }, () => {
  const database = `clients_${process.pid}_${Date.now()}`;
  const folder = mkdtempSync(join(tmpdir(), "receiptd-traces-"));
  const bodies = [];
  let sandbox, daemon, collector;
  let log = "";

  before(async () => {
    psql(cluster, `CREATE DATABASE ${database}`);
    sandbox = await startSandbox({ blockTimeMs: 50, flags: ["--genesis-time", "now", "--traffic", "failures", "--tps", "20", "--seed", "3"] });
    collector = createServer((request, response) => {
      let body = "";
      request.on("data", (data) => (body += data));
      request.on("end", () => {
        bodies.push(body);
        response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
      });
    });
    await new Promise((resolve) => collector.listen(0, "127.0.0.1", resolve));
    const config = join(folder, "receiptd.toml");
    const upstreams = ["regular", "archival"].map(
      (kind) => `[[upstream]]\nname = "${kind}"\nkind = "${kind}"\nurl = "${sandbox[kind]}"\n`,
    );
    writeFileSync(
      config,
      `[chain]\nnetwork = "sandbox"\n${upstreams.join("")}[database]\nurl_env = "DATABASE"\n[follow]\nstart = "head"\n` +
        `[http]\nlisten = "127.0.0.1:0"\n[traces]\notlp_url = "http://127.0.0.1:${collector.address().port}"\nsample = 1.0\n`,
    );
    const environment = { ...process.env, DATABASE: cluster.replace(/\/[^/?]*(\?|$)/, `/${database}$1`) };
    daemon = spawn(join(build, "receiptd"), ["run", "--config", config], { env: environment });
    daemon.stderr.on("data", (data) => (log += data));
  });

  after(async () => {
    if (daemon?.exitCode === null) {
      daemon.kill("SIGKILL");
      await new Promise((resolve) => daemon.once("exit", resolve));
    }
    await sandbox?.stop();
    collector?.close();
    psql(cluster, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    rmSync(folder, { recursive: true, force: true });
  });

  it("are messages of opentelemetry-proto, each whole", async () => {
    const spans = [];
    for (const end = Date.now() + 60_000; spans.length < 200 && Date.now() < end; await new Promise((r) => setTimeout(r, 20)))
      while (bodies.length > 0) spans.push(...decoded(bodies.shift()));
    assert.ok(spans.length >= 200, log.slice(-3000));
    assert.ok(spans.some((span) => span.status?.code === 2 && span.status.message.length > 0));
    assert.ok(spans.some((span) => span.links?.length > 0));
    const known = new Set(spans.map((span) => `${span.traceId} ${span.spanId}`));
    for (const span of spans) if (span.parentSpanId) assert.ok(known.has(`${span.traceId} ${span.parentSpanId}`));
  });
});

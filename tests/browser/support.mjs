// Every file here begins with this and ends it: a sandbox with traffic, a daemon on it with a database of its own, and
// Debian's Chromium before its page.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../../", import.meta.url));
const build = process.env.RECEIPTD_BUILD ?? join(root, "build");
export const screenshots = join(root, "build", "screenshots");
export const token = "the-token-of-the-browser-tests";
export const phone = { width: 360, height: 740 };
export const desk = { width: 1280, height: 900 };

const deadlineMs = 120_000;

// A text that a stranger may write into a method, a log, an event, a panic or, through a host that lies, an account.
export const hostile =
  `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script></script></title></svg>` +
  `<style>*{display:none}</style>{{{body}}}&lt;b&gt;'\u202Egnp.exe\u2066`;

export async function until(what, condition) {
  const end = Date.now() + deadlineMs;
  while (Date.now() < end) {
    const value = await condition();
    if (value) return value;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`never came true: ${what}`);
}

function start(program, args, out) {
  const child = spawn(join(build, program), args, { stdio: ["ignore", "pipe", "pipe"] });
  child.text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (child.text += data));
  child.stop = () =>
    new Promise((done) => {
      if (child.exitCode !== null || child.signalCode !== null) return done();
      child.once("exit", done);
      child.kill("SIGTERM");
    });
  return until(`${program} is ready`, () => {
    assert.equal(child.exitCode, null, child.text);
    return out.test(child.text) && child;
  });
}

function psql(url, query) {
  const done = spawnSync("psql", [url, "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", query], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim();
}

// Text as an SQL literal.
export const literal = (text) => `'${text.replaceAll("'", "''")}'`;

// A chain is three things: how the sandbox makes it, how the daemon follows it, and a question that is true once there is
// something to look at.
const living = {
  sandbox: () => ["run", "--control-listen", "127.0.0.1:0", "--block-time-ms", "200", "--traffic", "mixed", "--tps", "25", "--seed", "5",
    "--genesis-time", "now"],
  follow: () => 'source = "rpc"\nscope = "all"\nstart = 100000001',
  isReady: "SELECT count(*) > 2 FROM transaction_results WHERE verdict = 'callback_failed'",
};
// A tree of 82 receipts and one of seven contracts, of real nodes.
export const recorded = {
  sandbox: (folder) => {
    const archive = join(root, "tests/data/recorded/nearcore-84/wide_and_deep.tar.xz");
    const unpacked = spawnSync("tar", ["xJf", archive, "-C", folder], { encoding: "utf8" });
    assert.equal(unpacked.status, 0, unpacked.stderr);
    return ["replay", "--whole-blocks", join(folder, "whole-block"), "--chain-id", "sandbox"];
  },
  follow: (hosts) => `source = "neardata"\nscope = "all"\nstart = 1291\n[neardata]\nurl = "${hosts.archival}"`,
  isReady: "SELECT max(block_height) = 1318 FROM blocks",
};

const configuration = (chain, folder, hosts, database, receiver) => `
[chain]
network = "sandbox"
[[upstream]]
name = "regular"
kind = "regular"
url = "${hosts.regular}"
[[upstream]]
name = "archival"
kind = "archival"
url = "${hosts.archival}"
[database]
url_file = "${database}"
[follow]
${chain.follow(hosts)}
[http]
listen = "127.0.0.1:0"
token_file = "${folder}/token"
[[watch]]
name = "everything"
signer = "*"
[[endpoint]]
name = "ops"
url = "${receiver}/ops"
secret_file = "${folder}/webhook.secret"
allow_private = true
[[endpoint]]
name = "pager"
url = "${receiver}/pager"
secret_file = "${folder}/webhook.secret"
allow_private = true
[[endpoint]]
name = "team"
url = "${receiver}/team"
secret_file = "${folder}/webhook.secret"
allow_private = true
group = ["receiver"]
`;

function secretFile(folder, name, text) {
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
}

// Takes every webhook but those of /pager.
async function startReceiver() {
  const server = createServer((request, answer) => {
    request.resume();
    request.on("end", () => answer.writeHead(request.url === "/pager" ? 500 : 204).end());
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

// {url, query, close}: a daemon that has findings of several kinds.
export async function startDaemon(chain = living) {
  const maintenance = process.env.RECEIPTD_TEST_DATABASE;
  assert.ok(maintenance, "RECEIPTD_TEST_DATABASE is not set: ./dev browser starts a cluster");
  const folder = mkdtempSync(join(tmpdir(), "receiptd-browser-"));
  const name = `browser_${randomBytes(6).toString("hex")}`;
  psql(maintenance, `CREATE DATABASE ${name}`);
  const database = maintenance.replace(/^(\w+:\/\/[^/]*)\/[^?]*/, `$1/${name}`);
  secretFile(folder, "token", token);
  secretFile(folder, "webhook.secret", `whsec_${Buffer.alloc(32, 7).toString("base64")}`);
  const receiver = await startReceiver();
  const sandbox = await start("receiptd-sandbox", [...chain.sandbox(folder), "--listen", "127.0.0.1:0", "--archival-listen", "127.0.0.1:0",
    "--quiet"], /^archival \S+$/m);
  const hosts = Object.fromEntries([...sandbox.text.matchAll(/^(regular|archival) (\S+)$/gm)].map((line) => line.slice(1)));
  const config = join(folder, "receiptd.toml");
  writeFileSync(config, configuration(chain, folder, hosts, secretFile(folder, "database.url", database),
    `http://127.0.0.1:${receiver.address().port}`));
  const migrated = spawnSync(join(build, "receiptd"), ["migrate", "--config", config], { encoding: "utf8" });
  assert.equal(migrated.status, 0, migrated.stderr);
  const daemon = await start("receiptd", ["run", "--config", config], /listen=\S+/);
  const query = (text) => psql(database, text);
  await until("there are transactions to look at", () => query(chain.isReady) === "t");
  const close = async () => {
    await daemon.stop();
    await sandbox.stop();
    receiver.close();
    psql(maintenance, `DROP DATABASE ${name} WITH (FORCE)`);
    rmSync(folder, { recursive: true });
  };
  return { url: `http://${/listen=(\S+)/.exec(daemon.text)[1]}`, query, close };
}

function startBrowser() {
  mkdirSync(screenshots, { recursive: true });
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
  });
}

export let daemon;
let browser;
let starting;
// Done when the daemon and the browser are there. Some versions of node begin a hook before the one above it has ended.
export const started = () =>
  (starting ??= (async () => {
    daemon = await startDaemon();
    browser = await startBrowser();
  })());
before(started);
after(async () => {
  await browser?.close();
  await daemon?.close();
});

// A page on which every complaint of the browser, and every request that leaves its daemon, is a failure.
export async function openPage(options = {}, of = daemon) {
  const context = await browser.newContext({ viewport: desk, baseURL: of.url, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (message) => {
    // Answers that a test provokes (404, 401, 503) are told there, too.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) page.complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(of.url) && !request.url().startsWith("data:")) page.complaints.push(request.url());
  });
  page.done = async () => {
    assert.deepEqual(page.complaints, []);
    await context.close();
  };
  return page;
}

// The group with the most alerts.
export const grouped = () => daemon.query("SELECT group_id FROM alert_groups ORDER BY members DESC LIMIT 1");

// The number of a silence that lasts, for nothing that the sandbox does.
export const silenced = (reason) =>
  daemon.query(`INSERT INTO silences (matcher, starts_at, ends_at, reason, author)
    VALUES ('{"contract":["*.dex.near","dex.near"],"kind":["failed_receipt"]}', now(), now() + interval '2 hours', ${literal(reason)},
      'eve') RETURNING silence_id`);

// A transaction with this verdict that is over.
export const judged = (verdict, order = "block_time DESC") =>
  daemon.query(`SELECT tx_hash FROM transaction_results WHERE verdict = '${verdict}' ORDER BY ${order}, tx_hash LIMIT 1`);

export const axeSource = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

// The receivers of docs/receivers in Node (with the npm package standardwebhooks) and Python take what a daemon sends,
// before, during and after a change of the secret. So do those in Go and Rust, where their compiler and libraries are
// there already: nothing is fetched.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startSandbox } from "./support.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const build = process.env.RECEIPTD_BUILD ?? join(here, "../../build");
const receivers = join(here, "../../docs/receivers");
const cluster = process.env.RECEIPTD_TEST_DATABASE;
const secretOf = (byte) => "whsec_" + Buffer.alloc(32, byte).toString("base64");
const oldSecret = secretOf(1);
const newSecret = secretOf(2);

const psql = (url, statement) =>
  execFileSync("psql", [url, "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement], { encoding: "utf8" });

async function until(what, condition) {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const value = await condition();
    if (value) return value;
  }
  assert.fail(`never came true: ${what}`);
}

function stop(child, signal = "SIGTERM") {
  if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  return ended;
}

// How a receiver that needs a compiler is made: what gets its libraries without a network, and what compiles it.
const toolchains = {
  go: {
    source: "receiver.go",
    libraries: [
      ["go", "mod", "init", "receiver"],
      ["go", "get", "github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1"],
    ],
    compile: ["go", "build", "-o", "receiver", "."],
    program: "receiver",
    tooOld: /note: module requires Go/,
  },
  rust: {
    source: "src/main.rs",
    libraries: [
      ["cargo", "init", "--vcs", "none", "--name", "receiver", "."],
      ["cargo", "add", "--offline", "standardwebhooks@1", "http@1", "tiny_http@0.12"],
      ["cargo", "fetch", "--offline"],
    ],
    compile: ["cargo", "build", "--offline"],
    program: "target/debug/receiver",
    tooOld: /requires rustc \d|is not supported by the following package/,
  },
};
const offline = { ...process.env, GOPROXY: "off", GOSUMDB: "off", GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" };

// {program}, or {missing}: why it cannot be made here. A source that does not compile is an error.
function compiled(folder, language) {
  const { source, libraries, compile, program, tooOld } = toolchains[language];
  const place = join(folder, language);
  mkdirSync(place);
  const run = ([command, ...args]) => spawnSync(command, args, { cwd: place, env: offline, encoding: "utf8" });
  for (const step of libraries) {
    const done = run(step);
    if (done.error) return { missing: `${step[0]} is not here` };
    if (done.status !== 0) return { missing: `${step.join(" ")}: ${done.stderr.trim().split("\n").pop()}` };
  }
  cpSync(join(receivers, language === "go" ? "receiver.go" : "receiver.rs"), join(place, source));
  const done = run(compile);
  if (tooOld.test(done.stderr)) return { missing: `the compiler is too old: ${done.stderr.trim().split("\n").pop()}` };
  assert.equal(done.status, 0, done.stderr);
  return { program: [join(place, program)] };
}

// A receiver that has one of the secrets.
class Receiver {
  constructor(folder, { program }, name, secret) {
    Object.assign(this, { name, inbox: join(folder, `${name}.tsv`), said: "" });
    this.child = spawn(program[0], program.slice(1), {
      env: { ...process.env, RECEIPTD_SECRET: secret, INBOX: this.inbox, PORT: "0" },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on("data", (data) => (this.said += data));
  }

  async ready() {
    const found = await until(`${this.name} listens`, () => {
      assert.equal(this.child.exitCode, null, this.said);
      return this.said.match(/listening on (\d+)/);
    });
    this.port = found[1];
  }

  get refusals() {
    return this.said.split("refused: ").length - 1;
  }

  // [id, body] of each message that it has taken.
  messages() {
    if (!existsSync(this.inbox)) return [];
    const lines = readFileSync(this.inbox, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => line.split("\t").reverse());
  }

  takesMore(messages) {
    const had = this.messages().length;
    return until(`${this.name} takes more`, () => this.messages().length >= had + messages);
  }
}

describe("docs/receivers", { skip: !cluster && "RECEIPTD_TEST_DATABASE is not set" }, () => {
  const database = `receivers_${process.pid}_${Date.now()}`;
  const folder = mkdtempSync(join(tmpdir(), "receiptd-receivers-"));
  const made = {
    node: { program: ["node", join(folder, "receiver.mjs")] },
    python: { program: ["python3", join(folder, "receiver.py")] },
    go: compiled(folder, "go"),
    rust: compiled(folder, "rust"),
  };
  const languages = Object.keys(made).filter((language) => made[language].program);
  const config = join(folder, "receiptd.toml");
  const environment = { ...process.env, DATABASE: cluster?.replace(/\/[^/?]*(\?|$)/, `/${database}$1`) };
  let sandbox, daemon, all, withOld, withNew;
  let log = "";

  // The secrets that the daemon signs with: one, or the newer and the older.
  function configure([secret, previous]) {
    const put = (name, text) => writeFileSync(join(folder, name), text, { mode: 0o600 });
    put("secret", secret);
    if (previous) put("previous", previous);
    const upstreams = ["regular", "archival"].map(
      (kind) => `[[upstream]]\nname = "${kind}"\nkind = "${kind}"\nurl = "${sandbox[kind]}"\n`,
    );
    const endpoints = all.map(
      ({ name, port }) =>
        `[[endpoint]]\nname = "${name}"\nurl = "http://127.0.0.1:${port}/hook"\nallow_private = true\n` +
        `secret_file = "secret"\n${previous ? 'previous_secret_file = "previous"\n' : ""}` +
        `retry = [${Array(20).fill('"100ms"').join(", ")}]\n`,
    );
    writeFileSync(
      config,
      `[chain]\nnetwork = "sandbox"\n${upstreams.join("")}[neardata]\nurl = "${sandbox.archival}"\n` +
        `[database]\nurl_env = "DATABASE"\n[follow]\nsource = "neardata"\nstart = "head"\n` +
        `[http]\nlisten = "127.0.0.1:0"\n${endpoints.join("")}`,
    );
  }

  async function reload(secrets) {
    configure(secrets);
    const reloads = () => log.split("reloaded").length;
    const had = reloads();
    daemon.kill("SIGHUP");
    await until("the daemon has other secrets", () => reloads() >= had + all.length);
  }

  before(async () => {
    psql(cluster, `CREATE DATABASE ${database}`);
    for (const file of ["receiver.mjs", "receiver.py"]) cpSync(join(receivers, file), join(folder, file));
    symlinkSync(join(here, "node_modules"), join(folder, "node_modules"));
    const flags = ["--traffic", "failures", "--tps", "20", "--seed", "3", "--genesis-time", "now"];
    sandbox = await startSandbox({ flags });
    withOld = languages.map((language) => new Receiver(folder, made[language], `${language}_old`, oldSecret));
    withNew = languages.map((language) => new Receiver(folder, made[language], `${language}_new`, newSecret));
    all = [...withOld, ...withNew];
    for (const receiver of all) await receiver.ready();
    configure([oldSecret]);
    daemon = spawn(join(build, "receiptd"), ["run", "--config", config], { env: environment });
    daemon.stderr.on("data", (data) => (log += data));
  });

  after(async () => {
    await stop(daemon);
    for (const { child } of all ?? []) await stop(child);
    await sandbox?.stop();
    rmSync(folder, { recursive: true, force: true });
    if (cluster) psql(cluster, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  });

  it("take what is signed with their secret, before, during and after its change", async () => {
    for (const receiver of withOld) await receiver.takesMore(5);
    for (const receiver of withNew) await until("it refuses", () => receiver.refusals > 0);
    for (const receiver of withNew) assert.deepEqual(receiver.messages(), [], receiver.name);
    await reload([newSecret, oldSecret]);
    for (const receiver of all) await receiver.takesMore(20); // more than were under way
    await reload([newSecret]);
    const refused = withOld.map((receiver) => receiver.refusals);
    for (const receiver of withNew) await receiver.takesMore(20);
    for (const [i, receiver] of withOld.entries()) await until("it refuses", () => receiver.refusals > refused[i]);
    assert.ok(!log.includes(oldSecret.slice(6)) && !log.includes(newSecret.slice(6)));
  });

  it("take a message once, however often it is sent", async () => {
    const ids = withNew.map((receiver) => receiver.messages()[0][0]);
    const some = ids.map((id) => `'${id}'`).join(", ");
    const resentAt = psql(environment.DATABASE, "SELECT clock_timestamp()").trim();
    execFileSync(join(build, "receiptd"), ["alerts", "resend", "--config", config, ...ids], { env: environment, stdio: "ignore" });
    const late = `endpoint LIKE '%_new' AND alert_id IN (${some}) AND delivered_at IS DISTINCT FROM greatest(delivered_at, '${resentAt}')`;
    await until("all are sent again", () => psql(environment.DATABASE, `SELECT count(*) FROM deliveries WHERE ${late}`).trim() === "0");
    for (const receiver of all) {
      const messages = receiver.messages();
      assert.equal(new Set(messages.map(([id]) => id)).size, messages.length, receiver.name);
      for (const [, body] of messages) assert.match(JSON.parse(body).type, /^finding\./);
    }
  });

  it("refuse what is changed, too old, too large or signed with another secret", async () => {
    for (const receiver of withNew) {
      const had = receiver.messages().length;
      const [, body] = receiver.messages()[0];
      const send = (headers, text = body) =>
        fetch(`http://127.0.0.1:${receiver.port}/`, { method: "POST", headers, body: text }).then(({ status }) => status);
      const { Webhook } = await import("standardwebhooks");
      const signed = (secret, at, id) => ({
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at / 1000)),
        "webhook-signature": new Webhook(secret).sign(id, new Date(at), body),
      });
      const now = Date.now();
      assert.equal(await send(signed(oldSecret, now, "a")), 401);
      assert.equal(await send(signed(newSecret, now - 301_000, "b")), 401);
      assert.equal(await send(signed(newSecret, now + 330_000, "c")), 401);
      assert.equal(await send(signed(newSecret, now, "d"), body.replace("finding", "Finding")), 401);
      assert.equal(await send({ ...signed(newSecret, now, "e"), "webhook-signature": "v1," }), 401);
      assert.equal(await send({}), 401);
      assert.equal(await send(signed(newSecret, now, "f"), "x".repeat(300 * 1024)), 413);
      const taken = receiver.messages().slice(had).map(([id]) => id);
      assert.ok(!taken.some((id) => id.length === 1), taken.join());
      assert.equal(await send(signed(newSecret, now, "g")), 204);
      assert.equal(await send(signed(newSecret, now, "g")), 204);
      assert.equal(receiver.messages().filter(([id]) => id === "g").length, 1, receiver.name);
    }
  });

  for (const language of Object.keys(made))
    it(`in ${language} starts with a secret only`, { skip: made[language].missing }, () => {
      const [command, ...args] = made[language].program;
      for (const secret of ["", "whsec_"]) {
        const done = spawnSync(command, args, {
          env: { ...process.env, RECEIPTD_SECRET: secret, INBOX: join(folder, "none.tsv"), PORT: "0" },
          timeout: 60_000,
        });
        assert.ok(done.status > 0, `${language} took ${JSON.stringify(secret)}: ${done.stdout}`);
      }
    });
});

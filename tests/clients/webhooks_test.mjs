// Alerts as a receiver gets them, checked by the reference library of Standard Webhooks.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";

const here = dirname(fileURLToPath(import.meta.url));
const build = process.env.RECEIPTD_BUILD ?? join(here, "../../build");
const secret = "whsec_" + Buffer.alloc(32, 9).toString("base64");
const alerts = join(here, "../data/alerts");

// Keeps every request and answers as it is told.
class Receiver {
  requests = [];
  status = 200;
  headers = {};

  async start() {
    this.server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (data) => (body += data));
      request.on("end", () => {
        this.requests.push({ method: request.method, url: request.url, headers: request.headers, body });
        response.writeHead(this.status, this.headers).end();
      });
    });
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}/hook?team=ops`;
  }

  stop() {
    this.server.closeAllConnections?.();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

function post(url, id, body, flags = []) {
  const child = spawn(join(build, "post-webhook"), [url, id, ...flags], {
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(body);
  let said = "";
  child.stdout.on("data", (data) => (said += data));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(said.trim()));
  });
}

const receiver = new Receiver();
before(() => receiver.start());
after(() => receiver.stop());

for (const name of ["failed_callback", "open_tree", "expired", "forgotten"]) {
  test(`the library verifies ${name} and gives its content`, async () => {
    const content = JSON.parse(readFileSync(join(alerts, `${name}.json`), "utf8"));
    const id = content.data.finding.finding_id;
    receiver.requests = [];
    assert.equal(await post(receiver.url, id, JSON.stringify(content)), "200");
    const [request] = receiver.requests;
    assert.equal(request.method, "POST");
    assert.equal(request.url, "/hook?team=ops");
    assert.equal(request.headers["content-type"], "application/json");
    assert.equal(request.headers["webhook-id"], id);
    assert.deepEqual(new Webhook(secret).verify(request.body, request.headers), content);
  });
}

test("another secret, a changed body and another id are refused", async () => {
  receiver.requests = [];
  await post(receiver.url, "expired:tx", '{"amount":1}');
  const [{ body, headers }] = receiver.requests;
  const other = new Webhook("whsec_" + Buffer.alloc(32, 8).toString("base64"));
  assert.throws(() => other.verify(body, headers));
  assert.throws(() => new Webhook(secret).verify('{"amount":2}', headers));
  assert.throws(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": "expired:ty" }));
});

test("a redirect is not followed", async () => {
  receiver.requests = [];
  Object.assign(receiver, { status: 307, headers: { Location: receiver.url } });
  assert.equal(await post(receiver.url, "expired:tx", "{}"), "307");
  assert.equal(receiver.requests.length, 1);
  Object.assign(receiver, { status: 200, headers: {} });
});

test("a loopback address is refused unless it is allowed", async () => {
  receiver.requests = [];
  assert.match(await post(receiver.url, "expired:tx", "{}", ["public"]), /127\.0\.0\.1 is loopback/);
  assert.equal(receiver.requests.length, 0);
});

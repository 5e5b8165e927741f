// The transport of gateway.md §4-5 end to end, with and without a client library: keys in both forms on both
// hosts, limits, envelopes.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { NearRpcClient, status } from "@near-js/jsonrpc-client";
import { providerOf } from "./near_api_js.mjs";
import { nearKitError, nearOf } from "./near_kit.mjs";
import { rawPost, startSandbox } from "./support.mjs";

const request = (id = 1) => ({ jsonrpc: "2.0", id, method: "gas_price", params: [null] });
const bearer = (key) => ({ Authorization: `Bearer ${key}` });
const withKey = (url, key) => {
  const keyed = new URL(url);
  keyed.searchParams.set("apiKey", key);
  return keyed.toString();
};

describe("transport: keys", () => {
  let open, closed;
  before(async () => {
    const keys = ["--api-key", "first-key", "--api-key", "second-key"];
    [open, closed] = await Promise.all([
      startSandbox({ flags: keys }),
      startSandbox({ flags: [...keys, "--require-key", "--seed", "2"] }),
    ]);
  });
  after(() => Promise.all([open?.stop(), closed?.stop()]));

  it("a key is good in both forms on every host, for JSON-RPC and whole blocks", async () => {
    for (const sandbox of [open, closed]) {
      for (const url of [sandbox.regular, sandbox.archival]) {
        for (const key of ["first-key", "second-key"]) {
          assert.equal((await rawPost(url, request(), bearer(key))).status, 200);
          assert.equal((await rawPost(withKey(url, key), request())).status, 200);
          const head = new URL("/v0/last_block/final", url);
          assert.equal((await fetch(withKey(head, key))).status, 200);
          assert.equal((await fetch(head, { headers: bearer(key) })).status, 200);
        }
      }
    }
  });

  it("without a key public reads work, unless a key is required", async () => {
    assert.equal((await rawPost(open.regular, request())).status, 200);
    const refused = await rawPost(closed.regular, request());
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  });

  it("a wrong key is refused in both forms on every host, and not repeated in the answer", async () => {
    for (const url of [open.regular, open.archival]) {
      for (const answer of [
        await rawPost(url, request(), bearer("wrong")),
        await rawPost(withKey(url, "wrong"), request()),
      ]) {
        assert.equal(answer.status, 401);
        assert.ok(!JSON.stringify(answer.body).includes("wrong"), JSON.stringify(answer.body));
      }
    }
  });

  it("the clients send a key as a header", async () => {
    const headers = bearer("first-key");
    assert.equal((await providerOf(closed.regular, headers).viewNodeStatus()).chain_id, "sandbox");
    assert.equal((await nearOf(closed, "alice.sandbox", { headers }).getStatus()).chain_id, "sandbox");
    const client = new NearRpcClient({ endpoint: closed.regular, headers });
    assert.equal((await status(client)).chainId, "sandbox");
  });

  it("the clients send a key in the URL", async () => {
    const url = withKey(closed.archival, "second-key");
    assert.equal((await providerOf(url).viewNodeStatus()).chain_id, "sandbox");
    assert.equal((await nearOf(closed, "alice.sandbox", { url }).getStatus()).chain_id, "sandbox");
    assert.equal((await status(new NearRpcClient(url))).chainId, "sandbox");
  });

  it("the clients without a key, or with a wrong one, are told so", async () => {
    await assert.rejects(
      nearOf(closed, "alice.sandbox").getStatus(),
      nearKitError("NETWORK_ERROR", { statusCode: 401, retryable: false }),
    );
    // near-api-js parses whatever comes with 401 as JSON-RPC.
    await assert.rejects(providerOf(closed.regular, bearer("wrong")).viewNodeStatus());
  });
});

describe("transport: limits", () => {
  let sandbox;
  before(async () => {
    sandbox = await startSandbox({ flags: ["--rate-limit", "4", "--api-key", "paid"] });
  });
  after(() => sandbox?.stop());

  it("past the limit 429 with Retry-After, for one caller and not for another", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => rawPost(sandbox.regular, request())));
    const refused = answers.filter((each) => each.status === 429);
    assert.ok(refused.length > 0 && refused.length < 100, `${refused.length} of 100`);
    for (const each of refused) assert.match(each.headers.get("retry-after"), /^[1-9][0-9]*$/);
    assert.equal((await rawPost(sandbox.regular, request(), bearer("paid"))).status, 200);
    await assert.rejects(
      Promise.all(Array.from({ length: 60 }, () => providerOf(sandbox.regular).viewGasPrice())),
      (error) => error.cause === 429,
    );
    await assert.rejects(
      Promise.all(Array.from({ length: 60 }, () => nearOf(sandbox, "alice.sandbox").rpc.getGasPrice())),
      nearKitError("NETWORK_ERROR", { statusCode: 429, retryable: true }),
    );
  });
});

describe("transport: envelopes", () => {
  let sandbox;
  before(async () => {
    sandbox = await startSandbox();
  });
  after(() => sandbox?.stop());

  it("the id comes back as it was, whatever it is", async () => {
    for (const id of ["abc", "", 0, 7, -1, 1.5, null, "dontcare", { a: [1] }, [2]]) {
      const { body } = await rawPost(sandbox.regular, request(id));
      assert.deepEqual(body.id, id);
      assert.equal(body.jsonrpc, "2.0");
    }
    const { body } = await rawPost(sandbox.regular, { ...request("x"), method: "nope" });
    assert.equal(body.id, "x");
  });

  it("what is no request is refused as a node refuses it", async () => {
    const parseError = async (value) => {
      const { status: code, body } = await rawPost(sandbox.regular, value);
      assert.equal(code, 400);
      assert.equal(body.error.cause.name, "PARSE_ERROR");
      assert.equal(body.id, null);
    };
    await parseError([request()]);
    await parseError({ ...request(), jsonrpc: "1.0" });
    await parseError({ ...request(), surplus: 1 });
    const { id: _, ...notification } = request();
    await parseError(notification);
    const broken = await rawPost(sandbox.regular, '{"jsonrpc":');
    assert.equal(broken.status, 400);
    assert.equal(typeof broken.body, "string");
  });

  it("a node's status codes: 400, 408, 422, and 200 for the other errors", async () => {
    const codeOf = async (method, params) =>
      (await rawPost(sandbox.regular, { jsonrpc: "2.0", id: 1, method, params })).status;
    assert.equal(await codeOf("no_such_method", {}), 400);
    assert.equal(await codeOf("block", { block_id: 1 }), 422);
    assert.equal(await codeOf("block", [1]), 200);
    assert.equal(await codeOf("block", { block_id: 10 ** 12 }), 200);
    assert.equal(
      await codeOf("query", { request_type: "view_account", finality: "final", account_id: "no.body" }),
      200,
    );
  });

  it("status and health by GET, a page may ask from anywhere, and a body has its limit", async () => {
    const answer = await fetch(new URL("/status", sandbox.regular));
    assert.equal((await answer.json()).chain_id, "sandbox");
    assert.equal((await fetch(new URL("/health", sandbox.regular))).status, 200);
    const preflight = await fetch(sandbox.regular, {
      method: "OPTIONS",
      headers: {
        Origin: "https://example.com",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
      },
    });
    assert.ok(preflight.ok);
    assert.match(preflight.headers.get("access-control-allow-origin"), /^(\*|https:\/\/example\.com)$/);
    assert.match(preflight.headers.get("access-control-allow-headers").toLowerCase(), /authorization/);
    const huge = { ...request(), params: ["x".repeat(11 * 1024 * 1024)] };
    const refused = await rawPost(sandbox.regular, huge).catch((error) => error);
    // The connection may be closed before all of it is sent.
    assert.ok(refused.status === 413 || refused instanceof TypeError, String(refused.status));
  });
});

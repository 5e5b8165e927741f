// What people do with the page.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { daemon, hostile, judged, literal, openPage, phone, silenced, token, until } from "./support.mjs";

const views = ["/", "/docs?operation=listFindings", "/findings", "/watches", "/alerts", "/silences", "/contracts", "/account/relayer.sandbox"];

// Waits until something holds in the page. (Playwright's own waiting would evaluate a text, which the page's policy forbids.)
const holds = (page, what, condition, argument) => until(what, () => page.evaluate(condition, argument));
const newestHeight = (page) => page.locator(".tile .value").first().textContent();

async function withPage(options, use) {
  const page = await openPage(options);
  await use(page);
  await page.done();
}

describe("reading", () => {
  test("the first view tells of new findings by itself, and says so to screen readers", () =>
    withPage({}, async (page) => {
      await page.goto("/");
      await page.getByText("Live", { exact: true }).waitFor();
      const first = await page.locator(".finding").first().getAttribute("data-key");
      await holds(page, "a new finding is shown", (key) => document.querySelector(".finding")?.dataset.key !== key, first);
      await holds(page, "it is announced", () => document.getElementById("announce").textContent.startsWith("New: "));
      const height = await newestHeight(page);
      await until("the head moves", async () => (await newestHeight(page)) !== height);
    }));

  test("a hash leads to its transaction, told in words, with its tree", () =>
    withPage({}, async (page) => {
      const hash = judged("callback_failed");
      await page.goto("/");
      await page.getByRole("searchbox").fill(` ${hash} `);
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/tx/${hash}`);
      await page.getByRole("heading", { level: 1, name: /callback failed/i }).waitFor();
      assert.ok((await page.locator(".drawing svg .rt-receipt").count()) > 1);
      assert.match(await page.locator(".facts").innerText(), /What broke[\s\S]*Where[\s\S]*Why[\s\S]*The money/);
    }));

  test("a receipt id and an explorer's address lead there, too", () =>
    withPage({}, async (page) => {
      const hash = judged("callback_failed");
      const receipt = daemon.query(`SELECT receipt_id FROM receipts WHERE tree_id = '${hash}' AND role = 'callback' LIMIT 1`);
      await page.goto("/");
      await page.getByRole("searchbox").fill(receipt);
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/tx/${hash}?receipt=${receipt}*`);
      await page.locator(`#receipt-${receipt} .pairs`).waitFor();
      await page.getByRole("searchbox").fill(`https://explorer.example/txns/${hash}?tab=overview`);
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/tx/${hash}`);
    }));

  test("a box of the drawing opens its receipt, and its link opens it elsewhere", () =>
    withPage({}, async (page) => {
      const hash = judged("callback_failed");
      await page.goto(`/tx/${hash}`);
      await page.locator(".drawing svg a").nth(1).click();
      const id = (await holds(page, "a receipt is open", () => document.querySelector(".receipt.shown")?.id)).slice("receipt-".length);
      assert.ok(await page.locator(`#receipt-${id} > details`).evaluate((details) => details.open));
      assert.ok(page.url().endsWith(`#receipt-${id}`));
      const other = await openPage({ javaScriptEnabled: false });
      await other.goto(`/tx/${hash}?receipt=${id}`);
      await other.locator(`#receipt-${id} .pairs`).waitFor();
      await other.done();
    }));

  test("text, link and drawing can be taken along", () =>
    withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      const hash = judged("failed");
      await page.goto(`/tx/${hash}`);
      const pasted = () => page.evaluate(() => navigator.clipboard.readText());
      await page.getByRole("button", { name: "Copy as text" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      assert.match(await pasted(), new RegExp(`transaction ${hash.slice(0, 8)}`));
      await page.getByRole("button", { name: "Copy link" }).click();
      await until("the link is copied", async () => (await pasted()) === page.url());
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download SVG" }).click();
      assert.match((await download).suggestedFilename(), /\.svg$/);
    }));

  test("filters work without a reload, and their address can be shared", () =>
    withPage({}, async (page) => {
      await page.goto("/findings");
      await page.evaluate(() => (window.stayed = true));
      await page.getByLabel("Kind").selectOption("tokens_returned");
      await page.waitForURL("**/findings?*kind=tokens_returned*");
      await holds(page, "only those are listed", () =>
        [...document.querySelectorAll(".finding .badge")].every((badge) => badge.textContent.includes("Tokens returned")));
      assert.ok(await page.evaluate(() => window.stayed));
      await page.reload();
      assert.equal(await page.getByLabel("Kind").inputValue(), "tokens_returned");
    }));

  test("older deliveries are a page away", () =>
    withPage({}, async (page) => {
      await until("there are more than fifty", () => Number(daemon.query("SELECT count(*) FROM deliveries")) > 60);
      await page.goto("/alerts");
      const first = await page.locator("tbody tr").first().innerText();
      await page.getByRole("link", { name: "Older deliveries" }).click();
      await page.waitForURL("**/alerts?*cursor=*");
      assert.ok((await page.locator("tbody tr").count()) > 0);
      assert.notEqual(await page.locator("tbody tr").first().innerText(), first);
    }));

  test("every view can be read and searched without a script", () =>
    withPage({ javaScriptEnabled: false }, async (page) => {
      for (const view of views) {
        await page.goto(view);
        assert.ok((await page.locator("main").innerText()).length > 200, view);
      }
      const hash = judged("callback_failed");
      await page.getByRole("searchbox").fill(hash);
      await page.getByRole("button", { name: "Find" }).click();
      await page.getByRole("heading", { level: 1, name: /callback failed/i }).waitFor();
      await page.locator(".receipt summary").first().click();
      await page.locator(".receipt pre").first().waitFor();
    }));
});

describe("changing", () => {
  test("a watch asks for the token once, and nothing but the tab's memory keeps it", () =>
    withPage({}, async (page) => {
      await page.goto("/watches");
      const add = async (hash) => {
        const form = page.locator("form[data-watch]");
        await form.getByLabel("Transaction hash").fill(hash);
        await form.getByLabel("Account that signed it").fill("alice.sandbox");
        await form.getByRole("button", { name: "Watch" }).click();
      };
      const give = async (text) => {
        await page.getByRole("dialog").getByLabel("Token").fill(text);
        await page.getByRole("button", { name: "Use it" }).click();
      };
      await add("7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ");
      await give("not-the-token");
      await page.getByRole("dialog").waitFor();
      await give(token);
      await page.getByText("It is watched from now on.").waitFor();
      await page.locator("#results").getByTitle("7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ").waitFor();
      await add("4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh");
      await page.locator("#results").getByTitle("4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh").waitFor();
      const kept = await page.evaluate(() =>
        [document.cookie, location.href, JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.documentElement.outerHTML]);
      assert.ok(!kept.join().includes(token));
      assert.deepEqual(await page.context().cookies(), []);
    }));

  test("no token, no change; and Escape takes the question back", () =>
    withPage({}, async (page) => {
      await page.goto("/alerts");
      await page.getByRole("button", { name: /^Send this alert/ }).first().click();
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("Nothing was changed").waitFor();
    }));

  test("an alert is sent again", () =>
    withPage({}, async (page) => {
      await page.goto("/alerts?endpoint=pager");
      await page.getByRole("button", { name: /^Send this alert/ }).first().click();
      await page.getByRole("dialog").getByLabel("Token").fill(token);
      await page.keyboard.press("Enter");
      await page.getByText("One delivery is due now.").waitFor();
    }));
});

describe("alerts kept back", () => {
  test("a group is a page away from its members", () =>
    withPage({}, async (page) => {
      await until("alerts are grouped", () => Number(daemon.query("SELECT max(members) FROM alert_groups")) > 3);
      await page.goto("/alerts?state=grouped");
      await page.getByRole("link", { name: /^group \d+$/ }).first().click();
      await page.getByRole("heading", { name: /^Group \d+/ }).waitFor();
      const shown = page.url().match(/group=(\d+)/)[1];
      const groups = await page.getByRole("link", { name: /^group \d+$/ }).allInnerTexts();
      assert.ok(groups.length > 1 && groups.every((name) => name === `group ${shown}`), groups.join());
    }));

  test("a silence is ended", () =>
    withPage({}, async (page) => {
      const id = silenced("upgrade to 2.0");
      await page.goto("/silences");
      await page.getByRole("button", { name: `End silence ${id} now` }).click();
      await page.getByRole("dialog").getByLabel("Token").fill(token);
      await page.keyboard.press("Enter");
      await page.getByText(`Silence ${id} is over.`).waitFor();
      await until("its row is gone", async () => (await page.locator(`#silence-${id}`).count()) === 0);
      assert.equal(daemon.query(`SELECT ended_by FROM silences WHERE silence_id = ${id}`), "page");
    }));
});

describe("asking", () => {
  test("what is not stored is asked of the hosts, with the token where there is one", () =>
    withPage({}, async (page) => {
      await page.goto("/tx/4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEq");
      const form = page.locator("form[data-ask]");
      await form.getByLabel("Account that signed it").fill("alice.sandbox");
      await form.getByRole("button", { name: "Ask" }).click();
      await page.getByRole("dialog").getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Use it" }).click();
      await page.getByText("No host returned this transaction").waitFor();
      assert.ok(page.url().endsWith("?sender=alice.sandbox"));
    }));
});

describe("living", () => {
  const readers = async () =>
    Number(/^receiptd_stream_readers(?:\{\})? (\d+)$/m.exec(await (await fetch(`${daemon.url}/metrics`)).text())?.[1] ?? NaN);

  test("a link of /docs asks again where it is opened, and forms do without a reload", () =>
    withPage({}, async (page) => {
      await page.goto("/docs?operation=listFindings&kind=failed_receipt&limit=2");
      await page.getByText(/^200, .* characters/).waitFor();
      assert.match(await page.locator("#answer pre").innerText(), /^{\n  "findings": \[\n    {/);
      await page.evaluate(() => (window.stayed = true));
      await page.getByRole("link", { name: "/v1/transactions/{hash}", exact: true }).click();
      await page.getByRole("textbox", { name: "hash (needed)" }).fill("4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh");
      await page.getByRole("button", { name: "Ask" }).click();
      await page.waitForURL("**/docs?operation=getTransaction&run=1&hash=4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh");
      await page.getByText(/^404, /).waitFor();
      await page.goBack();
      await page.goBack();
      await page.getByText(/^200, .* characters/).waitFor();
      assert.equal(await page.getByRole("combobox", { name: /^kind/ }).inputValue(), "failed_receipt");
      assert.ok(await page.evaluate(() => window.stayed));
    }));

  test("/docs shows a stream as it comes, and its token stands in no address and no storage", () =>
    withPage({}, async (page) => {
      await page.goto("/docs?operation=stream");
      await page.getByRole("button", { name: "Ask" }).click();
      await page.waitForURL("**/docs?operation=stream&run=1");
      await holds(page, "an event is shown", () => /\ndata:/.test(document.querySelector("#answer pre")?.textContent));
      assert.deepEqual(await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage), document.cookie, history.state]), [[], [], "", null]);
    }));

  test("a hidden tab gives its seat away and takes one again", () =>
    withPage({}, async (page) => {
      await page.addInitScript(() => {
        window.state = "visible";
        Object.defineProperty(document, "visibilityState", { get: () => window.state });
      });
      await page.goto("/");
      await page.getByText("Live", { exact: true }).waitFor();
      const seats = await readers();
      const turn = (state) => page.evaluate((to) => {
        window.state = to;
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
      await turn("hidden");
      await page.getByText("Paused while the tab is hidden").waitFor();
      await until("the seat is free", async () => (await readers()) === seats - 1);
      await turn("visible");
      await page.getByText("Live", { exact: true }).waitFor();
    }));

  test("without a free seat the page looks by itself", async () => {
    const taken = new AbortController();
    const take = () => fetch(`${daemon.url}/v1/stream`, { signal: taken.signal });
    while ((await take()).status === 200);
    await withPage({}, async (page) => {
      await page.goto("/");
      await page.getByText("Looking every few seconds").waitFor();
      const height = await newestHeight(page);
      await until("the head moves", async () => (await newestHeight(page)) !== height);
    });
    taken.abort();
  });
});

describe("safety", () => {
  // As a host that lies, or an account that is named with care, could have it stored.
  function poison(hash) {
    const text = literal(hostile);
    for (const change of [
      `UPDATE receipts SET method_name = ${text}, receiver_id = ${text}, error_text = ${text}, logs = ARRAY[${text}], ` +
        `actions = json_build_array(json_build_object('FunctionCall', json_build_object('method_name', ${text}, 'args_json', ${text}))) ` +
        `WHERE tree_id = '${hash}' AND role <> 'refund'`,
      `UPDATE events SET event = ${text}, standard = ${text}, data = to_json(${text}::text) WHERE tree_id = '${hash}'`,
      `UPDATE findings SET method_name = ${text}, contract_id = ${text}, error_text = ${text}, signer_id = ${text}, error_class = ${text} ` +
        `WHERE tree_id = '${hash}'`,
      `UPDATE deliveries SET last_error = ${text} WHERE endpoint = 'pager'`,
    ]) daemon.query(change);
  }

  test("texts of strangers are shown and never run", () =>
    withPage({}, async (page) => {
      const hash = judged("callback_failed");
      poison(hash);
      for (const view of [`/tx/${hash}`, ...views, `/search?q=${encodeURIComponent(hostile)}`]) {
        await page.goto(view);
        for (const summary of await page.locator("summary").all()) await summary.evaluate((each) => each.parentElement.setAttribute("open", ""));
        assert.equal(await page.evaluate(() => window.hacked), undefined, view);
        assert.equal(await page.locator("img[src=x], main script, svg style, main style").count(), 0, view);
        if (view.startsWith("/tx/")) assert.match(await page.locator("main").innerText(), /onerror="window\.hacked=1"/);
      }
    }));

  test("even a script that was let in could not run", () =>
    withPage({}, async (page) => {
      await page.goto("/");
      await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1";
        document.body.append(script);
      });
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      assert.ok(page.complaints.splice(0).some((text) => /Content Security Policy/.test(text)));
    }));
});

describe("reach", () => {
  test("the way by keyboard: to the content, through the views, into a receipt, and out", () =>
    withPage({}, async (page) => {
      await page.goto(`/tx/${judged("callback_failed")}`);
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
      await page.keyboard.press("Enter");
      assert.equal(await page.evaluate(() => location.hash), "#main");
      const names = [];
      for (let i = 0; i < 60; ++i) {
        await page.keyboard.press("Tab");
        names.push(await page.evaluate(() => document.activeElement.closest("summary") ? "receipt" :
          document.activeElement.closest("svg") ? "box" : document.activeElement.textContent.trim()));
        if (names.at(-1) === "receipt") break;
      }
      assert.ok(names.includes("box") && names.includes("Download SVG") && names.includes("receipt"), names.join("|"));
      await page.keyboard.press("Enter");
      assert.ok(await page.evaluate(() => document.activeElement.parentElement.open));
    }));

  test("no view is wider than a phone", () =>
    withPage({ viewport: phone }, async (page) => {
      const hash = judged("callback_failed");
      for (const view of [...views, `/tx/${hash}`, "/search?q=x", "/tx/4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEq"]) {
        await page.goto(view);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= phone.width, `${view} is ${wide} wide`);
      }
      await page.goto(`/tx/${hash}`);
      const [box, around] = await page.evaluate(() =>
        [".drawing .rt-root-cause", ".drawing"].map((each) => document.querySelector(each).getBoundingClientRect().toJSON()));
      assert.ok(box.left >= around.left && box.right <= around.right, "the drawing begins where something broke");
    }));
});

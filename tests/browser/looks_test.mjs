// How every view looks, and whether axe-core finds something that shuts people out: light, dark, on a phone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axeSource, desk, openPage, phone, screenshots, startBrowser, startDaemon } from "./support.mjs";

let daemon, browser;
before(async () => {
  daemon = await startDaemon();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await daemon?.close();
});

const newest = (verdict) =>
  daemon.query(`SELECT tx_hash FROM transaction_results WHERE verdict = '${verdict}' ORDER BY receipts DESC, tx_hash LIMIT 1`);
const views = {
  now: () => "/",
  transaction: () => `/tx/${newest("callback_failed")}`,
  succeeded: () => `/tx/${newest("succeeded")}`,
  findings: () => "/findings",
  watches: () => "/watches",
  alerts: () => "/alerts",
  contracts: () => "/contracts",
  search: () => "/search?q=nothing",
  unknown: () => "/tx/4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEq",
};
const looks = {
  light: { viewport: desk, colorScheme: "light" },
  dark: { viewport: desk, colorScheme: "dark" },
  phone: { viewport: phone, colorScheme: "light", deviceScaleFactor: 2 },
};

async function faults(page) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((each) => `${each.id}: ${each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

for (const [look, options] of Object.entries(looks))
  for (const [view, address] of Object.entries(views))
    test(`${view}, ${look}`, async () => {
      // The page's policy forbids evaluated scripts, which axe-core is.
      const page = await openPage(browser, daemon, { ...options, bypassCSP: true });
      await page.goto(address());
      for (const receipt of await page.locator(".receipt.cause > details > summary").all()) await receipt.click();
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path: join(screenshots, `${view}-${look}.png`), fullPage: true });
      assert.deepEqual(await faults(page), []);
      await page.done();
    });

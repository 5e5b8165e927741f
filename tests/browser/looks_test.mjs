// How every view looks, and whether axe-core finds something that shuts people out: light, dark, on a phone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axeSource, daemon, desk, grouped, judged, openPage, phone, recorded, screenshots, silenced, startDaemon, started, until } from "./support.mjs";

let recording; // a daemon on a recorded chain
before(async () => (recording = await startDaemon(recorded)));
before(async () => {
  await started();
  for (const reason of ["upgrade to 2.0", "a migration of the shop"]) silenced(reason);
  await until("alerts are grouped", () => Number(daemon.query("SELECT max(members) FROM alert_groups")) > 3);
});
after(() => recording?.close());

const views = {
  now: () => "/",
  transaction: () => `/tx/${judged("callback_failed", "receipts DESC")}`,
  succeeded: () => `/tx/${judged("succeeded", "receipts DESC")}`,
  findings: () => "/findings",
  watches: () => "/watches",
  alerts: () => "/alerts",
  group: () => `/alerts?group=${grouped()}`,
  silences: () => "/silences?all=true",
  contracts: () => "/contracts",
  account: () => `/account/${daemon.query("SELECT signer_id FROM findings GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1")}`,
  docs: () => "/docs?operation=listFindings&kind=failed_receipt&limit=2",
  search: () => "/search?q=nothing",
  unknown: () => "/tx/4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEq",
};
const recordedViews = {
  wide: () => "/tx/5tEQaq2hfFZpPrpAC1RC1B7XQ7bX9YXrnn2Q7YE4T6E7",
  deep: () => "/tx/3nqW2zRDkDwaQDYZs32RBfwetUFCx5FeSF3MirFqsb1R",
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
  for (const [view, address] of Object.entries({ ...views, ...recordedViews }))
    test(`${view}, ${look}`, async () => {
      // The page's policy forbids evaluated scripts, which axe-core is.
      const page = await openPage({ ...options, bypassCSP: true }, view in recordedViews ? recording : undefined);
      await page.goto(address());
      for (const receipt of await page.locator(".receipt.cause > details > summary").all()) await receipt.click();
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path: join(screenshots, `${view}-${look}.png`), fullPage: true });
      assert.deepEqual(await faults(page), []);
      await page.done();
    });

// draw.mjs ANSWERS FOLDER: draws each board of ANSWERS (draw.py) into FOLDER/NAME.png, in few colours, and complains of panels that
// show nothing and do not say that this is good.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import UPNG from "upng-js";

const WIDTH = 1600, SCALE = 0.7, COLORS = 96;
const [CELL, ROOM] = [38, 32]; // pixels of a row of the grid, and around the board
const [answers, folder] = process.argv.slice(2);
const boards = JSON.parse(readFileSync(answers));
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("board.jsx", import.meta.url))], outfile: "board.js", bundle: true, write: false, format: "iife", jsx: "automatic", minify: true,
  define: { "process.env.NODE_ENV": '"production"', global: "window" }, loader: { ".svg": "text", ".woff2": "empty", ".ttf": "empty", ".png": "empty" }, logLevel: "error",
});
const [script, style] = ["js", "css"].map((kind) => outputFiles.find((file) => file.path.endsWith(kind)).text);

const document = `<!doctype html><meta charset="utf-8"><style>${style}</style><style>body { margin: 8px; font-family: sans-serif }
  .nothing { display: flex; height: 100%; align-items: center; justify-content: center; opacity: 0.7 }</style><div id="board"></div>`;
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const problems = [];
for (const [name, drawn] of Object.entries(boards)) {
  // All of it is within sight: what is not, the library does not draw.
  const rows = Math.max(...drawn.board.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const page = await browser.newPage({ viewport: { width: WIDTH + ROOM, height: rows * CELL + ROOM }, deviceScaleFactor: SCALE });
  page.on("pageerror", (error) => problems.push(`${name}: ${error}`));
  // A page of somewhere: one of nowhere has no storage, which the library looks into.
  await page.route("**/*", (route) => (route.request().isNavigationRequest() ? route.fulfill({ contentType: "text/html", body: document }) : route.abort()));
  await page.goto("http://boards.localhost/");
  await page.evaluate(script);
  await page.evaluate(([data, width]) => window.draw(data, width), [drawn, WIDTH]);
  await page.waitForFunction((count) => document.querySelectorAll("[data-panel]").length === count, drawn.board.panels.filter((each) => each.type !== "row").length);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  for (const panel of await page.$$eval("[data-panel]", (all) =>
    all.filter((each) => /No data|NaN|undefined|Invalid/.test(each.innerText)).map((each) => each.dataset.panel)))
    problems.push(`${name}: ${panel} shows nothing, and does not say that this is good`);
  const taken = UPNG.decode(await page.screenshot({ clip: { x: ROOM / 4, y: ROOM / 4, width: WIDTH, height: rows * CELL } }));
  writeFileSync(join(folder, `${name}.png`), Buffer.from(UPNG.encode(UPNG.toRGBA8(taken), taken.width, taken.height, COLORS)));
  await page.close();
}
await browser.close();
assert.deepEqual(problems, []);

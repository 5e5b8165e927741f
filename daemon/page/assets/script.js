// What the page can do beyond being read: it works without this file.

const inView = (selector, from = document) => [...from.querySelectorAll(selector)];
const here = () => location.pathname + location.search;

// --- Times ---------------------------------------------------------------------------------------------

// As the daemon writes them (daemon/page/texts.cpp).
function ago(milliseconds) {
  const later = milliseconds < 0;
  const s = Math.floor(Math.abs(milliseconds) / 1000);
  if (s < 2) return "just now";
  const text = s < 90 ? `${s} s`
    : s < 90 * 60 ? `${Math.round(s / 60)} min`
    : s < 36 * 3600 ? `${Math.round(s / 3600)} h`
    : `${Math.round(s / 86400)} days`;
  return later ? `in ${text}` : `${text} ago`;
}

function tellTimes() {
  for (const time of inView("time[datetime]")) {
    const at = Date.parse(time.dateTime);
    if (!Number.isNaN(at)) time.textContent = ago(Date.now() - at);
  }
}

// --- The view anew ---------------------------------------------------------------------------------------

let loading = null; // the refresh under way: {address, again, control, done}
let shownAt = new Date();
const answersWithin = 30_000;
const seen = new Map(); // what each living part showed last, by its id
const contentOf = (part) => part.innerHTML.replace(/(<time[^>]*>)[^<]*/g, "$1");

// Shows the view anew, or another address of it. A slow answer is awaited though the same address is asked for
// again: that question follows it. False: the daemon says that it cannot answer.
function refresh(address = here()) {
  if (loading?.address === address) {
    loading.again = true;
    return loading.done;
  }
  loading?.control.abort();
  const mine = (loading = { address, again: false, control: new AbortController() });
  const tooLong = setTimeout(() => mine.control.abort(new DOMException("No answer", "TimeoutError")), answersWithin);
  mine.done = exchangeParts(address, mine.control.signal).finally(() => {
    clearTimeout(tooLong);
    if (loading !== mine) return;
    loading = null;
    if (mine.again) refreshSoon();
  });
  return mine.done;
}

// Fetches an address and exchanges the living parts.
async function exchangeParts(address, signal) {
  const answer = await fetch(address, { signal, headers: { Accept: "text/html" } });
  const text = await answer.text();
  signal.throwIfAborted();
  if (!answer.ok) return false;
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const part of inView("[data-live]")) {
    const newer = part.id && fresh.getElementById(part.id);
    if (!newer) continue;
    const content = contentOf(newer);
    if (content === seen.get(part.id)) continue;
    seen.set(part.id, content);
    exchange(part, newer);
  }
  tellTimes();
  shownAt = new Date();
  return true;
}

// A refresh that gave way to one of another address says nothing of the daemon.
const gaveWay = (error) => error.name === "AbortError";

// Keeps what the reader has opened and where the focus is.
function exchange(part, newer) {
  const open = new Set(inView("li[id] > details[open]", part).map((each) => each.parentElement.id));
  const focused = part.contains(document.activeElement) ? pathTo(part, document.activeElement) : null;
  const known = new Set(inView("[data-key]", part).map((each) => each.dataset.key));
  const scrolled = part.querySelector(".drawing")?.scrollLeft;
  const copy = document.importNode(newer, true);
  for (const id of open) copy.querySelector(`#${CSS.escape(id)} > details`)?.setAttribute("open", "");
  const arrived = inView("[data-key]", copy).filter((each) => !known.has(each.dataset.key));
  if (known.size > 0) for (const each of arrived) each.classList.add("new");
  part.replaceWith(copy);
  if (scrolled) copy.querySelector(".drawing").scrollLeft = scrolled;
  if (focused) follow(copy, focused)?.focus({ preventScroll: true });
  if ("feed" in copy.dataset && known.size > 0) announce(arrived);
}

// The way down to an element, by the number of each child.
function pathTo(from, element) {
  const path = [];
  for (let at = element; at !== from; at = at.parentElement) path.unshift([...at.parentElement.children].indexOf(at));
  return path;
}
const follow = (from, path) => path.reduce((at, number) => at?.children[number], from);

function announce(findings) {
  if (findings.length === 0) return;
  const first = findings[0].querySelector(".badge")?.lastChild?.textContent.trim();
  const where = findings[0].querySelector(".where")?.textContent.trim();
  const more = findings.length > 1 ? `, and ${findings.length - 1} more` : "";
  document.getElementById("announce").textContent = `New: ${first}, ${where}${more}`;
}

// --- Living -------------------------------------------------------------------------------------------------

const pollEvery = 2_000;
const tryStreamAgain = 30_000;
const reconnectAfter = 1_000;
const live = document.getElementById("live");
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// A view that changes: the first one, and a transaction that is under way.
function subject() {
  if (document.querySelector("[data-feed]")) return { stream: "/v1/stream?kind=finding", polls: true };
  const open = document.querySelector("[data-open]");
  return open && { stream: `/v1/stream?kind=transition&tx_hash=${encodeURIComponent(open.dataset.hash)}`, polls: true };
}

const visible = () => document.visibilityState === "visible";

let ends = null; // of the stream that is read now
let due = null;
let following = ""; // how changes are learned, in words; shown unless the daemon cannot answer

function say(text) {
  if (live.textContent !== text) live.textContent = text;
}

function follows(words) {
  following = words;
  say(words);
}

async function refreshAndSay() {
  try {
    const isAnswered = await refresh();
    say(isAnswered ? following : `The daemon cannot answer; shown as of ${shownAt.toTimeString().slice(0, 5)}`);
  } catch (error) {
    if (!gaveWay(error)) say("The daemon does not answer; trying again");
  }
}

// Several events within a moment are one refresh.
function refreshSoon() {
  due ??= setTimeout(() => {
    due = null;
    refreshAndSay();
  }, 250);
}

// Reads the stream by fetch: an EventSource could send no token. Resolves when it ends, false if there was no seat.
async function readStream(address) {
  ends = new AbortController();
  const answer = await fetch(address, { signal: ends.signal, headers: { Accept: "text/event-stream" } });
  if (!answer.ok || !answer.body) return false;
  follows("Live");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return true;
    text += value;
    const end = text.lastIndexOf("\n\n");
    if (end < 0) continue;
    if (/^data:/m.test(text.slice(0, end))) refreshSoon();
    text = text.slice(end + 2);
  }
}

async function listen() {
  for (let of = subject(); of; of = subject()) {
    if (!visible()) {
      follows("Paused while the tab is hidden");
      await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
      refreshSoon();
      continue;
    }
    let seated = false;
    try {
      seated = await readStream(of.stream);
    } catch {
      // Ended by us, or by the network: begin anew below.
    }
    if (!visible()) continue;
    if (!seated) follows("Looking every few seconds");
    await wait(seated ? reconnectAfter : tryStreamAgain);
  }
  follows("");
}

// Heads and counts move without an event. A page without a seat in the stream learns all by this.
async function poll() {
  while (subject()) {
    await wait(pollEvery);
    if (visible()) await refreshAndSay();
  }
}

document.addEventListener("visibilitychange", () => {
  if (!visible()) ends?.abort();
});

// --- Copying and links -----------------------------------------------------------------------------------------

const labels = new WeakMap(); // of buttons that say something else for a moment

async function copy(button, text) {
  const label = labels.get(button) ?? [...button.childNodes];
  labels.set(button, label);
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    button.classList.add("copied");
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => {
    button.replaceChildren(...label);
    button.classList.remove("copied");
  }, 1500);
}

// --- The receipt that an address names --------------------------------------------------------------------

async function showReceipt(id) {
  const row = document.getElementById(`receipt-${id}`);
  if (!row) {
    const hash = document.querySelector("[data-hash]")?.dataset.hash;
    if (hash) location.assign(`/tx/${hash}?receipt=${encodeURIComponent(id)}#receipt-${id}`);
    return;
  }
  for (const other of inView(".receipt.shown")) other.classList.remove("shown");
  row.classList.add("shown");
  const details = row.querySelector("details");
  if (details) details.open = true;
  row.querySelector("summary")?.focus({ preventScroll: true });
  row.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

// A drawing that is wider than its place begins where something broke, else at the transaction.
function showCause() {
  const drawing = document.querySelector(".drawing");
  const box = drawing?.querySelector(".rt-root-cause") ?? drawing?.querySelector(".rt-failed, .rt-handled") ?? drawing?.querySelector(".rt-receipt");
  if (!box) return;
  const [place, around] = [box.getBoundingClientRect(), drawing.getBoundingClientRect()];
  drawing.scrollLeft += place.left + place.width / 2 - around.left - around.width / 2;
}

function showNamed() {
  const named = /^#receipt-([1-9A-HJ-NP-Za-km-z]+)$/.exec(location.hash);
  if (named) showReceipt(named[1]);
}

// --- Writing --------------------------------------------------------------------------------------------------

let token = ""; // of this tab, as long as it is open; nowhere else

function askForToken() {
  const dialog = document.getElementById("token-dialog");
  const field = document.getElementById("token");
  field.value = "";
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) =>
    dialog.addEventListener("close", () => {
      const given = dialog.returnValue === "use" ? field.value.trim() : "";
      field.value = "";
      done(given);
    }, { once: true }));
}

// GET, with the token where the daemon wants one; null if nobody gives one.
async function read(address, options = {}) {
  let answer = await fetch(address, options);
  while (answer.status === 401) {
    token ||= await askForToken();
    if (!token) return null;
    answer = await fetch(address, { ...options, headers: { Authorization: `Bearer ${token}` } });
    if (answer.status === 401) token = "";
  }
  return answer;
}

// Sends JSON with the token, which is asked for once; null if nobody gives one.
async function send(method, path, body) {
  for (;;) {
    token ||= await askForToken();
    if (!token) return null;
    const answer = await fetch(path, {
      method,
      headers: { ...(body && { "Content-Type": "application/json" }), Authorization: `Bearer ${token}` },
      body: body && JSON.stringify(body),
    });
    if (answer.status !== 401) return answer;
    token = "";
  }
}

function tell(place, text, tone = "") {
  place.textContent = text;
  place.className = `outcome ${tone}`;
}

// Tells in words how a write ended.
async function write(place, method, path, body, words) {
  tell(place, "…");
  try {
    const answer = await send(method, path, body);
    if (!answer) return tell(place, "Nothing was changed: no token was given.");
    const said = await answer.json();
    if (!answer.ok) return tell(place, said.detail, "bad");
    tell(place, words(answer.status, said), "good");
  } catch {
    return tell(place, "The daemon does not answer.", "bad");
  }
  refresh().catch(() => {}); // the write is told already, whatever comes of this
}

function addWatch(form) {
  const { tx_hash, sender_id } = Object.fromEntries(new FormData(form));
  const body = { tx_hash: tx_hash.trim(), sender_id: sender_id.trim() };
  write(form.querySelector(".outcome"), "POST", "/v1/watches", body, (status) =>
    status === 201 ? "It is watched from now on." : "It was watched already.");
}

function resend(body) {
  write(document.getElementById("resend-outcome"), "POST", "/v1/alerts/resend", body, (_, said) =>
    said.due === 1 ? "One delivery is due now." : `${said.due} deliveries are due now.`);
}

function endSilence(id) {
  write(document.getElementById("silence-outcome"), "DELETE", `/v1/silences/${id}?by=page`, null, () =>
    `Silence ${id} is over.`);
}

// A transaction that is not stored: the hosts are asked with the token, and what they tell takes this view's place.
async function askHosts(form) {
  const place = form.querySelector(".outcome");
  const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
  tell(place, "Asking…");
  try {
    const answer = await read(address);
    if (!answer) return tell(place, "Nobody was asked: no token was given.");
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    history.pushState(null, "", address);
    document.getElementById("main").replaceWith(document.importNode(fresh.getElementById("main"), true));
    document.title = fresh.title;
    tellTimes();
    showCause();
  } catch {
    tell(place, "The daemon does not answer.", "bad");
  }
}

// --- Asking the API -----------------------------------------------------------------------------------------------

const mostShown = 200_000; // characters of an answer
const unseen = /[\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g; // what hides or turns text
const visibly = (text) => text.replace(unseen, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

// JSON with a line for each member; numbers keep their digits, so it is not parsed.
function indented(text) {
  const lines = [""];
  const add = (part) => (lines[lines.length - 1] += part);
  const newLine = (depth) => lines.push("  ".repeat(depth));
  let depth = 0;
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (part === "}" || part === "]") newLine(--depth);
    add(part === ":" ? ": " : part);
    if (part === "{" || part === "[") newLine(++depth);
    if (part === ",") newLine(depth);
  }
  return lines.join("\n");
}

let asking = null; // aborts the question that is shown

// Asks what the form says, and shows the answer as it comes: a stream has no end.
async function askApi() {
  asking?.abort();
  const place = document.querySelector("[data-ask]");
  if (!place) return;
  const control = (asking = new AbortController());
  const [said, shown] = [place.querySelector(".outcome"), place.querySelector("pre")];
  const since = performance.now();
  tell(said, "Asking…");
  try {
    const answer = await read(place.dataset.ask, { signal: control.signal });
    if (!answer) return tell(said, "Nobody was asked: no token was given.");
    const tone = answer.ok ? "good" : "bad";
    tell(said, `${answer.status}, under way`, tone);
    shown.hidden = false;
    let text = "";
    for await (const part of parts(answer.body)) {
      text += part;
      shown.textContent = visibly(text.slice(0, mostShown));
      if (text.length > mostShown) return tell(said, `${answer.status}; the first ${mostShown.toLocaleString("en")} characters`, tone);
    }
    if (/json/.test(answer.headers.get("Content-Type"))) shown.textContent = visibly(indented(text));
    tell(said, `${answer.status}, ${text.length.toLocaleString("en")} characters in ${Math.round(performance.now() - since)} ms`, tone);
  } catch (error) {
    if (!gaveWay(error)) tell(said, "The daemon does not answer.", "bad");
  }
}

// The body as texts; it is given up where its reader stops.
async function* parts(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

// Another route or other values, without a reload: the tab keeps its token.
async function openDocs(address) {
  try {
    if (await refresh(address)) return askApi();
  } catch (error) {
    if (gaveWay(error)) return;
  }
  location.assign(address);
}

function goToDocs(address) {
  history.pushState(null, "", address);
  openDocs(address);
}

// --- Events ------------------------------------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  const target = event.target.closest("button, a");
  if (!target) return;
  const data = target.dataset;
  const box = target.querySelector(".rt-receipt");
  if (box) {
    event.preventDefault();
    history.pushState(null, "", `#receipt-${box.dataset.receipt}`);
    showReceipt(box.dataset.receipt);
  } else if ("copy" in data) copy(target, data.copy);
  else if ("copyLink" in data) copy(target, location.href);
  else if ("copyFrom" in data) copy(target, document.querySelector(data.copyFrom).textContent);
  else if ("resend" in data) resend({ alert_id: data.resend, endpoint: data.endpoint });
  else if ("endSilence" in data) endSilence(data.endSilence);
  else if ("resendState" in data) resend({ state: data.resendState });
  else if ("docs" in data && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
    event.preventDefault();
    goToDocs(target.getAttribute("href"));
  }
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if ("watch" in form.dataset) {
    event.preventDefault();
    addWatch(form);
  } else if ("ask" in form.dataset) {
    event.preventDefault();
    askHosts(form);
  } else if ("docs" in form.dataset) {
    event.preventDefault();
    goToDocs(addressOf(form));
  } else if ("filter" in form.dataset) {
    event.preventDefault();
    choose(form);
  }
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form && "filter" in form.dataset) choose(form);
});

function addressOf(form) {
  const given = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
  return `${form.getAttribute("action")}?${new URLSearchParams(given)}`;
}

// A filter without a reload: the address stays one that can be shared.
function choose(form) {
  const address = addressOf(form);
  history.pushState(null, "", address);
  // Loaded as a whole it says itself why there is no answer.
  const load = () => location.assign(address);
  refresh(address).then((isAnswered) => isAnswered || load(), (error) => gaveWay(error) || load());
}

addEventListener("popstate", () => {
  if (document.getElementById("docs")) openDocs(here());
  else if (document.querySelector("[data-filter]")) location.reload();
  else showNamed();
});
addEventListener("hashchange", showNamed);

tellTimes();
showCause();
showNamed();
askApi();
setInterval(tellTimes, 1_000);
listen();
poll();

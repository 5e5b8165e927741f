// Takes webhooks of receiptd: npm install standardwebhooks; RECEIPTD_SECRET=whsec_… node receiver.mjs
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const longestBody = 256 * 1024;
const webhook = new Webhook(process.env.RECEIPTD_SECRET ?? ""); // throws without a secret

// A line for each message: its body, a tab, its id. A line that was cut by a crash has no known id.
const inbox = openSync(process.env.INBOX ?? "inbox.tsv", "a+");
const before = readFileSync(inbox, "utf8");
if (before !== "" && !before.endsWith("\n")) writeSync(inbox, "\n");
const known = new Set(before.split("\n").map((line) => line.slice(line.lastIndexOf("\t") + 1)));

// Returns the status to answer. The message is on the disk before the answer is: then receiptd may forget it.
function take(headers, body) {
  try {
    webhook.verify(body, headers); // compares in constant time, and refuses what is older than five minutes
  } catch (error) {
    console.error(`refused: ${error.message}`);
    return 401;
  }
  const id = headers["webhook-id"];
  if (known.has(id)) return 204; // receiptd repeats what it does not know to have arrived
  writeSync(inbox, `${body}\t${id}\n`);
  fsyncSync(inbox);
  known.add(id);
  return 204;
}

const server = createServer((request, response) => {
  const parts = [];
  let length = 0;
  request.on("data", (part) => {
    length += part.length;
    if (length <= longestBody) parts.push(part);
  });
  request.on("end", () => {
    // The bytes as they came: JSON that was parsed and written again has another signature.
    const status = length > longestBody ? 413 : take(request.headers, Buffer.concat(parts).toString());
    response.writeHead(status).end();
  });
});
server.requestTimeout = 10_000;
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));
process.on("SIGTERM", () => {
  closeSync(inbox);
  process.exit(0);
});

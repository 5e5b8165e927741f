// types.mjs FILE.json...: each is a board, as @grafana/schema has it (board.ts).
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const file = fileURLToPath(new URL("boards.ts", import.meta.url)); // of all boards; nowhere but here
const text = ['import type { Board } from "./board";',
  ...process.argv.slice(2).map((path) => `({ board: ${readFileSync(path, "utf8")} }) satisfies { board: Board };`)].join("\n");
const options = { noEmit: true, strict: true, skipLibCheck: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  target: ts.ScriptTarget.ES2022 };
const host = ts.createCompilerHost(options), { getSourceFile, fileExists } = host;
host.fileExists = (name) => name === file || fileExists(name);
host.getSourceFile = (name, ...more) => (name === file ? ts.createSourceFile(name, text, options.target) : getSourceFile(name, ...more));
const found = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
console.error(ts.formatDiagnostics(found, { getCurrentDirectory: () => "", getCanonicalFileName: (name) => name, getNewLine: () => "\n" }));
process.exit(found.length ? 1 : 0);

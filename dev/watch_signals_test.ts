import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { watchSignals } from "./watch_signals.ts";

const PRINTING = `
  import { watchSignals } from ${JSON.stringify(join(import.meta.dirname, "watch_signals.ts"))};
  const signal = watchSignals({ output: process.stdout, onStop() {}, onRepeat() {} });
  signal.addEventListener("abort", () => {
    console.error(signal.reason.message);
    process.exit();
  });
  setInterval(() => console.log("a line"), 20);
`;

after(() => {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
});

test("watchSignals() stops a program whose output is no longer read", async () => {
  const pipeline = '"$0" --input-type=module --eval "$1" | true';
  const { stderr } = await promisify(execFile)("sh", ["-c", pipeline, process.execPath, PRINTING]);
  assert.equal(stderr, "Stopped because the output was closed\n");
});

test("watchSignals() continues when an output fails for another reason", () => {
  const output = new EventEmitter();
  const signal = watchSignals({ output, onStop: () => assert.fail(), onRepeat() {} });
  output.emit("error", Object.assign(new Error("the terminal is closed"), { code: "EIO" }));
  assert.equal(signal.aborted, false);
});

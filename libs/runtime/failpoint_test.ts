import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { armFailpoint } from "./failpoint.ts";

function run(spec: string, passes: number) {
  const url = new URL("./failpoint.ts", import.meta.url);
  const script = `
    import { armFailpoint, failpoint } from ${JSON.stringify(url)};
    if (${JSON.stringify(spec)}) armFailpoint(${JSON.stringify(spec)});
    for (let n = 0; n < ${passes}; n++) failpoint("api.before_accept");
    process.exit(7);`;
  return spawnSync(process.execPath, ["--input-type=module", "-e", script]);
}

test("failpoint() ends the process at the pass that is armed, and does nothing else", () => {
  assert.equal(run("api.before_accept:3", 3).signal, "SIGKILL");
  assert.equal(run("api.before_accept:3", 2).status, 7);
  assert.equal(run("api.after_accept", 2).status, 7);
  assert.equal(run("", 2).status, 7);
});

test("armFailpoint() refuses a place that is not in the list", () => {
  assert.throws(() => armFailpoint("mailer.nowhere"), RangeError);
  assert.throws(() => armFailpoint("api.before_accept:0"), RangeError);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { runChecks } from "./check.ts";
import { makeRepository } from "./make_repository.ts";

test("runChecks() runs all checks and returns which failed, with their output", async () => {
  using repository = makeRepository({ "dev/bad.ts": "const  a = 1" });
  const results = await runChecks([
    { name: "format", command: ["deno", "fmt", "--check", "dev/bad.ts"] },
    { name: "none", command: ["no-such-program"] },
    { name: "fine", command: ["node", "-e", "console.log('hello')"] },
  ], { cwd: repository.root });
  assert.deepEqual(results.map(({ name, passed }) => [name, passed]), [
    ["format", false],
    ["none", false],
    ["fine", true],
  ]);
  assert.match(results[0]?.output ?? "", /bad\.ts/);
  assert.match(results[1]?.output ?? "", /^Cannot run "no-such-program": .*ENOENT/);
  assert.equal(results[2]?.output, "hello\n");
});

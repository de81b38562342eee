import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { CHECKS, GENERATED, runChecks } from "./check.ts";
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

for (const path of ["README.md", "CONTRIBUTING.md"]) {
  test(`${path} lists the checks`, async () => {
    const page = await readFile(new URL(`../${path}`, import.meta.url), "utf8");
    const [, listed] = /^npm run check +# (.+)$/m.exec(page) ?? [];
    const own = CHECKS.filter((check) => !GENERATED.includes(check)).map(({ name }) => name);
    assert.equal(listed, [...own, "generated files"].join(", "));
  });
}

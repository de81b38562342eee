import assert from "node:assert/strict";
import { test } from "node:test";
import { openSandbox } from "./sandbox.ts";

test(
  "a sandbox whose workers do not start answers each fill, and continues to try",
  { timeout: 10_000 },
  async () => {
    // Too little for Node itself.
    await using sandbox = openSandbox({ workers: 1, memoryMb: 2 });
    const templates = { html: { key: "x", source: "x", escape: "none" } } as const;
    const tries: number[] = [];
    for (let n = 0; n < 2; n++) {
      const [result] = await sandbox.fill({ templates, fills: [{ data: {} }] });
      assert.equal(result?.ok === false && result.error.code, "sandbox");
      tries.push(sandbox.stats().restarts);
    }
    assert.ok((tries[1] ?? 0) > (tries[0] ?? 0), `started ${tries.join()} times`);
  },
);

import assert from "node:assert/strict";
import { test } from "node:test";
import { attackSupply } from "./supply.ts";

test("attackSupply() starts no changed program", async () => {
  const [row] = await attackSupply({ tries: 20, seed: 1 });
  assert.deepEqual([row?.tries, row?.through], [20, 0]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openOneByOne } from "./one_by_one.ts";

test("openOneByOne() does the work of one account in turn, a failure notwithstanding", async () => {
  const takeTurn = openOneByOne();
  const seen: string[] = [];
  const work = (name: string, fails = false) => async () => {
    seen.push(`${name} begins`);
    await delay(5);
    seen.push(`${name} ends`);
    if (fails) throw new Error(name);
    return name;
  };
  const done = await Promise.allSettled([
    takeTurn("acc_1", work("a", true)),
    takeTurn("acc_1", work("b")),
    takeTurn("acc_2", work("c")),
  ]);
  assert.deepEqual(done.map(({ status }) => status), ["rejected", "fulfilled", "fulfilled"]);
  assert.deepEqual(seen.filter((line) => !line.startsWith("c")), [
    ...["a begins", "a ends", "b begins", "b ends"],
  ]);
  assert.ok(seen.indexOf("c begins") < seen.indexOf("a ends"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { rareWarnings } from "./rare_warnings.ts";

test("rareWarnings() warns of each failure when it begins, and every ten seconds while it lasts", (t) => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const warned: string[] = [];
  const logger = rareWarnings({ warn: (text) => void warned.push(`${nowMs / 1000} ${text}`) });
  for (; nowMs < 21_000; nowMs += 1000) {
    logger.warn("no database");
    if (nowMs >= 3000 && nowMs < 5000) logger.warn("no broker");
    if (nowMs >= 6000 && nowMs < 8000) logger.warn("no database", { error: new Error("full") });
  }
  assert.deepEqual(warned, [
    "0 no database",
    "3 no broker",
    "6 no database",
    "10 no database",
    "20 no database",
  ]);
});

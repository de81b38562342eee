import assert from "node:assert/strict";
import { test } from "node:test";
import { timeoutReason } from "./timeout_reason.ts";

test("timeoutReason() contains the limit that the document exceeded", () => {
  assert.equal(
    timeoutReason({ how: "overdue", workedMs: 30_100, elapsedMs: 30_500 }, 30_000),
    "the document took longer than 30 s",
  );
  assert.equal(
    timeoutReason({ how: "overdue", workedMs: 30_100, elapsedMs: 121_000 }, 30_000),
    "the document took longer than 30 s of browser time (121 s on a busy machine)",
  );
});

test("timeoutReason() blames the machine only for a document that waited for its processor", () => {
  const end = { workedMs: 29_900, elapsedMs: 300_400 };
  const text =
    "the document was not done after 300 s, in which it had 29 s of browser time (limit: 30 s)";
  assert.equal(
    timeoutReason({ how: "starved", ...end }, 30_000),
    `${text}: the machine is too busy`,
  );
  assert.equal(timeoutReason({ how: "overdue", ...end }, 30_000), text);
});

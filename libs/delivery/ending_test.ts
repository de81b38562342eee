import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, type Ending, requestOf } from "./ending.ts";

test("answered() marks the last outcome as sent while a later attempt has its dot", () => {
  const late: Ending = { phase: "late_register", n: 1, outcome: { state: "sent" }, next: 4 };
  const next = answered(late, { type: "existing", register: { by: "another", dot: true } });
  assert.deepEqual(requestOf(next), {
    ...{ op: "markSent", attempt: 3 },
    outcome: { state: "sent", sentBy: 1 },
  });
});

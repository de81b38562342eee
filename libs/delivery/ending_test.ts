import assert from "node:assert/strict";
import { test } from "node:test";
import { advance, answered, beginVoid, type Ending, requestOf } from "./ending.ts";

test("answered() marks the last outcome as sent while a later attempt has its dot", () => {
  const late: Ending = { phase: "late_register", n: 1, outcome: { state: "sent" }, next: 4 };
  const next = answered(late, { type: "existing", register: { by: "another", dot: true } });
  assert.deepEqual(requestOf(next), {
    ...{ op: "markSent", attempt: 3 },
    outcome: { state: "sent", sentBy: 1 },
  });
});

test("advance() repeats a lost request only if it is told how, and throws its cause otherwise", async () => {
  const outage = new Error("The ledger is away");
  let requests = 0;
  const perform = () => {
    requests++;
    return Promise.resolve({ type: "unsure" as const, cause: outage });
  };
  const ending = beginVoid({ n: 1, by: "a worker", outcome: { state: "failed" } });
  await assert.rejects(advance(ending, { perform }), outage);
  assert.equal(requests, 1);
  const stopped = new Error("Stopped");
  const beforeRepeat = () => {
    if (requests === 3) throw stopped;
  };
  await assert.rejects(advance(ending, { perform }, { beforeRepeat }), stopped);
  assert.equal(requests, 3);
});

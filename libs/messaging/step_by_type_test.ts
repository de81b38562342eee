import assert from "node:assert/strict";
import { test } from "node:test";
import { rendered, requested } from "./_test_bus.ts";
import type { Place, Step } from "./step.ts";
import { stepByType } from "./step_by_type.ts";

/** Calls as they reached the step of a type. */
const seen: unknown[][] = [];

function stepOf<T extends "send.requested" | "messages.rendered">(type: T): Step<T> {
  return {
    name: `test.${type}`,
    handle: (...call) => {
      seen.push([type, ...call]);
      return Promise.resolve({ type: "fail", reason: `by ${type}` });
    },
    giveUp: (...call) => {
      seen.push([type, ...call]);
      return { publish: [], replies: [type] };
    },
  };
}

test("stepByType() passes each event to the step of its type", async () => {
  const step = stepByType("test.both", {
    "send.requested": stepOf("send.requested"),
    "messages.rendered": stepOf("messages.rendered"),
  });
  assert.equal(step.name, "test.both");
  const { signal } = new AbortController();
  const place: Place = { release: () => {} };
  for (const delivery of [requested("acc_1"), rendered("acc_1")]) {
    const { type } = delivery;
    assert.deepEqual(await step.handle(delivery, signal, place), {
      type: "fail",
      reason: `by ${type}`,
    });
    assert.deepEqual(step.giveUp(delivery, "too often"), { publish: [], replies: [type] });
    assert.deepEqual(seen.splice(0), [
      [type, delivery, signal, place],
      [type, delivery, "too often"],
    ]);
  }
});

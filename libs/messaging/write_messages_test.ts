import assert from "node:assert/strict";
import { test } from "node:test";
import { eventOfWritten, writeMessages } from "./write_messages.ts";

test("eventOfWritten() returns the JSON that the event's data has", () => {
  const head = { v: 2, accountId: "acc_1", from: { email: "ö@example.com", name: undefined } };
  for (
    const messages of [[], [{ text: "“€”\n\ud800 \u{1}" }], [{ text: "a" }, {
      text: "ß",
      to: undefined,
    }]]
  ) {
    const { data, json } = eventOfWritten(head, writeMessages(messages));
    assert.deepEqual(data, { ...head, messages });
    assert.equal(json.toString(), JSON.stringify(data));
  }
});

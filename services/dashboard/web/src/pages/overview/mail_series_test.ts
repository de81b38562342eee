import assert from "node:assert/strict";
import { test } from "node:test";
import { lookOfMessage } from "../messages/message_look.ts";
import { MAIL_SERIES } from "./mail_series.ts";

test("MAIL_SERIES has the colours that the states have on all other pages", () => {
  assert.deepEqual(
    MAIL_SERIES.map(({ name, color }) => [name, color]),
    MAIL_SERIES.map(({ name }) => [name, `${lookOfMessage(name).color}.6`]),
  );
});

test("MAIL_SERIES stacks messages by their state, and counts deferrals, which are attempts, apart", () => {
  assert.deepEqual(
    MAIL_SERIES.map(({ label }) => label),
    ["Sent", "Failed", "Unknown", "Deferrals"],
  );
  const stacked = MAIL_SERIES.filter(({ stackId }) => stackId === "messages");
  assert.deepEqual(stacked.map(({ label }) => label), ["Sent", "Failed", "Unknown"]);
});

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

test("MAIL_SERIES counts deferrals, which are attempts, and otherwise messages by their state", () => {
  assert.deepEqual(
    MAIL_SERIES.map(({ label }) => label),
    ["Sent", "Failed", "Deferrals", "Unknown"],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { removalText } from "./removal_text.ts";

test("removalText() names the templates that show a file", () => {
  const users = ["A", "B", "C", "D", "E"].map((name, id) => ({ kind: "email" as const, id, name }));
  assert.match(removalText([]), /^No published template shows it/);
  assert.match(removalText(users.slice(0, 1)), /^The template “A” shows it\. Its published/);
  assert.match(removalText(users.slice(0, 2)), /^The templates “A” and “B” show it\. Their/);
  assert.match(removalText(users), /^The templates “A”, “B”, “C” and 2 more show it\./);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { byDay, takesLong } from "@posthaste/kit";
import { attackDashboard } from "./dashboard.ts";

takesLong();

test("attackDashboard() reaches no account, change or secret, and fills no memory", {
  skip: process.platform !== "linux" && "the memory of a process is read from /proc",
}, async () => {
  const rows = await attackDashboard({ tries: byDay(30, 1500), seed: 1 });
  assert.equal(rows.length, 11);
  for (const { attack, tries, through, note } of rows) {
    assert.equal(through, 0, `${attack}: ${note}`);
    assert.ok(tries > 0, attack);
  }
});

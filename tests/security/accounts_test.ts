import assert from "node:assert/strict";
import { test } from "node:test";
import { byDay, takesLong } from "@posthaste/kit";
import { attackAccounts } from "./accounts.ts";

takesLong();

test("attackAccounts() gets into no other account, and with no token that is not live", async () => {
  for (
    const { attack, tries, through, note } of await attackAccounts({
      tries: byDay(10, 150),
      seed: 1,
    })
  ) {
    assert.equal(through, 0, `${attack}: ${note}`);
    assert.ok(tries > 0, attack);
  }
});

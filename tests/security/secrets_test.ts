import assert from "node:assert/strict";
import { test } from "node:test";
import { byDay } from "@posthaste/kit";
import { attackSecrets } from "./secrets.ts";

test("attackSecrets() reaches no secret, and finds no trace of one", async () => {
  const said: string[] = [];
  const rows = await attackSecrets({
    ...{ tries: 110, seed: 1, withSystem: byDay(false, true) },
    onProgress: (line) => said.push(line),
  });
  for (const { attack, tries, through } of rows) {
    assert.equal(through, 0, `${attack}: ${said.join("\n")}`);
    assert.ok(tries > 0, attack);
  }
  assert.equal(rows.length, byDay(3, 7));
});

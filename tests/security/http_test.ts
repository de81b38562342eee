import assert from "node:assert/strict";
import { test } from "node:test";
import { byDay, takesLong } from "@posthaste/kit";
import { attackHttp } from "./http.ts";

takesLong();

test("the HTTP interface refuses malicious requests, fast and with little memory", async () => {
  const rows = await attackHttp({
    ...{ tries: byDay(3, 40), seed: 4, limitMs: 400, isShort: true },
    endpoints: byDay(["send"], ["send", "render"]),
  });
  assert.ok(rows.length > 10);
  assert.deepEqual(rows.filter(({ through }) => through > 0), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { nightly } from "@posthaste/kit";
import { attackHttp } from "./http.ts";

nightly(
  "services/api/interface_test.ts",
  "services/api/wait_rule_test.ts",
  "libs/http/edge_errors_test.ts",
);

test("the HTTP interface refuses malicious requests, fast and with little memory", async () => {
  const rows = await attackHttp({
    ...{ tries: 40, seed: 4, limitMs: 400, isShort: true },
    endpoints: ["send", "render"],
  });
  assert.ok(rows.length > 10);
  assert.deepEqual(rows.filter(({ through }) => through > 0), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOptionsSchema } from "@posthaste/contracts";
import { printKey } from "./print_key.ts";

const page = pageOptionsSchema.parse({});
const accountId = "acc_1";
const engine = "Chromium 1";
const madeAt = new Date(0);

test("printKey() is 64 hex digits and depends on account, html, page options, time and engine", () => {
  const key = printKey({ accountId, html: "<p>", page, madeAt, engine });
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.notEqual(key, printKey({ accountId: "acc_2", html: "<p>", page, madeAt, engine }));
  const later = new Date(3_600_000);
  assert.notEqual(key, printKey({ accountId, html: "<p>", page, madeAt: later, engine }));
  assert.notEqual(key, printKey({ accountId, html: "<b>", page, madeAt, engine }));
  assert.notEqual(
    key,
    printKey({ accountId, html: "<p>", page: { ...page, background: false }, madeAt, engine }),
  );
  assert.notEqual(key, printKey({ accountId, html: "<p>", page, madeAt, engine: "Chromium 2" }));
});

test("printKey() ignores the order of fields, and undefined fields", () => {
  const turned = Object.fromEntries(Object.entries(page).reverse()) as typeof page;
  assert.equal(
    printKey({ accountId, html: "", page, madeAt, engine }),
    printKey({ accountId, html: "", page: turned, madeAt, engine }),
  );
  const padded = { ...page, header: undefined } as unknown as typeof page;
  assert.equal(
    printKey({ accountId, html: "", page, madeAt, engine }),
    printKey({ accountId, html: "", page: padded, madeAt, engine }),
  );
});

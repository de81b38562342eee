import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOptionsSchema } from "@posthaste/contracts";
import { printKey } from "./print_key.ts";

const page = pageOptionsSchema.parse({});
const engine = "Chromium 1";

test("printKey() is 64 hex digits and depends on html, page options and engine", () => {
  const key = printKey({ html: "<p>", page, engine });
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.notEqual(key, printKey({ html: "<b>", page, engine }));
  assert.notEqual(key, printKey({ html: "<p>", page: { ...page, background: false }, engine }));
  assert.notEqual(key, printKey({ html: "<p>", page, engine: "Chromium 2" }));
});

test("printKey() does not look at the order of fields, nor at those left undefined", () => {
  const turned = Object.fromEntries(Object.entries(page).reverse()) as typeof page;
  assert.equal(printKey({ html: "", page, engine }), printKey({ html: "", page: turned, engine }));
  const padded = { ...page, header: undefined } as unknown as typeof page;
  assert.equal(printKey({ html: "", page, engine }), printKey({ html: "", page: padded, engine }));
});

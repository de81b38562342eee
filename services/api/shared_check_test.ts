import assert from "node:assert/strict";
import { test } from "node:test";
import { stopTime } from "@posthaste/kit";
import { sharedCheck } from "./shared_check.ts";

test("sharedCheck() checks once for all callers at about the same time", async (context) => {
  const time = stopTime(context);
  let asked = 0;
  const check = sharedCheck(() => Promise.resolve(asked++), { timeoutMs: 100, freshMs: 50 });
  await Promise.all([check(), check(), check()]);
  await check();
  assert.equal(asked, 1);
  await time.move(50);
  await check();
  assert.equal(asked, 1);
  await time.move(1);
  await check();
  assert.equal(asked, 2);
});

test("sharedCheck() fails when the check does, or is late", async () => {
  const options = { timeoutMs: 20, freshMs: 50 };
  await assert.rejects(sharedCheck(() => Promise.reject(new Error("away")), options)(), /away/);
  const late = sharedCheck(() => new Promise(() => {}), options);
  await assert.rejects(late(), /no answer within 20 ms/);
});

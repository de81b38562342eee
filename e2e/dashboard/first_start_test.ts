import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Desk, openDesk, untilShown } from "./desk.ts";

let desk: Desk;
before(async () => {
  desk = await openDesk({ isDemo: false });
});
after(() => desk?.[Symbol.asyncDispose]());

test("a dashboard without DEMO_ACCOUNT lets nobody in with one click", async () => {
  const answer = await fetch(`${desk.url}/api/entrance/demo`, {
    method: "POST",
    headers: { origin: desk.url },
  });
  assert.equal(answer.status, 404);
  assert.equal(answer.headers.get("set-cookie"), null);
  await using look = await desk.look("/", { isSignedIn: false });
  await untilShown(look.page);
  assert.equal(await look.page.getByRole("button", { name: /^Open the/ }).count(), 0);
});

test("a page that was opened before a deployment loads itself anew, once", async () => {
  await using look = await desk.look("/", { isSignedIn: false });
  const { page } = look;
  await untilShown(page);
  let loads = 0;
  page.on("load", () => loads++);
  const miss = () => page.evaluate(() => dispatchEvent(new Event("vite:preloadError")));
  await Promise.all([page.waitForEvent("load"), miss().catch(() => {})]);
  await untilShown(page);
  await miss();
  await page.waitForTimeout(300);
  assert.equal(loads, 1);
});

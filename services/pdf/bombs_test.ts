import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { PRINT_BOMBS } from "@posthaste/kit";
import { PrintError } from "./print_error.ts";
import { job, NO_CHROMIUM, openTestBrowser, textOf } from "./_test_browser.ts";

/** `npm run security` tests the others. */
const NEVER_DONE = "50,000 pages";
const SHORT = [NEVER_DONE, "an image of 900 million pixels", "frames by the thousand"];

suite("a document that is a bomb", { skip: NO_CHROMIUM }, () => {
  test("ends within its time limit, and does not disturb the next document", async () => {
    await using browser = await openTestBrowser({ timeLimit: 1000, concurrency: 1 });
    await browser.warm();
    for (const { name, html } of PRINT_BOMBS.filter(({ name }) => SHORT.includes(name))) {
      const error = await browser.print(job(html())).then(() => undefined, (error) => error);
      assert.ok(error === undefined || error instanceof PrintError, `${name}: ${error}`);
      // On a very busy machine the browser looks as if it hung.
      const isClear = error?.code !== "unavailable" && !/crashed/.test(error?.reason ?? "");
      assert.ok(isClear, `${name}: ${error}`);
      if (name === NEVER_DONE) assert.equal(error?.code, "timeout", `${name}: ${error}`);
      assert.deepEqual(await textOf((await browser.print(job("next"))).pdf), ["next"], name);
    }
  });
});

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { PdfBrowser } from "./browser.ts";
import { job, NO_CHROMIUM, openTestBrowser } from "./_test_browser.ts";

const AT = "http://10.0.0.1";
const many = (html: (n: number) => string) =>
  Array.from({ length: 60 }, (_, n) => html(n)).join("");

/** Documents that request more and more for almost a second, also after their PDF is made. */
const LATE: Record<string, string> = {
  "images that an animation names": `<svg>${
    many((n) =>
      `<image width=9 height=9><set attributeName=href to="${AT}/${n}" begin="${
        n * 15
      }ms"/></image>`
    )
  }</svg>`,
};

/** Large, so that the document before has time to interfere. */
const NEXT = `<p>next<!--${"x".repeat(2_000_000)}-->`;

suite("print()", { skip: NO_CHROMIUM }, () => {
  for (const [what, html] of Object.entries(LATE)) {
    test(`print() does not report another document's refused addresses: ${what}`, async () => {
      await using browser: PdfBrowser = await openTestBrowser({ concurrency: 1 });
      for (let n = 0; n < 4; n++) {
        await browser.print(job(html));
        const { blocked } = await browser.print(job(NEXT));
        assert.deepEqual(blocked, [], `round ${n}`);
      }
    });
  }
});

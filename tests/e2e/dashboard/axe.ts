import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import type { Page } from "playwright-core";

/** `axe.source` is more than twice as long. */
const SOURCE = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** The other rules do not depend on colours. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * Fails if axe finds something on a page, however small. Frames with customers' mails are not checked.
 *
 * @param only `colours` checks only the rules about colours, on a page that was checked before.
 */
export async function expectNoAxeViolations(page: Page, only?: "colours"): Promise<void> {
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(SOURCE);
  const { violations } = await page.evaluate(
    (rules) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
        iframes: false,
        resultTypes: ["violations"],
        ...(rules === undefined ? {} : { runOnly: { type: "rule", values: rules } }),
      }),
    only === undefined ? undefined : OF_COLOURS,
  );
  const found = violations.map((violation) => ({
    [`${violation.id} (${violation.impact})`]: violation.help,
    where: violation.nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
  }));
  assert.deepEqual(found, [], `of ${page.url()}`);
}

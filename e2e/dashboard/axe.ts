import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import type { Page } from "playwright-core";

/** `axe.source` is more than twice as long. */
const SOURCE = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

const GRAVE: readonly unknown[] = ["serious", "critical"];

/**
 * Fails if something on a page keeps people with disabilities out: no finding of axe may be serious or
 * critical. Frames, in which mails of customers are shown, are theirs.
 */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(SOURCE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      iframes: false,
      resultTypes: ["violations"],
    })
  );
  const found = violations.filter(({ impact }) => GRAVE.includes(impact)).map((violation) => ({
    [`${violation.id} (${violation.impact})`]: violation.help,
    where: violation.nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
  }));
  assert.deepEqual(found, [], `of ${page.url()}`);
}

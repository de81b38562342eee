import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";

const GRAVE: readonly unknown[] = ["serious", "critical"];

/**
 * Fails if something on a page keeps people with disabilities out: no finding of axe may be serious or
 * critical. Frames, in which mails of customers are shown, are theirs.
 */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  await page.evaluate(axe.source);
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

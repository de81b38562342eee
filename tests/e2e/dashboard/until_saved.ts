import type { Page } from "playwright-core";

/**
 * Waits until the editor has saved its draft. It does so by itself, a few seconds after the last change: a click on
 * "Save draft" may come too late, and then waits for a button that has nothing to do.
 */
export async function untilSaved(page: Page): Promise<void> {
  await page.getByText("Saved", { exact: true }).waitFor();
}

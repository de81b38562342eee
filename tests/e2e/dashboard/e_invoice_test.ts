import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";
import { untilSaved } from "./until_saved.ts";

nightly("tests/e2e/e_invoice_test.ts", "services/dashboard/templates_test.ts");

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

interface Stored {
  id: number;
  draft: { invoice?: string; page: { invoice?: string; conformance?: string } };
}

test("an author writes the XML of an invoice, sees its fault, and takes it away", async () => {
  const { editor } = fixture.people;
  const body = { name: "E-invoice", example: "e-invoice" };
  const { id } = await editor.ask<Stored>("POST", "/templates/pdf", body);
  await using look = await fixture.look(`/pdf-templates/${id}`, { who: "editor" });
  const { page } = look;
  await untilShown(page);
  await page.getByRole("tab", { name: "Invoice XML" }).click();
  const editing = page.getByRole("textbox", { name: "XML of the invoice" });
  await editing.getByText("CrossIndustryInvoice").first().waitFor();
  await page.getByText("No issues").first().waitFor();
  await expectNoAxeViolations(page);

  await editing.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("<a>");
  await page.getByText(/the invoice XML cannot be used/).first().waitFor();

  await page.getByRole("tab", { name: "Page setup" }).click();
  const profile = page.getByRole("combobox", { name: "Invoice XML (Factur-X, ZUGFeRD)" });
  assert.equal(await profile.inputValue(), "EN 16931");
  await expectNoAxeViolations(page);
  await page.getByRole("switch", { name: "PDF/A-3b" }).click({ force: true });
  assert.equal(await profile.inputValue(), "None");
  // A text without a profile can still be reached.
  await page.getByText(/name no profile/).first().waitFor();
  await page.getByRole("tab", { name: "Invoice XML" }).click();
  await editing.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.getByRole("tab", { name: "Invoice XML" }).waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "HTML of the document" }).waitFor();
  await untilSaved(page);
  const { draft } = await editor.ask<Stored>("GET", `/templates/pdf/${id}`);
  assert.deepEqual([draft.invoice, draft.page.invoice, draft.page.conformance], [
    ...[undefined, undefined, undefined],
  ]);
  assert.deepEqual(look.faults, []);
});

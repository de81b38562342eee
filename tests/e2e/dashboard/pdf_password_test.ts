import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";
import { untilSaved } from "./until_saved.ts";

nightly("services/pdf/encrypt_pdf_test.ts", "services/dashboard/templates_test.ts");

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

interface Stored {
  id: number;
  revision: number;
  draft: { page: { passwordVariable?: string } };
}

test("an author names the variable with a PDF's password; PDF/A and undeclared ones are refused", async () => {
  const { editor } = fixture.people;
  const body = { name: "Payslip", example: "invoice" };
  const { id } = await editor.ask<Stored>("POST", "/templates/pdf", body);
  await using look = await fixture.look(`/pdf-templates/${id}`, { who: "editor" });
  const { page } = look;
  await untilShown(page);
  await page.getByRole("tab", { name: "Page setup" }).click();
  const variable = page.getByRole("textbox", { name: "Variable with the password" });
  await variable.fill("customer number");
  await page.getByText(/Enter the name of a variable/).first().waitFor();
  await variable.fill("secret");
  await page.getByText(/"secret", the password of the PDF, is not declared/).first().waitFor();
  await variable.fill("number");
  await page.getByText(/No issues/).first().waitFor();
  await page.getByRole("switch", { name: "PDF/A-3b" }).click({ force: true });
  await page.getByText(/nobody could open this PDF in an archive/).first().waitFor();
  await expectNoAxeViolations(page);
  await untilSaved(page);
  const { draft, revision } = await editor.ask<Stored>("GET", `/templates/pdf/${id}`);
  assert.equal(draft.page.passwordVariable, "number");
  await assert.rejects(
    editor.ask("POST", `/templates/pdf/${id}/publish`, { revision }),
    /PDF\/A forbids passwords/,
  );
  assert.deepEqual(look.faults, []);
});

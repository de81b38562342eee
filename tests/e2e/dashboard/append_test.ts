import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { minimalPdf, nightly } from "@posthaste/kit";
import { keepFile } from "../keep_file.ts";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";
import { untilSaved } from "./until_saved.ts";

nightly("services/pdf/append_pages_test.ts", "services/dashboard/templates_test.ts");

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

interface Stored {
  id: number;
  revision: number;
  draft: { page: { append?: string[] } };
  publishedVersion: number | null;
}

const keep = (name: string, bytes: Buffer) =>
  keepFile(fixture.system, {
    ...{ name, bytes, filename: `${name}.pdf`, contentType: "application/pdf" },
  });

test("an author appends a stored PDF; a missing and an encrypted one are refused", async () => {
  const terms = minimalPdf(["Terms"]);
  await keep("terms", terms);
  const locked = terms.toString("latin1").replace("/Root 1 0 R", "/Encrypt 4 0 R $&");
  await keep("locked", Buffer.from(locked, "latin1"));
  const { editor } = fixture.people;
  const body = { name: "Offer", example: "invoice" };
  const { id } = await editor.ask<Stored>("POST", "/templates/pdf", body);
  await using look = await fixture.look(`/pdf-templates/${id}`, { who: "editor" });
  const { page } = look;
  await untilShown(page);
  await page.getByRole("tab", { name: "Page setup" }).click();
  const names = page.getByRole("combobox", { name: "Appended PDFs" });
  const type = async (name: string) => {
    await names.fill(name);
    await names.press("Enter");
  };
  await type("gone");
  await page.getByText('There is no stored PDF "gone"').first().waitFor();
  await names.press("Backspace");
  await type("locked");
  await page.getByText(/the PDF "locked" cannot be appended: it is encrypted/).first().waitFor();
  await names.press("Backspace");
  await type("terms");
  await page.getByText(/No issues/).first().waitFor();
  await expectNoAxeViolations(page);
  await untilSaved(page);
  const { draft, revision } = await editor.ask<Stored>("GET", `/templates/pdf/${id}`);
  assert.deepEqual(draft.page.append, ["terms"]);
  const published = await editor.ask<Stored>("POST", `/templates/pdf/${id}/publish`, { revision });
  assert.equal(published.publishedVersion, 1);
  const { store, accountId } = fixture.system;
  const version = await store.templates.findVersion(accountId, "pdf", id, 1);
  assert.deepEqual(version?.assets?.map(({ name }) => name), ["terms"]);
  assert.deepEqual(look.faults, []);
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { expectNoAxeViolations } from "./axe.ts";
import {
  type DashboardFixture,
  type Look,
  openDashboardFixture,
  untilShown,
} from "./dashboard_fixture.ts";
import { makeDraft, readDraft, subjectOf, writeTheirs } from "./email_draft.ts";

nightly("services/dashboard/templates_test.ts", "services/dashboard/integrations_test.ts");

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

test("the second to save sees the difference, and nothing is lost before they choose", async () => {
  const { id } = await makeDraft(fixture);
  await using first = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  await using second = await fixture.look(`/email-templates/${id}`);
  await Promise.all([untilShown(first.page), untilShown(second.page)]);
  await writeSubject(first.page, "Theirs");
  await writeSubject(second.page, "Mine");
  await save(first.page);
  await first.page.getByText("Draft saved").waitFor();

  await save(second.page);
  const dialog = second.page.getByRole("dialog", { name: "Someone else changed this draft" });
  await dialog.getByText("Eddie Editor saved this draft while you were editing").waitFor();
  for (const text of ["Theirs", "Mine"]) await dialog.getByText(text).first().waitFor();
  await expectNoAxeViolations(second.page);
  assert.equal((await readDraft(fixture, id)).draft.subject, "Theirs");

  await dialog.getByRole("button", { name: "Continue editing" }).click();
  assert.equal(await subjectOf(second.page), "Mine");
  await save(second.page);
  await dialog.getByRole("button", { name: "Keep mine" }).click();
  await second.page.getByText("Your version is saved").waitFor();
  assert.equal((await readDraft(fixture, id)).draft.subject, "Mine");
  assert.deepEqual([...first.faults, ...second.faults], []);
});

test("a person who takes the other's draft continues with it, and may save again", async () => {
  await using look = await lookAfterTheirs();
  const { page, id } = look;
  await save(page);
  await page.getByRole("button", { name: "Use theirs, discard mine" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.equal(await subjectOf(page), "Theirs");
  await writeSubject(page, "Ours");
  await save(page);
  await page.getByText("Draft saved").waitFor();
  assert.equal((await readDraft(fixture, id)).draft.subject, "Ours");
});

test("publishing after another's change asks, too", async () => {
  await using look = await lookAfterTheirs();
  const { page, id } = look;
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("button", { name: "Save and publish" }).click();
  await page.getByRole("dialog", { name: "Someone else changed this draft" }).waitFor();
  const versions = await fixture.people.owner.ask<unknown[]>(
    "GET",
    `/templates/email/${id}/versions`,
  );
  assert.deepEqual(versions, []);
  assert.equal((await readDraft(fixture, id)).draft.subject, "Theirs");
});

test("an integration that two people change keeps the first change, and the second person is notified", async () => {
  const id = await fixture.system.connect(25, { name: "Before" });
  await using first = await fixture.look(`/integrations/${id}`, { who: "editor" });
  await using second = await fixture.look(`/integrations/${id}`);
  for (const [{ page }, name] of [[first, "Theirs"], [second, "Mine"]] as const) {
    await untilShown(page);
    await page.getByRole("textbox", { name: "Name" }).fill(name);
  }
  await first.page.getByRole("button", { name: "Save changes" }).click();
  await first.page.getByText("The integration was saved").waitFor();
  await second.page.getByRole("button", { name: "Save changes" }).click();
  await second.page.getByText("Someone else changed this integration").waitFor();
  assert.equal(await second.page.getByRole("textbox", { name: "Name" }).inputValue(), "Mine");
  const { system: { store, accountId } } = fixture;
  assert.equal((await store.integrations.find(accountId, id))?.name, "Theirs");
});

test("leaving with unsaved changes asks for confirmation", async () => {
  const { id } = await makeDraft(fixture);
  await using look = await fixture.look(`/email-templates/${id}`);
  const { page } = look;
  await untilShown(page);
  await writeSubject(page, "Mine");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Tokens" })
    .click();
  await page.getByRole("button", { name: "Stay" }).click();
  assert.equal(await subjectOf(page), "Mine");
});

/** Writes the subject "Mine" of a template, after another person has saved "Theirs". */
async function lookAfterTheirs(): Promise<Look & { id: number }> {
  const made = await makeDraft(fixture);
  const look = await fixture.look(`/email-templates/${made.id}`);
  await untilShown(look.page);
  await writeSubject(look.page, "Mine");
  await writeTheirs(fixture, made);
  return { ...look, id: made.id };
}

async function writeSubject(page: Page, subject: string): Promise<void> {
  await page.getByRole("textbox", { name: "Subject" }).fill(subject);
  await page.getByText("Not saved").waitFor();
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save draft" }).click();
}

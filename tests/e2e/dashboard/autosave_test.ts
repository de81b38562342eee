import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly, until } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";
import { makeDraft, readDraft, subjectOf, writeTheirs } from "./email_draft.ts";

nightly(
  "services/dashboard/web/src/pages/templates/kept_draft_test.ts",
  "services/dashboard/templates_test.ts",
);

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

test("a draft is saved by itself, a few seconds after the last change", async () => {
  const { id } = await makeDraft(fixture);
  await using look = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  await writeSubject(page, "By itself");
  await page.getByText("Saved", { exact: true }).waitFor();
  const { draft, revision } = await readDraft(fixture, id);
  assert.deepEqual([draft.subject, revision], ["By itself", 2]);
  assert.deepEqual(await keptIn(page), []);
  await expectNoAxeViolations(page);
  assert.deepEqual(faults, []);
});

test("another person's change stops it, and both can be compared", async () => {
  const made = await makeDraft(fixture);
  const { id } = made;
  await using look = await fixture.look(`/email-templates/${id}`);
  const { page } = look;
  await untilShown(page);
  await writeTheirs(fixture, made);
  await writeSubject(page, "Mine");
  await page.getByText("Eddie Editor changed this draft").waitFor();
  assert.equal((await readDraft(fixture, id)).draft.subject, "Theirs");
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("button", { name: "Keep mine" }).click();
  await page.getByText("Your version is saved").waitFor();
  assert.equal((await readDraft(fixture, id)).draft.subject, "Mine");
});

test("what was not saved before a crash is offered again, and forgotten once it is saved", async () => {
  const { id } = await makeDraft(fixture);
  await using look = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  const { page } = look;
  await untilShown(page);
  await page.route("**/draft", (route) => route.abort());
  await writeSubject(page, "Before the crash");
  await page.getByText("Not saved: saving failed").waitFor();
  assert.equal((await keptIn(page)).length, 1);
  await page.close({ runBeforeUnload: false });

  const again = await page.context().newPage();
  await again.goto(`${fixture.url}/email-templates/${id}`);
  await untilShown(again);
  await again.getByText(/Your changes from .* were not saved/).waitFor();
  await expectNoAxeViolations(again);
  assert.notEqual(await subjectOf(again), "Before the crash");
  await again.getByRole("button", { name: "Restore them" }).click();
  assert.equal(await subjectOf(again), "Before the crash");
  await again.getByText("Saved", { exact: true }).waitFor();
  assert.equal((await readDraft(fixture, id)).draft.subject, "Before the crash");
  await until(async () => (await keptIn(again)).length === 0, {
    message: "the browser to forget it",
  });
});

test("signing out forgets what was not saved", async () => {
  const { id } = await makeDraft(fixture);
  await using look = await fixture.look(`/email-templates/${id}`, { who: "newcomer" });
  const { page } = look;
  await page.evaluate(() => localStorage.setItem("posthaste.draft.acc.somebody.email.1", "{}"));
  await page.getByRole("button", { name: "You and your accounts" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("textbox", { name: "Password" }).waitFor();
  assert.deepEqual(await keptIn(page), []);
});

test("signing out in an editor forgets what could not be saved there", async () => {
  const { id } = await makeDraft(fixture);
  await using look = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  const { page } = look;
  await untilShown(page);
  await page.route("**/draft", (route) => route.abort());
  await writeSubject(page, "A secret");
  await page.getByText("Not saved: saving failed").waitFor();
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "You and your accounts" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("textbox", { name: "Password" }).waitFor();
  assert.deepEqual(await keptIn(page), []);
});

function keptIn(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Object.keys(localStorage).filter((key) => key.startsWith("posthaste.draft."))
  );
}

async function writeSubject(page: Page, subject: string): Promise<void> {
  await page.getByRole("textbox", { name: "Subject" }).fill(subject);
}

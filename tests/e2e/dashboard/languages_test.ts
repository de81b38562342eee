import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { expectNoAxeViolations } from "./axe.ts";
import { nightly } from "@posthaste/kit";
import {
  type DashboardFixture,
  type Look,
  openDashboardFixture,
  untilShown,
} from "./dashboard_fixture.ts";

nightly(
  "services/dashboard/templates_test.ts",
  "services/dashboard/web/src/pages/templates/draft_in_language_test.ts",
);

interface Stored {
  id: number;
  revision: number;
  draft: Record<string, unknown>;
}

let fixture: DashboardFixture;
let look: Look;
let page: Page;
let letter: Stored;
let opened: AsyncDisposableStack;
before(async () => {
  await using stack = new AsyncDisposableStack();
  fixture = stack.use(await openDashboardFixture());
  const { ask } = fixture.people.editor;
  const make = async (name: string, changes: object) => {
    const { id, revision, draft } = await ask<Stored>("POST", "/templates/email", { name });
    const source = { ...draft, variables: [], sample: { total: 1.5 }, ...changes };
    return await ask<Stored>("PUT", `/templates/email/${id}/draft`, { revision, source });
  };
  const body = { subject: "Bonjour", html: "<p>Bonjour", text: "", filename: "" };
  const other = await make("Other", { subject: "Hi", html: "<p>Hi", variants: { fr: body } });
  const { id, revision } = other;
  await ask("POST", `/templates/email/${id}/publish`, { revision });
  letter = await make("Letter", {
    ...{ subject: "Your bill", html: "<html><p>Total {{number total}}</p></html>" },
  });
  look = stack.use(await fixture.look(`/email-templates/${letter.id}`, { who: "editor" }));
  page = look.page;
  opened = stack.move();
});
after(() => opened?.disposeAsync());

// Each of these is a step of one job: the next ones use its results.

test("the editor shows no missing languages of a template that is in one language", async () => {
  await untilShown(page);
  await page.getByRole("tab", { name: "en (default)" }).waitFor();
  await preview("Total 1.5").waitFor();
  assert.equal(await page.getByText("Missing:").count(), 0);
});

test("an author adds a language as a copy of the default, writes it, and sees it", async () => {
  await page.getByRole("button", { name: "Add language" }).click();
  const field = page.getByRole("combobox", { name: "Language" });
  await field.fill("de_AT");
  await page.getByText("Enter a language tag such as de or pt-BR").waitFor();
  await field.fill("de-at");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const tab = page.getByRole("tab", { name: "de-AT" });
  assert.equal(await tab.getAttribute("aria-selected"), "true");
  // Another template has it, and this one is translated now.
  await page.getByText("Missing: fr").waitFor();
  // It begins as a copy, with the numbers of its language.
  await preview("Total 1,5").waitFor();
  await page.getByRole("textbox", { name: "Subject" }).fill("Ihre Rechnung");
  await write("<html><p>Summe {{number total}}</p></html>");
  await preview("Summe 1,5").waitFor();
  await expectNoAxeViolations(page);
  await page.getByRole("tab", { name: "en (default)" }).click();
  await preview("Total 1.5").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Subject" }).inputValue(), "Your bill");
});

test("publishing has both languages, and names the one with a fault", async () => {
  await page.getByRole("tab", { name: "de-AT" }).click();
  await write("<p>{{#iff total}}x{{/iff}}</p>");
  await page.getByText("There is no helper").first().waitFor();
  await page.getByRole("tab", { name: "en (default)" }).click();
  await preview("Total 1.5").waitFor();
  await publish();
  await page.getByRole("dialog").getByText("variants/de-AT/html:1:4").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("tab", { name: "de-AT" }).click();
  await write("<html><p>Summe {{number total}}</p></html>");
  await preview("Summe 1,5").waitFor();
  await publish();
  await page.getByText("Version 1 is now live").last().waitFor();
  const { accountId, store } = fixture.system;
  const version = await store.templates.findVersion(accountId, "email", letter.id, 1);
  assert.equal(version?.parts.subject, "Your bill");
  assert.equal(version?.variants?.["de-AT"]?.parts.subject, "Ihre Rechnung");
  assert.match(version?.variants?.["de-AT"]?.parts.html ?? "", /<html lang="de-AT">/);
});

test("an author removes a language after a question", async () => {
  await page.getByRole("button", { name: "Actions for de-AT" }).click();
  await page.getByRole("menuitem", { name: "Remove de-AT" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("tab", { name: "de-AT" }).waitFor({ state: "detached" });
  await page.getByText("Not saved").waitFor();
  assert.deepEqual(look.faults, []);
});

test("an owner sets the language of the account's mails, and takes it back", async () => {
  await using owners = await fixture.look("/settings/mail");
  const form = owners.page.getByRole("region", { name: "Language" });
  const field = form.getByRole("combobox", { name: "Language" });
  const save = async (language: string) => {
    await field.fill(language);
    // The list of languages covers the button.
    await field.press("Escape");
    await form.getByRole("button", { name: "Save" }).click();
  };
  const { accountId, store } = fixture.system;
  const stored = async () => (await store.accounts.find(accountId))?.locale;
  await save("de_AT");
  await form.getByText("Enter a language tag such as de or pt-BR").waitFor();
  await save("de-at");
  await owners.page.getByText("Mails are in Austrian German").waitFor();
  assert.deepEqual([await stored(), await field.inputValue()], ["de-AT", "de-AT"]);
  await save("");
  await owners.page.getByText("Mails use the default language").waitFor();
  assert.equal(await stored(), null);
  assert.deepEqual(owners.faults, []);
});

function preview(text: string) {
  return page.frameLocator('iframe[title="Preview of the mail"]').getByText(text);
}

async function write(source: string): Promise<void> {
  await page.getByRole("textbox", { name: "HTML or MJML of the mail" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(source);
}

async function publish(): Promise<void> {
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: /ublish$/ }).click();
}

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

nightly("services/dashboard/partials_test.ts", "tests/e2e/dashboard/pages_test.ts");

let fixture: DashboardFixture;
let look: Look;
let page: Page;
let opened: AsyncDisposableStack;
before(async () => {
  await using stack = new AsyncDisposableStack();
  fixture = stack.use(await openDashboardFixture());
  look = stack.use(await fixture.look("/partials", { who: "editor" }));
  page = look.page;
  opened = stack.move();
});
after(() => opened?.disposeAsync());

interface Stored {
  id: number;
  revision: number;
  draft: { html: string; subject: string };
}

// Each of these is a step of one job: the next ones use its results.

test("an editor sets a colour and a text of the brand, and publishes them", async () => {
  await untilShown(page);
  await page.getByRole("link", { name: "Brand" }).click();
  await add("Colour");
  await page.getByRole("textbox", { name: "Colour" }).fill("#e8590c");
  await add("Text");
  await page.getByRole("textbox", { name: "Text" }).fill('Shop "Ltd"');
  await page.getByText("It cannot have").waitFor();
  assert.equal(await page.getByRole("button", { name: "Publish", exact: true }).isEnabled(), false);
  await page.getByRole("textbox", { name: "Text" }).fill("Shop Ltd");
  await expectNoAxeViolations(page);
  await publish("No template uses it yet");
  await page.getByText("Version 1", { exact: true }).waitFor();
});

test("an editor writes a partial, sees it, and publishes it", async () => {
  await page.getByRole("link", { name: "All partials" }).click();
  await page.getByRole("button", { name: "New partial" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("textbox", { name: "Name" }).fill("Footer");
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByText("Lowercase letters").waitFor();
  await form.getByRole("textbox", { name: "Name" }).fill("footer");
  await form.getByRole("button", { name: "Create" }).click();
  await write("<b style='color: {{@brand.color}}'>{{@brand.text}}, Rome</b>");
  await page.frameLocator('iframe[title="Preview of the mail"]').getByText("Shop Ltd, Rome")
    .waitFor();
  await publish("No template uses it yet");
});

test("a change of a partial names the templates that change, and changes them", async () => {
  const { ask } = fixture.people.editor;
  const view = await ask<Stored>("POST", "/templates/email", { name: "Letter" });
  const path = `/templates/email/${view.id}`;
  const source = { ...view.draft, subject: "Hi", html: "<p>Dear reader, {{> footer}}</p>" };
  const { revision } = await ask<Stored>("PUT", `${path}/draft`, {
    revision: view.revision,
    source,
  });
  await ask("POST", `${path}/publish`, { revision });

  await page.reload();
  await untilShown(page);
  await write("<b>{{@brand.colour}}</b>");
  await page.getByText('did you mean "@brand.color"?').first().waitFor();
  await write("<b style='color: {{@brand.color}}'>Pisa</b>");
  await page.getByRole("combobox", { name: "Where the preview shows it" })
    .selectOption({ label: "In “Letter”" });
  await page.frameLocator('iframe[title="Preview of the mail"]').getByText("Dear reader, Pisa")
    .waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This edit changes 1 template").waitFor();
  await dialog.getByRole("link", { name: "Letter" }).waitFor();
  await expectNoAxeViolations(page);
  await dialog.getByRole("button", { name: "Save and publish" }).click();
  await page.getByText("Version 2 is now live, with 1 template").waitFor();

  const { accountId, store } = fixture.system;
  const version = await store.templates.findVersion(accountId, "email", view.id, 2);
  assert.equal(
    version?.parts.html,
    "<p>Dear reader, <b style='color: #e8590c'>Pisa</b></p>",
  );
  assert.deepEqual(look.faults, []);
});

test("a used partial is not removed", async () => {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Cannot remove the partial: it is in use").waitFor();
});

async function add(label: string): Promise<void> {
  await page.getByRole("button", { name: "Add a value" }).click();
  await page.getByRole("menuitem", { name: label }).click();
}

async function write(source: string): Promise<void> {
  const editor = page.getByRole("textbox", { name: /^Source of the partial/ });
  await editor.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(source);
}

async function publish(sentence: string): Promise<void> {
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(sentence).waitFor();
  await dialog.getByRole("button", { name: /ublish$/ }).click();
  // The notification of the version before may still be there.
  await dialog.waitFor({ state: "hidden" });
  await page.getByText("Version 1 is now live").last().waitFor();
}

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import type { Locator, Page } from "playwright-core";
import { pngOf } from "../png_of.ts";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";
import { makeDraft, readDraft } from "./email_draft.ts";

nightly("services/dashboard/web/src/pages/files/image_tag_test.ts");

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

interface Kept {
  assets: { name: string; alt: string; width: number }[];
}

async function kept(): Promise<[string, string, number][]> {
  const { assets } = await fixture.people.editor.ask<Kept>("GET", "/assets");
  return assets.map(({ name, alt, width }) => [name, alt, width]);
}

test("an image that is dropped into the editor is stored, described, sized and shown", async () => {
  const { id } = await makeDraft(fixture);
  await using look = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  const source = page.getByRole("textbox", { name: "HTML or MJML of the mail" });
  await source.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await drop(page, source, { name: "Our Logo.PNG", bytes: pngOf(40, 30) });
  const form = page.getByRole("dialog", { name: "Insert the image our-logo" });
  await form.getByRole("textbox", { name: "Description" }).fill(' The  "shop" ');
  assert.equal(await form.getByRole("textbox", { name: "Width" }).inputValue(), "40");
  await form.getByRole("textbox", { name: "Width" }).fill("20");
  await expectNoAxeViolations(page);
  await form.getByRole("button", { name: "Insert" }).click();
  const mail = page.frameLocator('iframe[title="Preview of the mail"]');
  const shown = mail.getByRole("img", { name: 'The "shop"' });
  await shown.waitFor();
  assert.match(await shown.getAttribute("src") ?? "", /^data:image\/png;base64,/);
  await page.getByText("Saved", { exact: true }).waitFor();
  const { draft: { html } } = await readDraft(fixture, id);
  assert.equal(html, '<img src="{{asset "our-logo"}}" alt="The &quot;shop&quot;" width="20">');
  assert.deepEqual(await kept(), [["our-logo", 'The "shop"', 40]]);

  // What is stored is asked for again: another mail may show it smaller.
  await page.getByRole("button", { name: "Image", exact: true }).click();
  await page.getByRole("menuitem", { name: "our-logo" }).click();
  assert.equal(await form.getByRole("textbox", { name: "Description" }).inputValue(), 'The "shop"');
  await form.getByRole("button", { name: "Cancel" }).click();
  assert.equal((await readDraft(fixture, id)).draft.html, html);
  assert.deepEqual(faults, []);
});

test("an image that is dropped on the page Files is stored, and its description is asked for", async () => {
  await using look = await fixture.look("/files", { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  const heading = page.getByRole("heading", { level: 1, name: "Files" });
  await drop(page, heading, { name: "Sign.png", bytes: pngOf(50, 20) });
  const form = page.getByRole("dialog", { name: "Describe sign" });
  await form.getByRole("textbox", { name: "Description" }).fill("A sign");
  await expectNoAxeViolations(page);
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("A sign", { exact: true }).waitFor();
  assert.deepEqual((await kept()).at(-1), ["sign", "A sign", 50]);
  assert.deepEqual(faults, []);
});

/** Drops a PNG image on an element, as from the desktop. */
async function drop(
  page: Page,
  target: Locator,
  { name, bytes }: { name: string; bytes: Buffer },
): Promise<void> {
  const dataTransfer = await page.evaluateHandle(({ name, base64 }) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name, { type: "image/png" }));
    return transfer;
  }, { name, base64: bytes.toString("base64") });
  await target.dispatchEvent("drop", { dataTransfer });
}

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { nightly, openCanary, until } from "@posthaste/kit";
import type { Locator, Page } from "playwright-core";
import { keepFile } from "../keep_file.ts";
import { pngOf } from "../png_of.ts";
import { readMail } from "../read_mail.ts";
import { imagesByPoppler, readPdf, readPdfByPoppler } from "../read_pdf.ts";
import type { JoinedSystem } from "../shared_system.ts";
import { SENDER } from "../system.ts";
import { attackTexts } from "./attack_texts.ts";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";
import { signIn } from "./person.ts";
import { untilSaved } from "./until_saved.ts";

nightly("services/dashboard/text_editing_test.ts", "tests/e2e/dashboard/main_job_test.ts");

const DEMO = new URL("../../../dev/demo/", import.meta.url);

let fixture: DashboardFixture<JoinedSystem>;
let emailId: number;
let pdfId: number;
let integrationId: number;

before(async () => {
  fixture = await openDashboardFixture();
  const { system } = fixture;
  integrationId = await system.connect(system.inbox.smtpPort, { name: "The inbox" });
  await keepLogo();
  const mail = (await readDemo("email/invoice/body.mjml")).replace(
    "<mj-column>",
    `<mj-column>\n        <mj-image src="{{asset "logo"}}" alt="Northwind" width="160px" />`,
  );
  emailId = await makeTemplate("email", {
    ...{ subject: "Your invoice {{ number }}", html: mail },
    sample: JSON.parse(await readDemo("email/invoice/sample.json")),
  });
  const document = (await readDemo("pdf/invoice/body.html.hbs"))
    .replace(/<svg.*?<\/svg>/s, '<img src="{{asset "logo"}}" alt="Northwind" width="49">')
    .replace("<h1>", "<p>Hello {{ customer.attention }},</p>\n<h1>");
  pdfId = await makeTemplate("pdf", {
    html: document,
    sample: JSON.parse(await readDemo("pdf/invoice/sample.json")),
  });
});
after(() => fixture?.[Symbol.asyncDispose]());

const IBAN = "DE89 3704 0044 0532 0130 00";

test("a person without HTML changes greeting, logo and IBAN in the previews, and the mail has them", async () => {
  await using look = await fixture.look(`/email-templates/${emailId}`, { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  const before = await sourceOf("email", emailId);

  await page.getByRole("button", { name: "Edit the text: Hello" }).click();
  const text = page.getByRole("textbox", { name: "Text" });
  assert.match(await text.innerText(), /^Hello [A-Z][^{]*,$/);
  await expectNoAxeViolations(page);
  await replaceWord(page, text, "Hello", "Good morning");
  await page.getByRole("button", { name: "Done" }).click();
  await mailOf(page).getByText(/^Good morning [A-Z]/).waitFor();

  await page.getByRole("button", { name: "Replace the image: Northwind" }).click();
  await page.getByLabel("Image to upload").setInputFiles({
    ...{ name: "New logo.png", mimeType: "image/png", buffer: NEW_LOGO },
  });
  const replacing = page.getByRole("dialog", { name: "Replace this image" });
  const described = replacing.getByRole("textbox", { name: "Description" });
  // The old logo's: most replaced images show the same in another look.
  await replacing.locator("textarea:focus").waitFor();
  assert.equal(await described.inputValue(), "Northwind");
  assert.equal(await replacing.getByRole("textbox", { name: "Width" }).inputValue(), "160");
  await expectNoAxeViolations(page);
  await described.fill("Northwind since 1990");
  await replacing.getByRole("textbox", { name: "Width" }).fill("80");
  await replacing.getByRole("button", { name: "Replace" }).click();
  await replacing.waitFor({ state: "hidden" });
  await mailOf(page).getByRole("img", { name: "Northwind since 1990" }).waitFor();

  await page.getByTitle("Edit the subject").click();
  await replaceWord(page, text, "Your", "The");
  await page.keyboard.press("Enter");
  await page.getByTitle("Edit the subject").getByText(/^The invoice/).waitFor();
  await publish(page);

  const html = before.html.replace("Hello {{ name }},", "Good morning {{ name }},")
    .replace('{{asset "logo"}}', '{{asset "new-logo"}}')
    .replace('alt="Northwind" width="160px"', 'alt="Northwind since 1990" width="80px"');
  const subject = "The invoice {{ number }}";
  assert.deepEqual(await sourceOf("email", emailId), { html, subject, text: before.text });

  await page.goto(`${fixture.url}/pdf-templates/${pdfId}`);
  await untilShown(page);
  const document = await sourceOf("pdf", pdfId);
  await page.getByRole("button", { name: "Edit the text: DE02 1203" }).click();
  await text.press("Control+a");
  await page.keyboard.type(IBAN);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: `Edit the text: ${IBAN}` }).waitFor();
  await expectNoAxeViolations(page);
  await page.getByRole("button", { name: "Edit the text: Hello" }).click();
  await replaceWord(page, text, "Hello", "Good morning");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Edit the text: Good morning" }).waitFor();
  await page.getByRole("button", { name: "Replace the image: Northwind" }).click();
  await page.getByRole("button", { name: "Use new-logo" }).click();
  await replacing.getByRole("textbox", { name: "Width" }).fill("60");
  await replacing.getByRole("textbox", { name: "Description" }).fill("Northwind");
  await replacing.getByRole("button", { name: "Replace" }).click();
  await replacing.waitFor({ state: "hidden" });
  await publish(page);
  assert.equal(
    (await sourceOf("pdf", pdfId)).html,
    document.html.replace("DE02 1203 0000 0000 2020 51", IBAN)
      .replace("Hello {{ customer", "Good morning {{ customer")
      .replace(
        '{{asset "logo"}}" alt="Northwind" width="49"',
        '{{asset "new-logo"}}" alt="Northwind" width="60"',
      ),
  );
  assert.deepEqual(faults, []);

  const variables = JSON.parse(await readDemo("email/invoice/sample.json"));
  const invoice = JSON.parse(await readDemo("pdf/invoice/sample.json"));
  const to = [{ email: "reader@texts.example", attachments: [{ id: pdfId, variables: invoice }] }];
  await fixture.system.send({ template: emailId, integration: integrationId, variables, to });
  const mail = await until(
    async () => (await inbox()).find(({ subject }) => /^The invoice/.test(subject)),
    {
      message: "the mail to arrive",
    },
  );
  for (const read of await readMail({ raw: await rawMail(mail.id) })) {
    assert.match(read.html, />Good morning Zoë,</);
    assert.match(read.text, /^Good morning Zoë,/m);
    assert.doesNotMatch(read.html + read.text, /Hello/);
    const [pdf, ...others] = read.attachments.filter(({ type }) => type === "application/pdf");
    const [logo, ...more] = read.attachments.filter((part) => part !== pdf);
    assert.deepEqual([others, more], [[], []]);
    assert.equal(logo?.type, "image/png");
    assert.deepEqual(logo?.bytes, NEW_LOGO);
    const shown = [...read.html.matchAll(/<img[^>]* src="([^"]*)"/g)].map(([, src]) => src);
    // `mailparser` replaces the address by the image itself.
    const embedded = `data:image/png;base64,${NEW_LOGO.toString("base64")}`;
    assert.deepEqual(shown.map((src) => src === embedded ? `cid:${logo?.contentId}` : src), [
      `cid:${logo?.contentId}`,
    ]);
    await expectInPdf(pdf?.bytes ?? Buffer.alloc(0));
  }
});

/** Expects what a person changed in the invoice, as two programs read it. */
async function expectInPdf(bytes: Buffer): Promise<void> {
  for (const read of [await readPdf(bytes), await readPdfByPoppler(bytes)]) {
    const text = read?.pages.join("\n");
    if (text === undefined) continue;
    assert.match(text, new RegExp(IBAN));
    assert.match(text, /Good morning Zoë Lindqvist,/);
    assert.doesNotMatch(text, /DE02|Hello/);
  }
  // Undefined where poppler is not installed.
  const images = await imagesByPoppler(bytes);
  if (images !== undefined) assert.deepEqual(images, ["60 x 20"]);
}

test("a person without HTML adds an image to a mail without any, takes it back and adds it again", async () => {
  const html = await readDemo("email/receipt/body.mjml");
  const sample = JSON.parse(await readDemo("email/receipt/sample.json"));
  const id = await makeTemplate("email", { subject: "With an image", html, sample });
  await using look = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  const { page, faults } = look;
  const image = mailOf(page).getByRole("img", { name: "A sign" });
  const place = page.getByRole("group", { name: "Place of the image" });
  const heading = "Thank you,";

  await page.getByRole("button", { name: "Add an image" }).click();
  await page.getByLabel("Image to upload").setInputFiles({
    ...{ name: "Sign.png", mimeType: "image/png", buffer: SIGN },
  });
  const adding = page.getByRole("dialog", { name: "Add an image" });
  await adding.locator("textarea:focus").waitFor();
  await adding.getByRole("textbox", { name: "Description" }).fill("A sign");
  await adding.getByRole("textbox", { name: "Width" }).fill("30");
  await expectNoAxeViolations(page);
  await adding.getByRole("button", { name: "Choose its place" }).click();
  await place.getByText("Click a text").waitFor();
  assert.deepEqual(await place.getByRole("button").allInnerTexts(), ["At the very top", "Cancel"]);
  await page.getByRole("button", { name: `Choose the text: ${heading}` }).click();
  await place.getByText(`Put it beside “${heading}`).waitFor();
  await expectNoAxeViolations(page);
  await place.getByRole("button", { name: "Above" }).click();
  await image.waitFor();
  await expectNoAxeViolations(page);
  const tag = '<mj-image src="{{asset "sign"}}" alt="A sign" width="30px" />';
  const [, line, indent] = new RegExp(`^(( *)<mj-text[^>]*>${heading}.*)$`, "m").exec(html) ?? [];
  const withImage = html.replace(`${line}`, `${indent}${tag}\n${line}`);
  await untilSaved(page);
  assert.equal((await sourceOf("email", id)).html, withImage);

  await page.getByRole("button", { name: "Undo" }).click();
  await image.waitFor({ state: "hidden" });
  await page.getByRole("textbox", { name: "HTML or MJML of the mail" }).click();
  await page.keyboard.press("ControlOrMeta+z");
  await image.waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await image.waitFor({ state: "hidden" });

  // The text that was clicked last is chosen.
  await page.getByRole("button", { name: `Edit the text: ${heading}` }).click();
  await page.getByRole("textbox", { name: "Text", exact: true }).press("Escape");
  await page.getByRole("button", { name: "Add an image" }).click();
  await page.getByRole("button", { name: "Use sign" }).click();
  await adding.getByRole("textbox", { name: "Width" }).fill("30");
  await adding.getByRole("button", { name: "Choose its place" }).click();
  await place.getByRole("button", { name: "Above" }).click();
  await image.waitFor();
  await publish(page);
  assert.equal((await sourceOf("email", id)).html, withImage);
  assert.deepEqual(faults, []);

  const to = [{ email: "reader@images.example" }];
  await fixture.system.send({ template: id, integration: integrationId, variables: sample, to });
  const mail = await until(
    async () => (await inbox()).find(({ subject }) => subject === "With an image"),
    { message: "the mail to arrive" },
  );
  for (
    const { html, attachments: [part, ...others] } of await readMail({
      raw: await rawMail(mail.id),
    })
  ) {
    assert.deepEqual([part?.type, part?.bytes, others], ["image/png", SIGN, []]);
    const embedded = `data:image/png;base64,${SIGN.toString("base64")}`;
    const [, src] = /<img[^>]* src="([^"]*)"/.exec(html) ?? [];
    assert.ok(src === embedded || src === `cid:${part?.contentId}`, src);
  }
});

test("an image is added to a PDF and to plain HTML, below a text and above all", async () => {
  const html =
    '<!doctype html>\n<html lang="en">\n<body>\n\t<h1>{{ title }}</h1>\n</body>\n</html>\n';
  const tag = '<img src="{{asset "logo"}}" alt="Northwind" width="40">';
  for (
    const [kind, side, after] of [
      ["pdf", "Below", html.replace("</h1>", `</h1>\n\t${tag}`)],
      ["email", "At the very top", html.replace("\t<h1>", `\t${tag}\n\t<h1>`)],
    ] as const
  ) {
    const id = await makeTemplate(kind, { subject: "Hi", html, sample: { title: "Letter" } });
    await using look = await fixture.look(`/${kind}-templates/${id}`, { who: "editor" });
    const { page, faults } = look;
    await page.getByRole("button", { name: "Edit the text: Letter" }).click();
    await page.getByRole("textbox", { name: "Text", exact: true }).press("Escape");
    await page.getByRole("button", { name: "Add an image" }).click();
    await page.getByRole("button", { name: "Use logo" }).click();
    await page.getByRole("button", { name: "Choose its place" }).click();
    await page.getByRole("button", { name: side, exact: true }).click();
    await page.getByRole("button", { name: "Replace the image: Northwind" }).waitFor();
    await expectNoAxeViolations(page);
    await untilSaved(page);
    assert.equal((await sourceOf(kind, id)).html, after);
    assert.deepEqual(faults, []);
  }
});

test("the panel of a text covers neither the text nor what follows it", async () => {
  for (const size of SIZES) {
    await using look = await fixture.look(`/pdf-templates/${pdfId}`, { who: "editor", size });
    const { page } = look;
    await untilShown(page);
    const sides = page.getByRole("radiogroup", { name: "What is shown" });
    if (await sides.isVisible()) await sides.getByText("Preview").click();
    for (const name of ["Speicherstraße", "Invoice", "Amount due"]) {
      // On paper, each line of a text is a button.
      const lines = page.getByRole("button", { name: `Edit the text: ${name}` });
      await lines.last().click();
      await page.getByRole("textbox", { name: "Text", exact: true }).waitFor();
      const [text, panel] = [
        await lines.first().boundingBox(),
        await page.getByRole("dialog", { name: "Edit this text" }).boundingBox(),
      ];
      assert.ok(text !== null && panel !== null);
      const isAbove = panel.y + panel.height <= text.y;
      assert.ok(isAbove && panel.y >= 0, `${name}: ${JSON.stringify({ size, text, panel })}`);
      await page.keyboard.press("Escape");
    }
  }
});

test("a member for texts sees the preview only, and what they change is saved by itself", async () => {
  const { system, url } = fixture;
  const { accountId } = system;
  const person = await signIn(system, { accountId, role: "texts", name: "Tess Texts" });
  const id = await makeTemplate("email", { subject: "Hi", html: HTML, sample: { name: "Ada" } });
  await using look = await fixture.look("/no-such-page", { who: "nobody" });
  const { page, faults } = look;
  await page.context().addCookies([{
    ...person.cookie,
    domain: "localhost",
    path: "/",
    secure: true,
  }]);
  await page.goto(url);
  await page.getByRole("heading", { level: 1, name: "Email templates" }).waitFor();
  await untilShown(page);
  const menu = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  assert.deepEqual(await menu.allInnerTexts(), ["Email templates", "PDF templates", "Settings"]);
  await expectNoAxeViolations(page);

  await page.goto(`${url}/email-templates/${id}`);
  await page.getByRole("button", { name: "Edit the text: Hello" }).click();
  await page.getByRole("textbox", { name: "Text" }).press("Control+End");
  await page.keyboard.type(" & welcome <3");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const html = HTML.replace("{{ name }}!", "{{ name }}! &amp; welcome &lt;3");
  assert.equal((await sourceOf("email", id)).html, html);
  assert.equal(await page.getByRole("button", { name: /Replace the image/ }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Add an image" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Publish" }).count(), 0);
  await expectNoAxeViolations(page);
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await page.getByRole("button", { name: "Edit the text: Hello" }).click();
    await page.getByRole("textbox", { name: "Text" }).waitFor();
    await expectNoAxeViolations(page);
    await page.keyboard.press("Escape");
  }
  await page.goto(`${url}/settings`);
  await page.getByRole("tab", { name: "You" }).waitFor();
  assert.deepEqual(await page.getByRole("tab").allInnerTexts(), ["You"]);
  assert.deepEqual(faults, []);
});

test("conditions stay whole, and curly braces become no placeholders", async () => {
  const html = "<p>Yours{{#if firm}}, {{ firm }}{{/if}}.</p>";
  const id = await makeTemplate("email", { subject: "Hi", html, sample: { firm: "Acme" } });
  await using look = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  const { page, faults } = look;
  await page.getByRole("button", { name: "Edit the text: Yours, Acme." }).click();
  const text = page.getByRole("textbox", { name: "Text" });
  await text.press("Control+End");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.getByRole("alert").getByText("The parts of a condition stay").waitFor();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("{{ x }} ");
  await page.getByRole("button", { name: "Done" }).click();
  await mailOf(page).getByText("{{ x }} Yours, Acme").waitFor();
  await untilSaved(page);
  const written = "<p>&#123;&#123; x &#125;&#125; Yours{{#if firm}}, {{ firm }}{{/if}}</p>";
  assert.equal((await sourceOf("email", id)).html, written);

  await page.getByRole("button", { name: "Edit the text:" }).click();
  await page.keyboard.type("lost");
  await page.keyboard.press("Escape");
  await text.waitFor({ state: "hidden" });
  assert.equal(await page.getByText("Not saved").count(), 0);
  assert.deepEqual(faults, []);
});

test("the text part, hidden texts and texts of partials are reached from the preview", async () => {
  const { editor } = fixture.people;
  const imprint = { revision: 0, source: "<p>Acme, Rome</p>" };
  await editor.ask("PUT", "/partials/imprint/draft", imprint);
  await editor.ask("POST", "/partials/imprint/publish", { revision: 1 });
  const html = '<!doctype html><html lang="en"><body><div style="display:none">In short</div>' +
    "<p>Hello {{ name }}!</p>{{#if vip}}<p>For <b>you</b></p>{{/if}}{{> imprint}}</body></html>";
  const text = "Hello {{ name }}\r\n\r\n{{#if vip}}\nFor you\n{{/if}}\n\nBye\n";
  const sample = { name: "Ada", vip: false };
  const id = await makeTemplate("email", { subject: "Hi", html, text, sample });
  await using look = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  const { page, faults } = look;
  const editing = page.getByRole("textbox", { name: "Text", exact: true });

  await page.getByRole("button", { name: "2 texts not shown with this sample" }).click();
  await expectNoAxeViolations(page);
  await page.getByRole("button", { name: /^In short/ }).waitFor();
  await page.getByRole("button", { name: "For you (if vip)" }).click();
  await replaceWord(page, editing, "For", "Only for");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Only for you (if vip)" }).waitFor();

  await page.getByRole("button", { name: "Show the partial of the text: Acme, Rome" }).click();
  const note = page.getByRole("dialog", { name: "The partial of this text" });
  await note.getByText("in the partial “imprint”, used by 0 published templates").waitFor();
  await expectNoAxeViolations(page);
  const link = note.getByRole("link", { name: "Edit the partial" });
  assert.match(await link.getAttribute("href") ?? "", /\/partials\/imprint$/);
  await page.keyboard.press("Escape");
  await note.waitFor({ state: "hidden" });

  const looks = page.getByRole("radiogroup", { name: "What the preview shows" });
  await looks.getByText("Text", { exact: true }).click();
  await page.getByRole("button", { name: "Edit the text: Bye" }).press("Enter");
  await editing.press("Control+End");
  await page.keyboard.type("{{ x }}");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("alert").getByText("It adds the value {{ x }}").waitFor();
  await editing.press("Control+End");
  for (let at = 0; at < "{{ x }}".length; at++) await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await page.keyboard.type("<Acme> & you");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Edit the text: Bye <Acme> & you" }).waitFor();
  await page.getByRole("button", { name: "1 text not shown with this sample" }).waitFor();
  await expectNoAxeViolations(page);
  await untilSaved(page);
  assert.deepEqual(await sourceOf("email", id), {
    html: html.replace("For <b>", "Only for <b>"),
    subject: "Hi",
    text: text.replace("Bye", "Bye\n<Acme> & you"),
  });
  assert.deepEqual(faults, []);
});

test("HTML that attacks runs nothing in the frame whose texts are edited", async () => {
  await using canary = await openCanary();
  const attacks = attackTexts(`127.0.0.1:${canary.port}`)
    .filter((text) =>
      !text.includes("\0") && !/\{\{|-->|<template|<\/(?:style|script)|\]\]>/.test(text)
    );
  const body = attacks.join("\n<p>x</p>");
  const html = `<!doctype html><html><body><p>Hello {{ name }}</p>${body}</body></html>`;
  const id = await makeTemplate("email", { subject: "Hi", html, sample: { name: "Ada" } });
  await using look = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  const { page, faults } = look;
  // Broken HTML may have no texts that can be found again.
  await mailOf(page).getByText("Hello Ada").waitFor();
  await page.waitForTimeout(500);
  const frame = page.locator('iframe[title="Preview of the mail"]');
  assert.equal(await frame.getAttribute("sandbox"), "allow-same-origin");
  const ran = await frame.evaluate((element: HTMLIFrameElement) => [
    Reflect.get(globalThis, "__ran"),
    element.contentWindow && Reflect.get(element.contentWindow, "__ran"),
    element.contentDocument?.querySelectorAll("script, iframe, object, embed, link, [onerror]")
      .length,
  ]);
  assert.deepEqual(ran, [undefined, undefined, 0]);
  assert.deepEqual(canary.take().requests.filter((request) => request === "script"), []);
  assert.deepEqual(faults.filter((fault) => !fault.startsWith("a breach")), []);
});

const HTML =
  `<!doctype html><html lang="en"><body><p>Hello {{ name }}!</p><img src="{{asset "logo"}}" alt="Logo"></body></html>`;

const SIZES = [{ width: 1440, height: 900 }, { width: 820, height: 1180 }, {
  width: 390,
  height: 844,
}];

/** Selects a word, as a double click does, and writes another. */
async function replaceWord(page: Page, text: Locator, word: string, other: string): Promise<void> {
  await text.press("Control+Home");
  for (let at = 0; at < word.length; at++) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.type(other);
}

async function publish(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: /ublish$/ }).click();
  await page.getByText(/Version \d+ is now live/).last().waitFor();
}

function mailOf(page: Page) {
  return page.frameLocator('iframe[title="Preview of the mail"]');
}

function readDemo(path: string): Promise<string> {
  return readFile(new URL(path, DEMO), "utf8");
}

async function makeTemplate(
  kind: "email" | "pdf",
  content: Record<string, unknown>,
): Promise<number> {
  const { editor } = fixture.people;
  const path = `/templates/${kind}`;
  const { id, revision, draft } = await editor.ask<{ id: number; revision: number; draft: object }>(
    ...["POST", path, { name: "Invoice", example: "empty" }] as const,
  );
  const source = { ...draft, variables: [], ...content };
  await editor.ask("PUT", `${path}/${id}/draft`, { revision, source });
  return id;
}

async function sourceOf(
  kind: "email" | "pdf",
  id: number,
): Promise<{ html: string; subject: string; text: string }> {
  const { draft: { html, subject, text } } = await fixture.people.owner.ask<
    { draft: { html: string; subject: string; text: string } }
  >("GET", `/templates/${kind}/${id}`);
  return { html, subject, text };
}

async function keepLogo(): Promise<void> {
  await keepFile(fixture.system, {
    ...{ name: "logo", filename: "logo.png", contentType: "image/png", alt: "Northwind" },
    ...{ width: 40, height: 10, bytes: OLD_LOGO },
  });
}

async function rawMail(id: string): Promise<Buffer> {
  const { webPort } = fixture.system.inbox;
  const answer = await fetch(`http://127.0.0.1:${webPort}/api/messages/${id}/raw`);
  return Buffer.from(await answer.arrayBuffer());
}

interface Caught {
  id: string;
  from: { address: string };
  subject: string;
}

async function inbox(): Promise<Caught[]> {
  const { webPort } = fixture.system.inbox;
  const mails = await (await fetch(`http://127.0.0.1:${webPort}/api/messages`)).json() as Caught[];
  return mails.filter(({ from }) => from.address === SENDER);
}

/** Their sizes differ, so that the size of an image in a PDF shows which one it is. */
const [OLD_LOGO, NEW_LOGO, SIGN] = [pngOf(40, 10), pngOf(60, 20), pngOf(30, 30)];

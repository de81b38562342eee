import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { openSmtpSink, type SmtpSink, testWoff2, until } from "@posthaste/kit";
import { manageTemplates } from "./manage_templates.ts";
import { type ReadMail, readMail } from "./read_mail.ts";
import { pngOf } from "./png_of.ts";
import { fontsByPoppler, imagesByPoppler } from "./read_pdf.ts";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";

let system: JoinedSystem;
let sink: SmtpSink;
let integration: number;
let opened: AsyncDisposableStack;
before(async () => {
  await using stack = new AsyncDisposableStack();
  sink = stack.use(await openSmtpSink());
  system = stack.use(await joinSystem());
  integration = await system.connect(sink.port);
  opened = stack.move();
});
after(() => opened?.disposeAsync());

const NO_POPPLER = spawnSync("pdfimages", ["-v"]).error === undefined
  ? false
  : "NO PDFIMAGES, NO IMAGE OF A PDF IS READ: install poppler-utils";

const LOGO = pngOf(40, 30);
const SHA256 = createHash("sha256").update(LOGO).digest("hex");

/** Reads the one mail to an address with two parsers. */
async function mailsTo(address: string): Promise<ReadMail[]> {
  const mails = sink.messages.filter(({ envelope }) => envelope.to.includes(address));
  assert.equal(mails.length, 1);
  return (await Promise.all(mails.map(readMail))).flat();
}

test("an image of the account is in each mail once, as it was when the template was published", async () => {
  const manager = await manageTemplates(system);
  assert.equal(await manager.put("logo", LOGO, "image/png"), SHA256);
  const template = await manager.publish("email", {
    ...{ subject: "Pictured", text: "" },
    html: '<img src="{{asset "logo"}}" alt="Shop"><p>Hi</p><img src="{{asset "logo"}}" alt="">',
  });
  const pdf = await manager.publish("pdf", {
    ...{ filename: "a.pdf", html: '<img src="{{asset "logo"}}" alt="Shop"><p>PDF' },
  });
  // What is published does not change.
  await manager.put("logo", pngOf(50, 20), "image/png");
  const to = ["a", "b"].map((name) => ({
    ...{ email: `${name}@asset.example`, attachments: [{ id: pdf }] },
  }));
  const accepted = await system.send({ template, integration, to });
  await system.untilDone(accepted.id);
  for (const { email } of to) {
    const mails = await mailsTo(email);
    // Mailparser writes the image into the HTML instead.
    assert.equal(mails[0]?.html.match(/src="cid:logo"/g)?.length, 2);
    for (const { attachments } of mails) {
      const [image, document, ...others] = [
        ...attachments.filter(({ contentId }) => contentId !== undefined),
        ...attachments.filter(({ contentId }) => contentId === undefined),
      ];
      assert.deepEqual(image, {
        ...{ contentId: "logo", filename: "logo.png", type: "image/png", bytes: LOGO },
      });
      assert.deepEqual([document?.type, others], ["application/pdf", []]);
    }
  }
  const api = system.stack.apiUrl.replace(/\/v1$/, "");
  assert.equal((await fetch(`${api}/assets/${SHA256}`)).status, 404);
});

test("the PDF of a mail has the image that its template shows", { skip: NO_POPPLER }, async () => {
  const [mail] = await mailsTo("a@asset.example");
  const document = mail?.attachments.find(({ type }) => type === "application/pdf");
  assert.deepEqual(await imagesByPoppler(document?.bytes ?? Buffer.alloc(0)), ["40 x 30"]);
});

test(
  "the PDF of a mail embeds a font that the account stores, and needs no other for its characters",
  {
    skip: NO_POPPLER,
  },
  async () => {
    const manager = await manageTemplates(system);
    await manager.put("brand", testWoff2({ chars: "AB\u{E123}", name: "BrandFace" }), "font/woff2");
    const face = '@font-face { font-family: "brand"; src: url({{asset "brand"}}) }';
    const template = await manager.publish("email", { subject: "Font", html: "<p>Hi", text: "" });
    const pdf = await manager.publish("pdf", {
      filename: "a.pdf",
      html: `<style>${face} p { font-family: brand }</style><p>AB{{ icon }}`,
      ...{ page: { missingGlyphs: "fail" }, sample: { icon: "A" } },
    });
    const to = ["\u{E123}", "\u{E124}"].map((icon, index) => ({
      email: `${index}@font.example`,
      attachments: [{ id: pdf, variables: { icon } }],
    }));
    const accepted = await system.send({ template, integration, to });
    const { states } = await system.untilDone(accepted.id);
    assert.deepEqual(states, { sent: 1, failed: 1 });
    const failed = await system.message(accepted.messages[1]?.id ?? "");
    assert.match(failed.reason ?? "", /missing_glyphs.*U\+E124/);
    const [mail] = await mailsTo("0@font.example");
    const document = mail?.attachments[0]?.bytes ?? Buffer.alloc(0);
    const [font, ...others] = await fontsByPoppler(document) ?? [];
    assert.match(font ?? "", /^[A-Z]{6}\+BrandFace +CID TrueType +Identity-H +yes yes yes /);
    assert.deepEqual(others, []);
  },
);

test("publishing refuses a PDF that the printer cannot make from its sample", async () => {
  const manager = await manageTemplates(system);
  const publish = (html: string, page: object) =>
    manager.publish("pdf", { filename: "a.pdf", html, page });
  const wide = { margin: { top: "1mm", right: "200mm", bottom: "1mm", left: "200mm" } };
  await assert.rejects(publish("<p>Hi", wide), /422 .*Messages with this PDF fail: .*margin/);
  const glyphs = publish("<p>Dear \u{E125}va", { missingGlyphs: "fail" });
  await assert.rejects(glyphs, /422 .*Messages with this PDF fail: no font .*U\+E125/);
  const archive = publish("<p>Dear \u{E125}va", { conformance: "pdf/a-3b" });
  await assert.rejects(archive, /422 .*Messages with this PDF fail: no font .*U\+E125/);
  assert.ok(await publish("<p>Dear \u{E125}va", { missingGlyphs: "ignore" }) > 0);
});

test("a message whose PDF lacks a character is sent with a warning, if its template marks that", async () => {
  const manager = await manageTemplates(system);
  const template = await manager.publish("email", { subject: "Mark", html: "<p>Hi", text: "" });
  const pdf = await manager.publish("pdf", {
    ...{ filename: "a.pdf", html: "<p>Dear {{ name }}" },
    ...{ page: { missingGlyphs: "mark" }, sample: { name: "A" } },
  });
  const to = ["\u{E126}va", "Ada", "\u{E126}va"].map((name, index) => ({
    email: `${index}@mark.example`,
    attachments: [{ id: pdf, variables: { name } }],
  }));
  const accepted = await system.send({ template, integration, to });
  assert.deepEqual((await system.untilDone(accepted.id)).states, { sent: 3 });
  const found = await Promise.all(accepted.messages.map(async ({ id }) => {
    const { timeline } = await until(async () => {
      const message = await system.message(id);
      return message.timeline.some(({ type }) => type === "printed") && message;
    }, { message: `"${id}" to be printed` });
    const { warning, detail } = timeline.find(({ type }) => type === "printed") ?? {};
    return [warning, detail];
  }));
  const detail = 'No font has a glyph (missing_glyphs). PDF 1: U+E126 in "Dear \u{E126}va"';
  assert.deepEqual(found, [
    ["missing_glyphs", detail],
    [undefined, undefined],
    ["missing_glyphs", detail],
  ]);
  const { token } = await system.store.tokens.create({
    ...{ accountId: system.accountId, name: "events", scopes: ["list"] },
  });
  const events = await until(async () => {
    const path = "/events?types=message.sent&limit=100";
    const { body } = await system.get<{ data: { data: Record<string, unknown> }[] }>(path, {
      token,
    });
    const ours = body.data.map(({ data }) => data).filter(({ sendId }) => sendId === accepted.id);
    return ours.length === 3 && ours;
  }, { message: "the events of the send" });
  assert.equal(events.filter(({ warnings }) => String(warnings) === "missing_glyphs").length, 2);
  assert.equal(events.filter(({ warnings }) => warnings === undefined).length, 1);
});

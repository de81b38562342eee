import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { testFont, testWoff2 } from "@posthaste/kit";
import { job, NO_CHROMIUM, openTestBrowser, textOf } from "./_test_browser.ts";
import type { PdfBrowser } from "./browser.ts";
import { PrintError } from "./print_error.ts";

const TEXT = "<p>Dear \u{E123}vane, &#xE124;</p><p>\u{E125} <b>big \u{10FFFD}</b> 漢 fine";

const FOUND = [
  'U+10FFFD in "ne, \u{E124} \u{E125} big \u{10FFFD} 漢 fine"',
  'U+E123 in "Dear \u{E123}vane, \u{E124} \u{E125} bi"',
  'U+E124 in "Dear \u{E123}vane, \u{E124} \u{E125} big \u{10FFFD} 漢 f"',
  'U+E125 in "ar \u{E123}vane, \u{E124} \u{E125} big \u{10FFFD} 漢 fin"',
];

suite("characters without a glyph", { skip: NO_CHROMIUM }, () => {
  let browser: PdfBrowser;
  before(async () => void (browser = await openTestBrowser()));
  after(() => browser[Symbol.asyncDispose]());

  async function listOf(html: string, page: object = {}) {
    return (await browser.print({ ...job(html, page), listsMissingGlyphs: true })).missingGlyphs;
  }

  test("fail a document by their numbers and the text around them", async () => {
    for (const tagged of [true, undefined]) {
      await assert.rejects(
        browser.print(job(TEXT, { missingGlyphs: "fail", tagged })),
        (error) => {
          assert.ok(error instanceof PrintError);
          assert.equal(error.code, "missing_glyphs");
          assert.equal(error.retryable, false);
          assert.ok(error.reason.startsWith("no font has a glyph (missing_glyphs): U+E12"));
          for (const number of ["E123", "E124", "E125", "10FFFD"]) {
            assert.match(error.reason, new RegExp(`\\bU\\+${number} in "`));
          }
          return true;
        },
      );
    }
  });

  test("are printed if the template allows it, and listed only on request", async () => {
    for (const page of [{}, { missingGlyphs: "ignore" as const }]) {
      const { pdf, missingGlyphs } = await browser.print(job(TEXT, page));
      assert.match((await textOf(pdf)).join(), /Dear/);
      assert.equal(missingGlyphs, undefined);
      assert.deepEqual((await listOf(TEXT, page))?.toSorted(), FOUND);
    }
  });

  test("a font that the browser refuses is listed, and only that", async () => {
    const face = (family: string, font: Buffer) =>
      `@font-face{font-family:${family};src:url(data:font/ttf;base64,${font.toString("base64")})}`;
    const broken = testFont({ tables: { cmap: Buffer.alloc(8) } });
    const css = `${face("Good", testFont())}${face("Broken", broken)}${face("Unused", broken)}`;
    const html = `<style>${css} p{font-family:Broken} b{font-family:Good}</style><p>A<b>A</b>` +
      '<img name="fonts"><form name="fonts">';
    const listing = { ...job(html), listsFonts: true };
    assert.deepEqual((await browser.print(listing)).brokenFonts, ["Broken"]);
    assert.equal((await browser.print(job(html))).brokenFonts, undefined);
    const good = html.replace("p{font-family:Broken}", "p{font-family:Good}");
    assert.equal((await browser.print({ ...listing, html: good })).brokenFonts, undefined);
  });

  test("are not those that a font of the document draws, in any of its forms", async () => {
    const [known, unknown] = ["\u{E123}", "\u{E124}"];
    const fonts = [
      ["font/ttf", testFont({ chars: `${known}A` })],
      ["font/woff2", testWoff2({ chars: `${known}A` })],
    ] as const;
    for (const [type, bytes] of fonts) {
      const face = `@font-face{font-family:Brand;src:url(data:${type};base64,` +
        `${bytes.toString("base64")})}p{font-family:Brand}`;
      const html = (text: string) => `<style>${face}</style><p>${text} and others`;
      assert.equal(await listOf(html(known)), undefined, type);
      const strict = { missingGlyphs: "fail" as const };
      assert.match(
        (await textOf((await browser.print(job(html(known), strict))).pdf)).join(),
        /and/,
      );
      assert.deepEqual(await listOf(html(unknown)), [`U+E124 in "${unknown} and others"`], type);
      assert.deepEqual(await listOf(`<p>${known} alone`), [`U+E123 in "${known} alone"`]);
    }
  });

  test("are found in a colour font, a header and generated text", async () => {
    const emoji = '<p style="font-family: Noto Color Emoji">😀 x\u{E123}';
    assert.deepEqual(await listOf(emoji), ['U+E123 in "😀 x\u{E123}"']);
    assert.deepEqual(await listOf("x", { header: { left: "a\u{E200}b" } }), [
      'U+E200 in "a\u{E200}b"',
    ]);
    assert.deepEqual(await listOf("<style>p::before { content: '\\e123' }</style><p>x"), [
      "a character that is not in the text of the HTML",
    ]);
  });

  test("are not reported of what a document hides, changes or needs no glyph for", async () => {
    const html = "<!-- \u{E200} --><title>\u{E201}</title><style>/* \u{E202} */</style>" +
      "<p title='\u{E203}' style='text-transform: uppercase'>straße \u{E123} a\u00ADb a\u200Db c\uFEFF";
    assert.deepEqual((await listOf(html))?.map((one) => one.slice(0, 6)), ["U+E123"]);
    assert.equal(await listOf(html.replace("\u{E123}", "")), undefined);
  });

  test("are distinguished from ligatures and complex scripts", async () => {
    const html = "<p>office flight సంస్కృతం क्षत्रिय \u{E123}";
    assert.deepEqual((await listOf(html))?.map((one) => one.slice(0, 6)), ["U+E123"]);
  });

  test("are listed up to ten", async () => {
    const many = String.fromCodePoint(...Array.from({ length: 30 }, (_, i) => 0xE100 + i));
    const listed = await listOf(`<p>${many}`);
    assert.equal(listed?.length, 11);
    assert.equal(listed?.at(-1), "20 more");
  });
});

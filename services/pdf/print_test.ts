import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, suite, test } from "node:test";
import { inflateSync } from "node:zlib";
import { nightTest } from "@posthaste/kit";
import type { PdfBrowser } from "./browser.ts";
import { PrintError } from "./print_error.ts";
import { describePdf, job, NO_CHROMIUM, openTestBrowser, sizeOf, textOf } from "./_test_browser.ts";

const THREE_PAGES = `<!doctype html><title>Three</title><p>One<p style="break-before:page">Two` +
  `<p style="break-before:page">Three`;
const DOT = "data:image/svg+xml;base64," +
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>`,
  ).toString("base64");

suite("print()", { skip: NO_CHROMIUM }, () => {
  let browser: PdfBrowser;
  before(async () => void (browser = await openTestBrowser()));
  after(async () => await browser[Symbol.asyncDispose]());

  test("print() returns a PDF with the text of the document on one page", async () => {
    const { pdf, pages, blocked } = await browser.print(job("<p>Größe 42 € Привет Γειά</p>"));
    assert.equal(pages, 1);
    assert.deepEqual(await textOf(pdf), ["Größe 42 € Привет Γειά"]);
    assert.deepEqual(await sizeOf(pdf), [210, 297]);
    assert.deepEqual(blocked, []);
  });

  test("print() numbers the pages of three in header and footer", async () => {
    const page = { header: { right: `"Acme" <A&B>` }, footer: { center: "Page {page}/{pages}" } };
    const { pdf, pages } = await browser.print(job(THREE_PAGES, page));
    assert.equal(pages, 3);
    const texts = await textOf(pdf);
    for (const [index, word] of ["One", "Two", "Three"].entries()) {
      assert.ok(texts[index]?.includes(word));
      assert.ok(texts[index]?.includes(`"Acme" <A&B>`), texts[index]);
      assert.ok(texts[index]?.includes(`Page ${index + 1}/3`), texts[index]);
    }
  });

  test("print() prefers the template's own @page", async () => {
    const style = `<style>@page{size:100mm 50mm;@bottom-center{content:"mine"}}` +
      `@page :first{@top-left{content:none}}</style>`;
    const page = { header: { left: "Head" }, footer: { center: "ours", right: "side" } };
    const { pdf } = await browser.print(job(style + THREE_PAGES, page));
    assert.deepEqual(await sizeOf(pdf), [100, 50]);
    const [first = "", second = ""] = await textOf(pdf);
    assert.ok(!first.includes("Head") && second.includes("Head"), "no header on the first page");
    assert.ok(first.includes("mine") && !first.includes("ours") && first.includes("side"));
  });

  test("print() applies format, orientation and custom sizes", async () => {
    const landscape = await browser.print(job("x", { format: "A5", orientation: "landscape" }));
    assert.deepEqual(await sizeOf(landscape.pdf), [210, 148]);
    const custom = await browser.print(job("x", { format: { width: "4in", height: "150mm" } }));
    assert.deepEqual(await sizeOf(custom.pdf), [102, 150]);
  });

  test("print() applies the margins", async () => {
    const box = `<style>body{margin:0}div{height:190mm}</style><div>a</div><div>b</div>`;
    const none = { top: "0mm", right: "0mm", bottom: "0mm", left: "0mm" };
    const tall = { width: "200mm", height: "400mm" };
    const without = await browser.print(job(box, { format: tall, margin: none }));
    const wide = { ...none, top: "30mm" };
    const inside = await browser.print(job(box, { format: tall, margin: wide }));
    assert.deepEqual([without.pages, inside.pages], [1, 2]);
  });

  test("print() shows images, backgrounds and lazy images although there is no screen", async () => {
    const images = `<style>.b{width:9px;height:9px;background-image:url(${DOT})}</style>` +
      `<div class=b></div><img src="${DOT}"><div style="height:3000px"></div>` +
      `<img loading=lazy src="${DOT}">`;
    const { pdf } = await browser.print(job(images));
    // Skia draws each as a rectangle filled with red.
    const reds = contentOf(pdf).match(/\b1 0 0 rg/g)?.length;
    assert.equal(reds, 3);
    const bare = await browser.print(job(images, { background: false }));
    assert.equal(contentOf(bare.pdf).match(/\b1 0 0 rg/g)?.length, 2);
  });

  test("print() embeds fonts for CJK and emoji", async () => {
    const text = "汉字 漢字 日本語かな 한국어 😀";
    const { pdf } = await browser.print(job(`<p>${text}`));
    // A font may use one glyph for an ideograph and the radical that looks the same.
    const plain = (seen = "") => seen.normalize("NFKC").replaceAll(" ", "");
    assert.equal(plain((await textOf(pdf))[0]), plain(text));
    const one = await browser.print(job("<p style='font-size:40px'>😀"));
    const blank = await browser.print(job("<p style='font-size:40px'>\u{10FFF0}"));
    assert.ok(one.pdf.length > blank.pdf.length + 500, "an emoji is more than a missing glyph");
  });

  test("print() sets well-known families and languages in the installed fonts", async () => {
    const fontsOf = async (html: string) => {
      const { pdf } = await browser.print(job(html));
      return Array.from(pdf.toString("latin1").matchAll(/\/FontName \/\w+\+(\S+)/g), ([, f]) => f);
    };
    const inFamily = (family: string) => fontsOf(`<p style="font-family:${family}">Hello`);
    assert.deepEqual(await inFamily("Helvetica"), ["NotoSans-Regular"]);
    assert.deepEqual(await inFamily("Georgia"), ["NotoSerif-Regular"]);
    assert.deepEqual(await inFamily("'Courier New'"), ["NotoSansMono-Regular"]);
    assert.deepEqual(await fontsOf(`<p lang=zh>直骨门`), ["NotoSansHans-Regular"]);
    assert.deepEqual(await fontsOf(`<p lang=ja>直骨かな`), ["BIZUDPGothic-Regular"]);
  });

  test("print() returns the same bytes in every browser", async () => {
    const source = {
      ...job(`<title>Zoë</title><h1>1</h1>${THREE_PAGES}<img src="${DOT}">汉字😀`, {
        footer: { left: "{page}" },
        ...{ tagged: true, outline: true, language: "de-AT", author: "Müller & (Co)" },
      }),
      madeAt: new Date("2026-03-01T10:00:00Z"),
    };
    await browser.print(job("<style title=a>p{color:red}</style><p>other"));
    const here = await browser.print(source);
    // The dates have seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await using other = await openTestBrowser();
    const there = await other.print(source);
    assert.ok(here.pdf.equals(there.pdf));
    assert.equal(other.engine, browser.engine);
    assert.equal((await textOf(here.pdf)).length, 3);
    const { info, isTagged, outline, structure } = await describePdf(here.pdf);
    assert.deepEqual(
      ["Title", "Author", "Language", "CreationDate"].map((name) => info.get(name)),
      ["Zoë", "Müller & (Co)", "de-AT", "D:20260301100000+00'00'"],
    );
    assert.deepEqual([isTagged, outline], [true, ["1"]]);
    assert.match(structure, /"role":"H1"/);
  });

  test("print() reaches nothing, and reports the refused addresses", async () => {
    let requests = 0;
    const canary = createServer((_request, response) => {
      requests++;
      response.end("seen");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => canary.once("listening", resolve));
    const address = canary.address();
    const at = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    try {
      const { pdf, blocked } = await browser.print(job(
        `<link rel=stylesheet href=${at}/css><link rel=prefetch href=${at}/pre>` +
          `<link rel=dns-prefetch href=${at}><link rel=icon href=${at}/icon>` +
          `<style>@import url(${at}/import);@font-face{font-family:x;src:url(${at}/font)}` +
          `p{font-family:x;background:url(${at}/bg)}@page{@top-left{content:url(${at}/box)}}</style>` +
          `<p>text<img src=${at}/img><img srcset="${at}/set 2x"><picture><source srcset=${at}/src>` +
          `</picture><iframe src=${at}/frame></iframe><iframe src=file:///etc/passwd></iframe>` +
          `<object data=${at}/object></object><embed src=${at}/embed><video src=${at}/video ` +
          `poster=${at}/poster autoplay></video><audio src=${at}/audio></audio><script src=${at}/js>` +
          `</script><svg><image href="${at}/svg"/><use href="${at}/use#a"/></svg>` +
          `<script>new WebSocket("${at.replace("http", "ws")}/ws");fetch("${at}/fetch")</script>`,
      ));
      await browser.print(job(`<meta http-equiv=refresh content="0;url=${at}/refresh"><p>x`))
        .catch(() => undefined);
      await browser.print(job("<p>next"));
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(requests, 0);
      assert.deepEqual(await textOf(pdf), ["text"]);
      assert.ok(blocked.includes(`${at}/img`) && blocked.includes(`${at}/bg`), String(blocked));
      assert.ok(blocked.length <= 20);
    } finally {
      await new Promise((resolve) => canary.close(resolve));
    }
  });

  nightTest("print() returns a PDF of more than 20 MB if its limit allows it", async () => {
    await using large = await openTestBrowser({
      concurrency: 1,
      limits: { pdfBytes: 25_000_000 },
    });
    const noise =
      `<svg width=680 height=945><filter id=f><feTurbulence baseFrequency=.7 /></filter>` +
      `<rect width=680 height=945 filter="url(#f)" /></svg>`;
    const { pdf, pages } = await large.print(job(noise));
    assert.ok(pdf.length > 20_000_000, `${pdf.length} bytes`);
    assert.equal(pdf.toString("latin1", pdf.length - 6), "%%EOF\n");
    assert.equal(pages, 1);
  });

  test("print() refuses what is too large or impossible, with a reason for the author", async () => {
    await using small = await openTestBrowser({
      limits: { htmlBytes: 400_000, pages: 2, pdfBytes: 12_000 },
    });
    await assert.rejects(small.print(job("x".repeat(400_001))), {
      code: "too_large",
      message: `Cannot print "test": the HTML has 400001 bytes, more than 400000`,
    });
    await assert.rejects(small.print(job("<iframe></iframe>".repeat(101))), {
      code: "too_large",
      reason: "it has more than 100 frames",
    });
    await assert.rejects(small.print(job(THREE_PAGES)), { reason: "it has more than 2 pages" });
    const glyphs = String.fromCodePoint(...Array.from({ length: 200 }, (_, n) => 0x4e00 + n * 7));
    await assert.rejects(small.print(job(`<p>${glyphs}`)), {
      code: "too_large",
      reason: /^the PDF has \d+ bytes/,
    });
    const error = await small.print(job("x", { margin: { left: "210mm" } })).catch((e) => e);
    assert.ok(error instanceof PrintError && !error.retryable);
    assert.equal(error.reason, "the margins leave no space on the paper");
    assert.equal((await small.print(job("still fine"))).pages, 1);
  });
});

/** Returns the drawing commands of all pages, inflated. */
function contentOf(pdf: Buffer): string {
  let text = "";
  for (let at = 0; (at = pdf.indexOf("stream\n", at)) >= 0; at += 7) {
    const end = pdf.indexOf("\nendstream", at);
    if (pdf.toString("latin1", at - 3, at) === "end" || end < 0) continue;
    try {
      text += inflateSync(pdf.subarray(at + 7, end)).toString("latin1");
    } catch {
      // Not a compressed stream.
    }
  }
  return text;
}

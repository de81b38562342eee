import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { archiveFaults, NO_VERAPDF } from "@posthaste/kit";
import { job, NO_CHROMIUM, openTestBrowser, textOf } from "./_test_browser.ts";
import type { PdfBrowser } from "./browser.ts";
import { PrintError } from "./print_error.ts";

const run = promisify(execFile);

const HTML = `<html lang="de"><title>Rechnung 1 ä (&amp; <Söhne>)</title><style>
.g { opacity: .5; background: linear-gradient(red, blue); box-shadow: 0 0 5px #000; width: 50px }</style>
<h1 id="top">Hello 漢 ا ง 😀 हिन्दी</h1><a href="https://example.org/">Link</a> <a href="#top">up</a>
<div class="g">x</div><table><tr><th>A<td data-invoice-total>119,00 €</table>`;

const XML = `<?xml version="1.0" encoding="UTF-8"?>\n<invoice>ä 漢</invoice>\n`;

const SUMS = { grandTotal: "119.00", duePayable: "119.0" };

const madeAt = new Date("2026-03-01T10:00:00Z");

const OPTIONS = {
  plain: { conformance: "pdf/a-3b" },
  tagged: { conformance: "pdf/a-3b", tagged: true, outline: true, author: "Zoë & )" },
} as const;

/** Why a test of another reader is skipped, or `false`. */
function without(program: string): string | false {
  return spawnSync(program, ["--version"]).error === undefined
    ? false
    : `NO ${program.toUpperCase()}, NOTHING IS TESTED: install it`;
}

/** Runs a program on a PDF, in a folder of its own. */
async function read(pdf: Buffer, program: string, args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "pdf-"));
  try {
    await writeFile(join(folder, "a.pdf"), pdf);
    const { stdout } = await run(program, [...args, "a.pdf"], { cwd: folder });
    const attached = await readFile(join(folder, "factur-x.xml"), "utf8").catch(() => undefined);
    return { stdout, attached };
  } finally {
    await rm(folder, { recursive: true });
  }
}

// One for all tests: starting it costs more than all that they print.
let browser: PdfBrowser;
before(async () => {
  if (!NO_CHROMIUM) browser = await openTestBrowser();
});
after(() => browser?.[Symbol.asyncDispose]());

async function printed(name: keyof typeof OPTIONS, profile?: "minimum" | "en16931") {
  const invoice = profile === undefined ? undefined : { xml: XML, profile, ...SUMS };
  const work = { ...job(HTML, OPTIONS[name]), madeAt, invoice };
  const [one, other] = [await browser.print(work), await browser.print(work)];
  assert.ok(one.pdf.equals(other.pdf), "the same input gives the same bytes");
  return one.pdf;
}

for (const name of ["plain", "tagged"] as const) {
  test(`qpdf finds no fault in an archived PDF (${name})`, {
    skip: NO_CHROMIUM || without("qpdf"),
  }, async () => {
    const pdf = await printed(name, "en16931");
    const { stdout } = await read(pdf, "qpdf", ["--check"]);
    assert.match(stdout, /No syntax or stream encoding errors found/);
    const file = pdf.toString("latin1");
    assert.match(file, /\/ID \[<([\da-f]{32})><\1>\]>>\nstartxref\n\d+\n%%EOF\n$/);
    for (const dictionary of file.match(/<<\/Type \/Annot\n[\s\S]*?>>\nendobj/g) ?? []) {
      assert.match(dictionary, /\n\/F 4\n/);
    }
    assert.doesNotMatch(file, /\/LZWDecode|\/Encrypt|\/JavaScript|\/Interpolate/);
    const [text] = await textOf(pdf);
    assert.match(text ?? "", /Hello/);
  });

  test(`veraPDF finds no fault in an archived PDF (${name})`, {
    skip: NO_CHROMIUM || NO_VERAPDF,
  }, async () => {
    assert.equal(await archiveFaults(await printed(name, "en16931")), "");
  });
}

test("veraPDF finds faults in a PDF that is not archived", {
  skip: NO_CHROMIUM || NO_VERAPDF,
}, async () => {
  const { pdf } = await browser.print({ ...job(HTML), madeAt });
  assert.match(await archiveFaults(pdf), /^FAIL /);
});

test("pdfdetach finds the invoice, unchanged", {
  skip: NO_CHROMIUM || without("pdfdetach"),
}, async () => {
  const { attached } = await read(await printed("plain", "en16931"), "pdfdetach", ["-saveall"]);
  assert.equal(attached, XML);
});

test("pdfinfo reads metadata that equal the information dictionary", {
  skip: NO_CHROMIUM || without("pdfinfo"),
}, async () => {
  const pdf = await printed("tagged", "minimum");
  const { stdout: info } = await read(pdf, "pdfinfo", []);
  assert.match(info, /^Title: +Rechnung 1 ä \(& <Söhne>\)$/m);
  assert.match(info, /^PDF version: +1\.7$/m);
  const { stdout: packet } = await read(pdf, "pdfinfo", ["-meta"]);
  for (
    const part of [
      `xml:lang="x-default">Rechnung 1 ä (&amp; &lt;Söhne&gt;)</rdf:li>`,
      "<rdf:li>Zoë &amp; )</rdf:li>",
      "<pdf:Producer>Skia/PDF m",
      "<xmp:CreatorTool>Chromium</xmp:CreatorTool>",
      "<xmp:CreateDate>2026-03-01T10:00:00+00:00</xmp:CreateDate>",
      "<pdfaid:part>3</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>",
      "<fx:ConformanceLevel>MINIMUM</fx:ConformanceLevel>",
    ]
  ) assert.ok(packet.includes(part), part);
  assert.match(pdf.toString("latin1"), /\/AFRelationship \/Data\n/);
});

test("every font of an archived PDF is embedded, with a mapping to Unicode", {
  skip: NO_CHROMIUM || without("pdffonts"),
}, async () => {
  const { stdout } = await read(await printed("plain"), "pdffonts", []);
  const fonts = stdout.trim().split("\n").slice(2);
  assert.ok(fonts.length >= 6, stdout);
  for (const line of fonts) assert.match(line, / yes (?:yes|no ) yes +\d+ +0$/, line);
});

test("a character without a glyph is no PDF/A", { skip: NO_CHROMIUM }, async () => {
  const html = "<p>Private: \u{E123}</p>";
  await assert.rejects(
    browser.print(job(html, OPTIONS.plain)),
    (error) =>
      error instanceof PrintError && error.code === "missing_glyphs" && /PDF\/A/.test(error.reason),
  );
  assert.equal((await browser.print(job(html))).pages, 1);
});

test("a document with a longer title, link or id than PDF/A allows is refused", {
  skip: NO_CHROMIUM,
}, async () => {
  const id = "i".repeat(128);
  for (
    const html of [
      `<title>${"T".repeat(32_768)}</title><p>x`,
      `<a href="https://example.org/${"x".repeat(32_768)}">x</a>`,
      `<a href="#${id}">x</a><p id="${id}">y`,
    ]
  ) {
    await assert.rejects(
      browser.print(job(html, OPTIONS.plain)),
      (error) =>
        error instanceof PrintError && error.code === "invalid" && /PDF\/A/.test(error.reason),
    );
  }
});

test("a page that shows another total than the XML fails, with both numbers", {
  skip: NO_CHROMIUM,
}, async () => {
  const invoice = { xml: XML, profile: "en16931" as const, ...SUMS, grandTotal: "118.00" };
  // A form whose fields have the names of methods must not hide them.
  const hiding = '<form data-invoice-total="due">119.00<input name="getAttribute"></form>' +
    '<img name="querySelectorAll">';
  await assert.rejects(
    browser.print({ ...job(HTML + hiding, OPTIONS.plain), invoice }),
    (error) =>
      error instanceof PrintError && error.code === "totals_differ" &&
      /page has "119,00 €".*XML has 118\.00 \(GrandTotalAmount\)/.test(error.reason),
  );
  const right = { ...invoice, grandTotal: "119.00" };
  assert.equal(
    (await browser.print({ ...job(HTML + hiding, OPTIONS.plain), invoice: right })).pages,
    1,
  );
});

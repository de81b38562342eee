import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { PageOptionsInput } from "@posthaste/contracts";
import { job, NO_CHROMIUM, openTestBrowser, textOf } from "./_test_browser.ts";
import { TEST_ENCRYPTION, TEST_PASSWORD } from "./_test_encryption.ts";
import type { PdfBrowser } from "./browser.ts";
import { PrintError } from "./print_error.ts";
import { printKey } from "./print_key.ts";

const NO_QPDF = spawnSync("qpdf", ["--version"]).error === undefined
  ? false
  : "NO QPDF, NO APPENDED PDF IS CHECKED: install qpdf";

/** Runs qpdf on a PDF, and returns its output and what it wrote. */
async function qpdf(pdf: Buffer, args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "pdf-"));
  try {
    await writeFile(join(folder, "a.pdf"), pdf);
    const { status, stdout, stderr } = spawnSync("qpdf", args, { cwd: folder, encoding: "utf8" });
    const written = await readFile(join(folder, "b.pdf")).catch(() => undefined);
    return { status, text: `${stdout}${stderr}`, written };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const TERMS = `<html lang="en"><title>Terms</title><h1 id="a">Terms 漢</h1><a href="#a">up</a>
<a href="https://terms.example/">out</a><p style="break-before: page">Terms end`;

const INVOICE = `<html lang="en"><title>Invoice</title><h1>Invoice</h1>`;

const OPTIONS: Record<string, PageOptionsInput> = {
  plain: {},
  tagged: { tagged: true, outline: true, author: "Zoë" },
};

// One for all tests: starting it costs more than all that they print.
let browser: PdfBrowser;
before(async () => {
  if (!NO_CHROMIUM) browser = await openTestBrowser();
});
after(() => browser?.[Symbol.asyncDispose]());

for (const [name, options] of Object.entries(OPTIONS)) {
  test(`the pages of other PDFs follow the printed ones, in their order (${name})`, {
    skip: NO_CHROMIUM || NO_QPDF,
  }, async () => {
    const { pdf: terms } = await browser.print(job(TERMS, { format: "A5", tagged: true }));
    const { written: packed } = await qpdf(terms, ["--object-streams=generate", "a.pdf", "b.pdf"]);
    assert.ok(packed !== undefined);
    const page = { ...options, append: ["terms", "terms", "packed"] };
    const work = { ...job(INVOICE, page), append: [terms, terms, packed] };
    const { pdf, pages } = await browser.print(work);
    assert.equal(pages, 7);
    assert.ok((await browser.print(work)).pdf.equals(pdf), "the same input gives the same bytes");
    const texts = await textOf(pdf);
    assert.match(texts[0] ?? "", /^Invoice/);
    for (const at of [1, 3, 5]) {
      assert.match(texts[at] ?? "", /Terms 漢/);
      assert.match(texts[at + 1] ?? "", /^Terms end/);
    }
    const { status, text } = await qpdf(pdf, ["--check", "a.pdf"]);
    assert.equal(status, 0, text);
    assert.match(text, /No syntax or stream encoding errors found/);
    assert.doesNotMatch(pdf.toString("latin1"), /terms\.example/);
  });
}

test("appended pages are encrypted with the printed ones", {
  skip: NO_CHROMIUM || NO_QPDF,
}, async () => {
  const { pdf: terms } = await browser.print(job(TERMS));
  const page = { append: ["terms"], author: "Zoë", passwordVariable: "code" };
  const { pdf } = await browser.print({
    ...job(INVOICE, page),
    append: [terms],
    encryption: TEST_ENCRYPTION,
  });
  const args = ["--check", `--password=${TEST_PASSWORD}`, "a.pdf"];
  const { status, text } = await qpdf(pdf, args);
  assert.equal(status, 0, text);
  assert.match(text, /R = 6/);
  assert.equal((await qpdf(pdf, ["--check", "a.pdf"])).status, 2);
});

test("a PDF is not printed without what is to be appended, nor with a damaged PDF", {
  skip: NO_CHROMIUM,
}, async () => {
  const { pdf: terms } = await browser.print(job(TERMS));
  const cut = terms.subarray(0, terms.length - 500);
  const cases: [PageOptionsInput, Buffer[] | undefined, RegExp][] = [
    [{ append: ["terms"] }, undefined, /1 PDFs are to be appended, but it came with 0/],
    [{ append: ["terms"] }, [cut], /cannot be appended: it does not end as a PDF/],
    [{ append: ["terms"], conformance: "pdf/a-3b" }, [terms], /may break the rules of PDF\/A/],
  ];
  for (const [page, append, pattern] of cases) {
    await assert.rejects(
      browser.print({ ...job(INVOICE, page), append }),
      (error) =>
        error instanceof PrintError && error.code === "invalid" && pattern.test(error.reason),
    );
  }
});

test("printKey() differs for PDFs with other appended pages", () => {
  const source = {
    ...{ accountId: "acc_1", html: INVOICE, page: job(INVOICE).page },
    ...{ madeAt: new Date(0), engine: "x" },
  };
  const [a, b] = [Buffer.from("a"), Buffer.from("b")];
  const keys = [undefined, [a], [b], [a, b], [Buffer.from("ab")]]
    .map((append) => printKey({ ...source, append }));
  assert.equal(new Set(keys).size, 5);
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { PageOptionsInput } from "@posthaste/contracts";
import { job, NO_CHROMIUM, openTestBrowser } from "./_test_browser.ts";
import { TEST_ENCRYPTION, TEST_PASSWORD } from "./_test_encryption.ts";
import type { PdfBrowser } from "./browser.ts";
import { encryptedPdf } from "./encrypt_pdf.ts";
import { PrintError } from "./print_error.ts";
import { printKey } from "./print_key.ts";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const HTML =
  `<html lang="de"><title>Geheim \\(1) ) ä % endobj stream</title><h1 id="top">Secret 漢 😀</h1>
<a href="https://example.org/(a)?b=%3C">Link</a> <a href="#top">up</a><img src="${PIXEL}" alt="A (picture)">
<table><tr><th>A<td>1</table><p style="break-before: page">Two`;

const OPTIONS: Record<string, PageOptionsInput> = {
  plain: {},
  tagged: { tagged: true, outline: true, author: "Zoë (& endobj" },
};

/** Why a test of other readers is skipped, or `false`. */
function without(program: string): string | false {
  return spawnSync(program, ["--version"]).error === undefined
    ? false
    : `NO ${program.toUpperCase()}, NOTHING IS TESTED: install it`;
}

/** Runs a program in a folder with a PDF, and returns its output. */
async function run(pdf: Buffer, program: string, args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "pdf-"));
  try {
    await writeFile(join(folder, "a.pdf"), pdf);
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder });
    return { status, stdout, text: stdout.toString("latin1"), errors: stderr.toString() };
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

async function printed(options: PageOptionsInput, isLocked: boolean) {
  const encryption = isLocked ? TEST_ENCRYPTION : undefined;
  return (await browser.print({ ...job(HTML, options), encryption })).pdf;
}

/** Returns the objects of a PDF in a form that shows each string and stream, without what encryption adds. */
async function objectsOf(pdf: Buffer): Promise<string> {
  const args = ["--qdf", "--decrypt", "--static-id", "--no-original-object-ids"];
  const { text, errors } = await run(pdf, "qpdf", [
    ...args,
    `--password=${TEST_PASSWORD}`,
    ...["a.pdf", "-"],
  ]);
  assert.equal(errors, "");
  return text.slice(text.indexOf("1 0 obj"), text.indexOf("\nxref"))
    .replace(/ {2}\/Extensions <<[^]*?\n {2}>>\n/, "");
}

for (const [name, options] of Object.entries(OPTIONS)) {
  test(`qpdf opens an encrypted PDF by its password, and finds the same objects (${name})`, {
    skip: NO_CHROMIUM || without("qpdf"),
  }, async () => {
    const open = await printed(options, false);
    const locked = await printed(options, true);
    const { text, status, errors } = await run(locked, "qpdf", [
      "--check",
      ...[`--password=${TEST_PASSWORD}`, "a.pdf"],
    ]);
    assert.equal(status, 0, errors);
    assert.match(text, /R = 6\nP = -4\nUser password = /);
    assert.match(text, /stream encryption method: AESv3\n.*string encryption method: AESv3\n/);
    assert.match(text, /No syntax or stream encoding errors found/);
    assert.equal(await objectsOf(locked), await objectsOf(open));
  });
}

test("nobody opens an encrypted PDF with another password, or without one", {
  skip: NO_CHROMIUM || without("qpdf"),
}, async () => {
  const locked = await printed(OPTIONS["tagged"] ?? {}, true);
  for (const password of ["", "Zoe & 1", `${TEST_PASSWORD} `]) {
    const { status, errors } = await run(locked, "qpdf", [
      "--check",
      ...[`--password=${password}`, "a.pdf"],
    ]);
    assert.equal(status, 2);
    assert.match(errors, /invalid password/);
  }
});

test("pdftotext reads an encrypted PDF with its password alone", {
  skip: NO_CHROMIUM || without("pdftotext"),
}, async () => {
  const locked = await printed(OPTIONS["tagged"] ?? {}, true);
  const right = await run(locked, "pdftotext", ["-upw", TEST_PASSWORD, "a.pdf", "-"]);
  assert.match(right.stdout.toString(), /Secret[^]*漢[^]*Two/);
  assert.equal((await run(locked, "pdftotext", ["-upw", "x", "a.pdf", "-"])).stdout.length, 0);
  const info = await run(locked, "pdfinfo", ["-upw", TEST_PASSWORD, "a.pdf"]);
  assert.match(info.stdout.toString(), /^Title: +Geheim \\\(1\) \) ä % endobj stream$/m);
  assert.match(info.stdout.toString(), /^Author: +Zoë \(& endobj$/m);
});

test("an encrypted PDF has no readable string, link or stream", { skip: NO_CHROMIUM }, async () => {
  const text = (await printed(OPTIONS["tagged"] ?? {}, true)).toString("latin1");
  assert.doesNotMatch(text, /Geheim|example\.org|picture|Chromium|Skia/);
});

test("the same PDF is encrypted with other random values each time", {
  skip: NO_CHROMIUM,
}, async () => {
  const open = await printed({}, false);
  assert.ok(!encryptedPdf(open, TEST_ENCRYPTION).equals(encryptedPdf(open, TEST_ENCRYPTION)));
});

test("a PDF is never printed without the password that it should have", {
  skip: NO_CHROMIUM,
}, async () => {
  const archived = job(HTML, { conformance: "pdf/a-3b" });
  const wrong = [
    [job(HTML, { passwordVariable: "code" }), /came without one/],
    [{ ...archived, encryption: TEST_ENCRYPTION }, /PDF\/A forbids passwords/],
  ] as const;
  for (const [work, reason] of wrong) {
    await assert.rejects(
      browser.print(work),
      (error) =>
        error instanceof PrintError && error.code === "invalid" && reason.test(error.reason),
    );
  }
});

test("printKey() differs for PDFs with other passwords", () => {
  const source = {
    accountId: "acc_1",
    html: HTML,
    page: job(HTML).page,
    madeAt: new Date(0),
    engine: "x",
  };
  const keys = [undefined, TEST_ENCRYPTION, { ...TEST_ENCRYPTION, u: TEST_ENCRYPTION.o }]
    .map((encryption) => printKey({ ...source, encryption }));
  assert.equal(new Set(keys).size, 3);
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { deflateSync } from "node:zlib";
import { minimalPdf } from "@posthaste/kit";
import { PdfFault } from "./_pdf_syntax.ts";
import { readPdfPages } from "./pdf_pages.ts";

const NO_QPDF = spawnSync("qpdf", ["--version"]).error === undefined
  ? false
  : "NO QPDF, NO VARIANT OF A PDF IS READ: install qpdf";

const folder = mkdtempSync(join(tmpdir(), "pdf-pages-"));
after(() => rmSync(folder, { recursive: true }));

/** Returns a PDF as another program writes it. */
function rewritten(pdf: Buffer, args: readonly string[]): Buffer {
  const [from, to] = [join(folder, "from.pdf"), join(folder, "to.pdf")];
  writeFileSync(from, pdf);
  const { status, stderr } = spawnSync("qpdf", [...args, from, to], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return readFileSync(to);
}

const copiedText = (pdf: Buffer) =>
  readPdfPages(pdf).copied(10, 5).objects
    .map(({ id, body }) => `${id}: ${body.toString("latin1")}`).join("\n");

test("readPdfPages() returns the pages with what they inherit, and new numbers", () => {
  const { count, copied } = readPdfPages(minimalPdf(["One", "Two"]));
  assert.equal(count, 2);
  const { pages, objects } = copied(10, 5);
  assert.deepEqual(pages, [10, 11]);
  assert.deepEqual(objects.map(({ id }) => id), [10, 11, 12, 13, 14]);
  const [first = ""] = objects.map(({ body }) => body.toString("latin1"));
  assert.match(first, /\/MediaBox \[0 0 300 200\]/);
  assert.match(first, /\/Rotate 90\n/);
  assert.match(first, /\/Resources <<\/Font <<\/F1 12 0 R>>>>/);
  assert.match(first, /\/Parent 5 0 R>>$/);
  assert.equal(objects.filter(({ body }) => body.includes("Helvetica")).length, 1);
});

const VARIANTS: Record<string, string[]> = {
  "a table": [],
  "objects in streams": ["--object-streams=generate"],
  "a linearized file": ["--linearize"],
  "packed streams": ["--compress-streams=y", "--recompress-flate", "--object-streams=generate"],
  "an older form": ["--force-version=1.3", "--object-streams=disable"],
};

for (const [what, args] of Object.entries(VARIANTS)) {
  test(`readPdfPages() reads ${what}`, { skip: NO_QPDF }, () => {
    const pdf = rewritten(minimalPdf(["One", "Two", "Three"]), args);
    assert.equal(readPdfPages(pdf).count, 3);
    assert.match(copiedText(pdf), /Helvetica/);
  });
}

test("readPdfPages() leaves out links, forms, scripts and what leads to other pages", () => {
  const more = "/Annots [<</Type /Annot /A <</S /JavaScript /JS (alert)>>>>] /AA <<>> " +
    "/Group <</P 5 0 R>> /StructParents 0";
  assert.doesNotMatch(
    copiedText(minimalPdf(["One", "Two"], { page: more })),
    /Annot|alert|\/AA|StructParents/,
  );
  // The page that it names is not copied again.
  assert.equal(
    copiedText(minimalPdf(["One", "Two"], { page: more })).match(/\/Type \/Page\b/g)?.length,
    2,
  );
});

test("readPdfPages() leaves out the same under other spellings, and files that belong to a page", () => {
  const more = "/A#6enots [<</Type /Annot /A <</S /JavaScript /JS (alert)>>>>] /A#41 <<>> " +
    "/AF [<</Type /Filespec /EF <<>>>>] /PieceInfo <</Own (private)>> /Gr#6fup <</S /Transparency>>";
  const copied = copiedText(minimalPdf(["One", "Two"], { page: more }));
  assert.doesNotMatch(copied, /#|Annot|alert|\/AA|Filespec|PieceInfo/);
  assert.match(copied, /\/Group <<\/S \/Transparency>>/);
  // The page that it names is not copied again, whatever its type is called.
  const page = "<</Type /P#61ge /Annots [(alert)]>>";
  const leading = minimalPdf(["One"], { page: "/Group <</P 7 0 R>>", last: page });
  assert.doesNotMatch(copiedText(leading), /alert/);
});

test("readPdfPages() keeps escapes in names that stand for other signs", () => {
  const copied = copiedText(minimalPdf(["One"], { page: "/Group <</A#20#23#2f#e4 /B#4>>" }));
  assert.match(copied, /<<\/A#20#23#2f#e4 \/B#4>>/);
});

test("readPdfPages() leaves out the other files that a stream names", () => {
  const last =
    "<</F (secret.bin) /FFilter /X /AF [(alert)] /Ref <<>> /OPI <<>> /Length 1>> stream\nx\nendstream";
  const copied = copiedText(minimalPdf(["One"], { page: "/Group 7 0 R", last }));
  assert.match(copied, /<<\/Length 1>> stream\nx\nendstream/);
});

const good = minimalPdf(["One"]);
const replaced = (from: string, to: string) =>
  Buffer.from(good.toString("latin1").replace(from, to.padEnd(from.length)), "latin1");

const FAULTS: [string, Buffer, RegExp][] = [
  ["another file", Buffer.from("<html>"), /does not begin as a PDF/],
  ["nothing", Buffer.alloc(0), /does not begin as a PDF/],
  ["a cut file", good.subarray(0, good.length - 10), /does not end as a PDF/],
  [
    "a wrong place of the table",
    replaced("startxref\n", "startxref\n9"),
    /table is not at its place|does not end/,
  ],
  ["a wrong place of an object", replaced("3 0 obj", "8 0 obj"), /object 3 is not at its place/],
  ["a page that contains itself", replaced("/Kids [3 0 R]", "/Kids [2 0 R]"), /contains itself/],
  ["no pages", replaced("/Kids [3 0 R]", "/Kids []"), /has no pages/],
  ["another length of a stream", replaced("/Length 33", "/Length 30"), /has another length/],
  ["a string that does not end", minimalPdf(["One"], { page: "/T (x" }), /a string does not end/],
  [
    "a stream whose length is itself",
    minimalPdf(["One"], { page: "/Group 7 0 R", last: "<</Length 7 0 R>> stream\n" }),
    /needs itself/,
  ],
  ["a catalog that is missing", replaced("/Root 1 0 R", "/Root 9 0 R"), /has no catalog/],
  ["too many pages", minimalPdf(Array(101).fill("x")), /more than 100 pages/],
  [
    "more than a large file",
    minimalPdf(Array(90).fill("x"), { page: `/Group (${"x".repeat(300_000)})` }),
    /copied pages have more than 20000000 bytes/,
  ],
  ["many values", minimalPdf(["One"], { page: `/X [${"0 ".repeat(400_000)}]` }), /too many values/],
  [
    "values that are read again and again",
    minimalPdf(["One"], {
      page: `/Kids [${"<</Kids 7 0 R>>".repeat(1_000)}]`,
      last: `[${"<</Kids []>>".repeat(50_000)}]`,
    }),
    /tree of pages is too large|too many values/,
  ],
  [
    "bytes that are read again and again",
    minimalPdf(Array(90).fill("x"), {
      page: "/Length 185 0 R /Kids 185 0 R /Group <</X 185 0 R>>",
      last: `%${"x".repeat(3_000_000)}\n0`,
    }),
    /its objects refer to the same data too often/,
  ],
  [
    "a reference with a comment in it",
    minimalPdf(["One"], { page: "/Group [6%\n0 R]" }),
    /a reference is broken/,
  ],
  [
    "deep values",
    minimalPdf(["One"], { page: `/X ${"[".repeat(200)}${"]".repeat(200)}` }),
    /nested too deep/,
  ],
];

/** Returns a PDF whose first object is in a stream of objects with this list of numbers. */
function packedPdf(list: string): Buffer {
  const objects = deflateSync(Buffer.from(`${list}<</Type /Catalog /Pages 2 0 R>>`));
  const head = `/Type /ObjStm /N 1 /First ${list.length} /Filter /FlateDecode`;
  const stream = (fields: string, bytes: Buffer) =>
    `<<${fields} /Length ${bytes.length}>> stream\n${bytes.toString("latin1")}\nendstream`;
  const bodies = ["<</Kids [3 0 R]>>", "<</MediaBox [0 0 9 9]>>", stream(head, objects)];
  const rows = Buffer.alloc(5 * 5);
  rows.set([2, 0, 0, 4], 5);
  let file = "%PDF-1.5\n";
  for (const [index, body] of bodies.entries()) {
    rows.writeUInt8(1, 5 * (index + 2));
    rows.writeUInt32BE(file.length << 8, 5 * (index + 2) + 1);
    file += `${index + 2} 0 obj\n${body}\nendobj\n`;
  }
  const table = stream("/Type /XRef /W [1 3 1] /Size 5 /Root 1 0 R", rows);
  return Buffer.from(
    `${file}5 0 obj\n${table}\nendobj\nstartxref\n${file.length}\n%%EOF`,
    "latin1",
  );
}

test("readPdfPages() refuses a stream of objects with more numbers than a PDF has objects", () => {
  assert.equal(readPdfPages(packedPdf("1 0 ")).count, 1);
  const bomb = packedPdf(`1 0 ${"1 0 ".repeat(1_000_000)}`);
  assert.ok(bomb.length < 10_000, `${bomb.length}`);
  assert.throws(() => readPdfPages(bomb), /more than 200000 objects/);
});

for (const [what, pdf, pattern] of FAULTS) {
  test(`readPdfPages() refuses ${what}`, () => {
    assert.throws(
      () => readPdfPages(pdf),
      (error) => error instanceof PdfFault && pattern.test(error.message),
    );
  });
}

test("readPdfPages() refuses an encrypted PDF, also one that opens without a password", {
  skip: NO_QPDF,
}, () => {
  for (const password of ["", "x"]) {
    const pdf = rewritten(good, ["--encrypt", password, "owner", "256", "--"]);
    assert.throws(() => readPdfPages(pdf), /it is encrypted/);
  }
});

test("readPdfPages() reports a fault of any cut or changed file, and never hangs", () => {
  const whole = NO_QPDF === false
    ? rewritten(minimalPdf(["One", "Two"]), VARIANTS["objects in streams"] ?? [])
    : good;
  let seed = 1;
  for (let round = 0; round < 500; round++) {
    const changed = Buffer.from(whole);
    for (let change = 0; change < 3; change++) {
      seed = (seed * 48_271) % 2_147_483_647;
      changed[seed % changed.length] = seed >> 8 & 0xff;
    }
    try {
      readPdfPages(changed).copied(1, 2);
    } catch (error) {
      assert.ok(error instanceof PdfFault, String(error));
    }
  }
});

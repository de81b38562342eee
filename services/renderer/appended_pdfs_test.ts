import assert from "node:assert/strict";
import { test } from "node:test";
import { appendedUses } from "@posthaste/contracts";
import { appendedPdfs, AppendError, checkAppended, checkSizes } from "./appended_pdfs.ts";

const base64 = Buffer.from("%PDF-1.4\n").toString("base64");
const addresses = {
  terms: `data:application/pdf;base64,${base64}`,
  logo: "data:image/png;base64,AA==",
};

test("appendedPdfs() returns stored PDFs in the order of the page options", () => {
  assert.deepEqual(appendedPdfs({ append: ["terms", "terms"] }, addresses), [base64, base64]);
  assert.deepEqual(appendedPdfs({}, addresses), []);
  assert.deepEqual(appendedPdfs(undefined), []);
});

test("appendedPdfs() refuses what is gone, or no PDF", () => {
  for (const name of ["gone", "logo"]) {
    assert.throws(() => appendedPdfs({ append: [name] }, addresses), /"(gone|logo)" is no longer/);
  }
});

test("checkAppended() names the PDF that cannot be read, and checkSizes() limits their size", () => {
  assert.throws(
    () => checkAppended([{ name: "terms" }], addresses),
    (error) =>
      error instanceof AppendError &&
      error.message === 'the PDF "terms" cannot be appended: it does not end as a PDF',
  );
  assert.throws(
    () => checkSizes([{ size: 4_000_000 }, { size: 1 }]),
    /more than 4000000/,
  );
});

test("appendedUses() returns names as uses of stored files", () => {
  assert.deepEqual(appendedUses({ append: ["terms"] }), [
    { name: "terms", line: 1, column: 1, appended: true },
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { creationTime, neutralize } from "./neutral_pdf.ts";

const made = new Date("2026-03-01T10:00:00Z");

function neutral(text: string): string {
  const pdf = Buffer.from(text, "latin1");
  neutralize(pdf, made);
  return pdf.toString("latin1");
}

test("creationTime() is the hour, so that equal documents of one hour are one PDF", () => {
  assert.deepEqual(creationTime(new Date("2026-03-01T10:59:59.999Z")), made);
  assert.deepEqual(creationTime(made), made);
});

test("neutralize() replaces the dates of the information dictionary alone", () => {
  const text = "/Title (/ModDate \\(x)\n/CreationDate (D:20300102030405+01'00')\n" +
    "/ModDate (D:20300102030405-01'30')>>(D:20300102030405+01'00')";
  assert.equal(
    neutral(text),
    "/Title (/ModDate \\(x)\n/CreationDate (D:20260301100000+00'00')\n" +
      "/ModDate (D:20260301100000+00'00')>>(D:20300102030405+01'00')",
  );
});

test("neutralize() numbers tagged nodes by their rank, at any position", () => {
  assert.equal(
    neutral("(node00320900) (node00320885) (node00320900) (node1) (nodes00320885)"),
    "(node00000001) (node00000000) (node00000001) (node1) (nodes00320885)",
  );
});

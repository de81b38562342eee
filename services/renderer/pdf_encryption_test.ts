import assert from "node:assert/strict";
import { test } from "node:test";
import { pdfEncryptionSchema } from "@posthaste/contracts";
import { pdfEncryption } from "./pdf_encryption.ts";

test("pdfEncryption() returns the same keys for the same scope and password alone", () => {
  const one = pdfEncryption({ scope: "a", password: "Zoë" });
  assert.deepEqual(pdfEncryptionSchema.parse(one), one);
  assert.deepEqual(pdfEncryption({ scope: "a", password: "Zoë" }), one);
  for (const other of [{ scope: "b", password: "Zoë" }, { scope: "a", password: "Zoe" }]) {
    const { key, u, ue, o, oe } = pdfEncryption(other);
    assert.ok(key !== one.key && u !== one.u && ue !== one.ue && o !== one.o && oe !== one.oe);
  }
});

test("pdfEncryption() returns nothing that has the password in it", () => {
  const fields = Object.values(pdfEncryption({ scope: "a", password: "correct horse" }));
  for (const field of fields) {
    assert.doesNotMatch(Buffer.from(field, "base64").toString("latin1"), /correct|horse/);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { isShared, sharedTexts } from "./shared_texts.ts";

const LONG = "x".repeat(20_000);
const ENCRYPTION = { key: "k", u: "u", ue: "ue", o: "o", oe: "oe" };

test("sharedTexts() returns what PDFs of several messages repeat, if it is long", () => {
  const short = "short";
  const own = [1, 2, 3].map((number) => [{ html: `${LONG}${number}` }]);
  assert.deepEqual([...sharedTexts(own)], []);
  const equal = own.map(([pdf]) => [...pdf ? [pdf] : [], { html: LONG }, { html: short }]);
  assert.deepEqual([...sharedTexts(equal)], [LONG]);
  // One repetition only: an object in the store costs more.
  assert.deepEqual([...sharedTexts(equal.slice(1))], []);
});

test("sharedTexts() finds appended PDFs and invoices, too", () => {
  const invoice = {
    xml: `<a/>${LONG}`,
    profile: "en16931",
    grandTotal: "1",
    duePayable: "1",
  } as const;
  const messages = [1, 2, 3].map((number) => [{ html: `${number}`, invoice, append: [LONG] }]);
  assert.deepEqual([...sharedTexts(messages)], [invoice.xml, LONG]);
});

test("isShared() is false for a message with a PDF of its own", () => {
  const shared = new Set([LONG]);
  assert.equal(isShared([{ html: LONG }], shared), true);
  assert.equal(isShared([{ html: LONG }, { html: "own" }], shared), false);
  assert.equal(isShared([{ html: LONG, encryption: ENCRYPTION }], shared), false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { centsOf, totalsFault } from "./invoice_totals.ts";

test("centsOf() reads the numbers of many countries", () => {
  for (
    const text of [
      ...[
        "1234.50",
        "1,234.50",
        "1.234,50 €",
        "€ 1'234.50",
        "CHF 1’234.5",
        "1 234,50",
        "1\u202f234,50\u00a0€",
      ],
      "Total:\n 1,234.50",
    ]
  ) assert.equal(centsOf(text), 123_450n, text);
  assert.equal(centsOf("1.234"), 123_400n);
  assert.equal(centsOf("12,34,567.00"), 123_456_700n);
  assert.equal(centsOf("\u2212119,00"), -11_900n);
  assert.equal(centsOf("0.00"), 0n);
});

test("centsOf() returns nothing for no number, or for two", () => {
  for (const text of ["", "none", "19 % of 119.00", "1.2345", "1..2", "1,2,3"]) {
    assert.equal(centsOf(text), undefined, text);
  }
});

const sums = { grandTotal: "119.00", duePayable: "119.00" };

test("totalsFault() finds no fault in equal sums", () => {
  assert.equal(totalsFault([{ mark: "", text: "119,00 €" }], sums), undefined);
  const both = [{ mark: "grand", text: "119" }, { mark: "due", text: "19.00" }];
  assert.equal(totalsFault(both, { ...sums, duePayable: "19.00" }), undefined);
});

test("totalsFault() names both numbers", () => {
  assert.equal(
    totalsFault([{ mark: "", text: " 118,00\n€ " }], sums),
    'the page has "118,00 €" (data-invoice-total="grand"), ' +
      "the invoice XML has 119.00 (GrandTotalAmount)",
  );
  assert.match(totalsFault([{ mark: "due", text: "x" }], sums) ?? "", /"x".*119\.00 \(DuePayable/);
});

test("totalsFault() wants a mark for each sum, and knows its names", () => {
  assert.match(totalsFault([], sums) ?? "", /page has none \(data-invoice-total="grand"\)/);
  assert.match(
    totalsFault([{ mark: "", text: "119" }], { ...sums, duePayable: "19.00" }) ?? "",
    /page has none \(data-invoice-total="due"\), the invoice XML has 19\.00/,
  );
  assert.match(totalsFault([{ mark: "net", text: "119" }], sums) ?? "", /"net" is unknown/);
});

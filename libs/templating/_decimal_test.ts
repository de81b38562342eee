import assert from "node:assert/strict";
import { test } from "node:test";
import { centsOf, centsText, decimalOf, decimalText, percentOf } from "./_decimal.ts";

function decimal(text: string): bigint {
  return decimalOf(text) ?? assert.fail(text);
}

test("decimalOf() reads the decimals of XML, exactly", () => {
  assert.equal(decimal("0.1") + decimal("0.2"), decimal("0.3"));
  assert.equal(centsOf(decimal("999999999999999.99")), 99_999_999_999_999_999n);
  for (const text of ["5", "5.", "+5.00", "05.0000000000000"]) {
    assert.equal(decimal(text), decimal("5.0"), text);
  }
  assert.equal(decimal("-.5"), -decimal("0.5"));
});

test("decimalOf() returns nothing for a text that is no decimal", () => {
  for (
    const text of ["", ".", "-", "1,5", "1 000", "1e3", "NaN", "0x10", "1.2.3", "1.00000000001"]
  ) {
    assert.equal(decimalOf(text), undefined, text);
  }
});

test("centsOf() rounds half of a cent away from zero", () => {
  const cents = ["1.005", "1.0049999999", "-1.005", "2.675", "0"].map((text) =>
    centsOf(decimal(text))
  );
  assert.deepEqual(cents, [101n, 100n, -101n, 268n, 0n]);
});

test("percentOf() is exact where floats are not", () => {
  assert.equal(centsOf(percentOf(decimal("10.50"), decimal("7"))), 74n);
  assert.equal(centsOf(percentOf(decimal("1.15"), decimal("100"))), 115n);
  assert.equal(centsOf(percentOf(decimal("-100"), decimal("8.1"))), -810n);
});

test("centsText() writes two places", () => {
  assert.deepEqual([0n, 5n, -5n, 11_900n].map(centsText), ["0.00", "0.05", "-0.05", "119.00"]);
});

test("decimalText() writes as many places as there are", () => {
  for (const text of ["0", "19", "100", "8.1", "-0.3333", "-20.05"]) {
    assert.equal(decimalText(decimal(text)), text);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { toWireAddress } from "./wire_address.ts";

test("toWireAddress() keeps an ASCII address as it is", () => {
  const address = "First.Last+tag@Example.COM";
  assert.deepEqual(toWireAddress(address), { address, needsSmtpUtf8: false });
});

test("toWireAddress() writes an international domain in A-labels", () => {
  assert.deepEqual(toWireAddress("ann@bücher.example"), {
    address: "ann@xn--bcher-kva.example",
    needsSmtpUtf8: false,
  });
});

test("toWireAddress() keeps an international local part and returns that it needs SMTPUTF8", () => {
  assert.deepEqual(toWireAddress("jörg@例え.jp"), {
    address: "jörg@xn--r8jz45g.jp",
    needsSmtpUtf8: true,
  });
});

test("toWireAddress() does not read a domain as an IP address", () => {
  assert.equal(toWireAddress("a@0x7f.1").address, "a@0x7f.1");
  assert.throws(() => toWireAddress("a@１２７.０.０.１"), RangeError);
});

const refused = [
  "",
  "nobody",
  "@example.com",
  "a@",
  "a@b@example.com",
  "a b@example.com",
  "a@example.com, evil@example.net",
  "a@example.com\r\nRCPT TO:<evil@example.net>",
  "a@example.com>\r\nRCPT TO:<evil@example.net",
  '"Foo, bar"@example.com',
  '"evil@example.net x"@example.com',
  "group:a@example.com;",
  "<a@example.com>",
  "a(comment)@example.com",
  "@relay.example:a@example.com",
  "a@[127.0.0.1]",
  "a@-example.com",
  "a@example..com",
  "=?utf-8?q?evil=40example.net?=@example.com",
  "a\0@example.com",
  "a\u2028@example.com",
  "a@bücher.example\r\n",
  "a@bücher%2eexample",
  "a@bücher.example/x",
  `${"x".repeat(65)}@example.com`,
  `a@${"x".repeat(60)}.${"y".repeat(60)}.${"z".repeat(60)}.${"w".repeat(60)}.${"v".repeat(12)}`,
];

for (const email of refused) {
  test(`toWireAddress() refuses ${JSON.stringify(email).slice(0, 50)}`, () => {
    assert.throws(() => toWireAddress(email), RangeError);
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressHeader,
  cleanHeaderValue,
  fileNameParameters,
  structuredHeader,
  textHeader,
} from "./mime_header.ts";

const nasty = [
  "short",
  "a".repeat(300),
  `${"word ".repeat(60)}end`,
  "漢字".repeat(150),
  "👩‍👩‍👧‍👦".repeat(30),
  "𠜎".repeat(80),
  "مرحبا بالعالم ".repeat(25).trim(),
  "=?UTF-8?B?aGk=?=",
  "two  spaces   kept",
  "ends with é",
];

test("textHeader() folds every line to 78 characters of ASCII", () => {
  for (const text of nasty) {
    for (const line of textHeader("Subject", text).split("\r\n")) {
      assert.ok(line.length <= 78, line);
      assert.match(line, /^[\x20-\x7e]*$/);
    }
  }
});

test("textHeader() never leaves a line without a visible character", () => {
  for (const text of nasty) {
    const lines = textHeader("Subject", text).slice(0, -2).split("\r\n");
    assert.ok(lines.every((line) => line.trim() !== ""));
  }
});

test("textHeader() keeps plain words readable", () => {
  assert.equal(textHeader("Subject", "Your invoice 42"), "Subject: Your invoice 42\r\n");
});

test("textHeader() makes line breaks harmless", () => {
  const header = textHeader("Subject", "hi\r\nBcc: evil@example.com\r\n\r\nbody\0");
  assert.equal(header, "Subject: hi Bcc: evil@example.com body\r\n");
});

test("cleanHeaderValue() replaces control characters and half a surrogate pair", () => {
  assert.equal(cleanHeaderValue(" a\r\n\tb\0c\u0085d\u2028e\ud800 "), "a b c d e\ufffd");
});

test("addressHeader() quotes characters that a phrase may not contain", () => {
  assert.equal(
    addressHeader("From", { name: 'Ann "A" \\ Co., Ltd', email: "a@example.com" }),
    'From: "Ann \\"A\\" \\\\ Co., Ltd" <a@example.com>\r\n',
  );
});

test("addressHeader() keeps an address on one line and the name within 78 characters", () => {
  for (const name of nasty) {
    const header = addressHeader("From", { name, email: `${"x".repeat(40)}@example.com` });
    for (const line of header.split("\r\n")) assert.ok(line.length <= 78, line);
    assert.ok(header.endsWith(`<${"x".repeat(40)}@example.com>\r\n`));
  }
});

test("fileNameParameters() leaves a simple name alone", () => {
  assert.deepEqual(fileNameParameters("invoice; 42.pdf"), {
    name: ';\r\n name="invoice; 42.pdf"',
    filename: ';\r\n filename="invoice; 42.pdf"',
  });
});

test("fileNameParameters() writes long names in sections of at most 78 characters", () => {
  const { name, filename } = fileNameParameters(`${"räksmörgås 🦐 ".repeat(12)}.pdf`);
  assert.match(filename, /filename\*0\*=UTF-8''.+filename\*1\*=/s);
  for (const line of (name + filename).split("\r\n")) assert.ok(line.length <= 78, line);
});

test("fileNameParameters() leaves no encoded word for a program that decodes twice", () => {
  const { name, filename } = fileNameParameters("=?utf-8?q?invoice=2Eexe?=.pdf");
  assert.equal(name, ';\r\n name="=_utf-8?q?invoice=2Eexe?=.pdf"');
  assert.equal(filename, ';\r\n filename="=_utf-8?q?invoice=2Eexe?=.pdf"');
});

test("structuredHeader() writes no line that a server would cut, whatever the blanks", () => {
  const header = structuredHeader("X-Order", `a${" ".repeat(1500)}From: evil@example.com b  c`);
  const lengths = header.split("\r\n").map(({ length }) => length);
  // RFC 5322, 2.1.1.
  assert.ok(Math.max(...lengths) <= 998, `${lengths}`);
  assert.equal(structuredHeader("X-Order", "b  c"), "X-Order: b  c\r\n");
});

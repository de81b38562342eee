import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { finalDot, stuffDots } from "./stuff_dots.ts";

function wireOf(text: string): string {
  const content = stuffDots(Buffer.from(text));
  return content.toString() + finalDot(content);
}

test("stuffDots() doubles each dot at the start of a line, and no other", () => {
  assert.equal(wireOf(".a\r\n.\r\n..\r\nb.\r\n.c\r\n"), "..a\r\n..\r\n...\r\nb.\r\n..c\r\n.\r\n");
  assert.equal(wireOf("a\r\n"), "a\r\n.\r\n");
  assert.equal(wireOf("a"), "a\r\n.\r\n");
  assert.equal(wireOf(""), ".\r\n");
});

test("stuffDots() returns a mail as it is if there is nothing to change", () => {
  const raw = Buffer.from("Subject: x\r\n\r\nbody. with dots.\r\n");
  assert.equal(stuffDots(raw), raw);
});

test("stuffDots() lets no mail end early, for a server that accepts any line end", () => {
  const ends = ["\r\n", "\r", "\n", "", ".", "x", "\r\r\n"];
  for (let code = 0; code < ends.length ** 5; code++) {
    const digits = code.toString(ends.length).padStart(5, "0");
    const text = Array.from(digits, (digit) => ends[Number(digit)]).join("");
    const wire = wireOf(text);
    const found = /(^|\r\n|\r|\n)\.(\r\n|\r|\n)/.exec(wire);
    assert.equal((found?.index ?? 0) + (found?.[0].length ?? 0), wire.length, JSON.stringify(text));
    assert.ok(/(^|\r\n)\.\r\n$/.test(wire), JSON.stringify(text));
  }
});

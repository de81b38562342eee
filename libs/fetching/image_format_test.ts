import assert from "node:assert/strict";
import { test } from "node:test";
import { imageFormat } from "./image_format.ts";

function bytes(...parts: (string | number[])[]): Buffer {
  return Buffer.concat(
    parts.map((part) => typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part)),
  );
}

test("imageFormat() reads type and size from the first bytes", () => {
  const jpeg = bytes(
    [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0],
  );
  assert.deepEqual(imageFormat(jpeg), { type: "image/jpeg", width: 3, height: 2 });
  const gif = bytes("GIF89a", [3, 0, 2, 0]);
  assert.deepEqual(imageFormat(gif), { type: "image/gif", width: 3, height: 2 });
  const extended = bytes("RIFF....WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0]);
  assert.deepEqual(imageFormat(extended), { type: "image/webp", width: 3, height: 2 });
  const svg = bytes(`<?xml version="1.0"?>\n<!-- x -->\n<svg viewBox="0 0 1 1">`);
  assert.equal(imageFormat(svg)?.type, "image/svg+xml");
});

test("imageFormat() recognizes no other formats", () => {
  const others = ["", "<html><svg>", "%PDF-1.7", "GIF", "RIFF....WAVE", "\x89PNG", "<svgx>"];
  for (const other of others) assert.equal(imageFormat(bytes(other)), undefined, other);
  const cut = [0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff];
  assert.equal(imageFormat(bytes(cut)), undefined);
});

test("imageFormat() refuses an SVG that declares entities", () => {
  assert.equal(imageFormat(bytes(`<svg/><!DOCTYPE a [<!ENTITY b "c">]>`)), undefined);
});

test("imageFormat() reads what precedes an SVG document in one pass", () => {
  const marks = [
    "<!--" + "--><!--".repeat(1_400),
    "<!-- x -->".repeat(1_000),
    "<?xml ?>".repeat(1_000),
    "<?xml " + "?".repeat(9_000),
    " ".repeat(9_900),
  ];
  for (const text of marks) assert.equal(imageFormat(bytes(text)), undefined, text.slice(0, 20));
  const svg = "\u{feff}\n <?xml version='1.0'?>\n<!-- a --><!-->-->\n\t<!---->" + " ".repeat(40) +
    "<svg/>";
  assert.equal(imageFormat(Buffer.from(svg))?.type, "image/svg+xml");
});

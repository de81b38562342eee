import assert from "node:assert/strict";
import { test } from "node:test";
import { packWoff2, sfntOf, testFont, testWoff2 } from "@posthaste/kit";
import { AssetFault } from "./asset_fault.ts";
import { readAsset } from "./read_asset.ts";

const CFF = { "CFF ": Buffer.alloc(8), glyf: null, loca: null };

function openType(): Buffer {
  const font = testFont({ tables: CFF });
  font.write("OTTO", 0, "latin1");
  return font;
}

function reasonOf(body: Buffer, declared = ""): string {
  try {
    readAsset(body, declared);
  } catch (error) {
    assert.ok(error instanceof AssetFault, String(error));
    return error.message;
  }
  return "fine";
}

test("readAsset() recognises fonts by their bytes, whatever of their names a program says", () => {
  const unknown = ["", "application/octet-stream"];
  const cases: [Buffer, string, string[]][] = [
    [testFont(), "font/ttf", ["font/ttf", "font/sfnt", "font/otf", "application/x-font-ttf"]],
    [openType(), "font/otf", ["font/otf", "font/ttf", "application/vnd.ms-opentype"]],
    [testWoff2(), "font/woff2", ["font/woff2", "application/font-woff2"]],
  ];
  for (const [body, type, names] of cases) {
    for (const declared of [...unknown, ...names]) {
      const { contentType, bytes, width } = readAsset(body, declared);
      assert.deepEqual([contentType, bytes, width], [type, body, undefined], declared);
    }
    for (const declared of ["image/png", "text/plain", "font/collection", "application/pdf"]) {
      assert.match(reasonOf(body, declared), /is of type "font/, declared);
    }
  }
  assert.match(reasonOf(testFont(), "font/woff2"), /is of type "font\/ttf", not "font\/woff2"/);
  for (const text of ["OTTO;Hamburg", "true,false", "hello"]) {
    assert.equal(reasonOf(Buffer.from(text), "text/csv"), "fine");
    assert.match(
      reasonOf(Buffer.from(text), "font/ttf"),
      /is not a TrueType, OpenType or WOFF2 font/,
    );
  }
  for (const other of ["wOFF", "ttcf", "\0\0\0\0"]) {
    const body = Buffer.concat([Buffer.from(other, "latin1"), testFont().subarray(4)]);
    assert.match(reasonOf(body, "font/ttf"), /is not a TrueType, OpenType or WOFF2 font/, other);
  }
});

test("readAsset() refuses damaged fonts, wherever they are cut or changed", () => {
  for (const font of [testFont(), openType(), testWoff2()]) {
    for (let end = 12; end < font.length - 4; end += 7) {
      assert.notEqual(reasonOf(font.subarray(0, end)), "fine", `cut at ${end}`);
    }
  }
  const overlap = testFont();
  // The second table begins where the first does.
  overlap.copy(overlap, 12 + 16 + 8, 12 + 8, 12 + 12);
  assert.match(reasonOf(overlap), /do not fit the file/);
  const outside = testFont();
  outside.writeUInt32BE(0xffffffff, 12 + 12);
  assert.match(reasonOf(outside), /do not fit the file/);
  const many = testFont();
  many.writeUInt16BE(0xffff, 4);
  assert.match(reasonOf(many), /do not fit the file/);
  const twice = testFont();
  twice.copy(twice, 12, 12 + 16, 12 + 20);
  assert.match(reasonOf(twice), /do not fit the file/);
  for (const tag of ["cmap", "head", "hhea", "hmtx", "maxp"]) {
    for (const make of [testFont, testWoff2]) {
      assert.match(reasonOf(make({ tables: { [tag]: null } })), new RegExp(`no table "${tag}"`));
    }
  }
  assert.match(reasonOf(testFont({ tables: { glyf: null } })), /no outlines/);
  for (const tables of [{ head: Buffer.alloc(54) }, { head: Buffer.alloc(4) }]) {
    assert.match(reasonOf(testFont({ tables })), /table "head" or "maxp"/);
  }
  assert.match(
    reasonOf(testFont({ tables: { maxp: Buffer.alloc(32) } })),
    /table "head" or "maxp"/,
  );
});

test("readAsset() refuses fonts whose tables have no place for each glyph", () => {
  const short = [
    { maxp: Buffer.concat([Buffer.from("000100000002", "hex"), Buffer.alloc(24)]) },
    { hmtx: Buffer.alloc(6) },
    { loca: Buffer.alloc(8) },
    { hhea: Buffer.alloc(20) },
    { hhea: Buffer.alloc(36) },
    { hhea: Buffer.concat([Buffer.alloc(34), Buffer.from([0xff, 0xff])]) },
  ];
  for (const tables of short) {
    for (const make of [testFont, testWoff2]) {
      const [tag = ""] = Object.keys(tables);
      const reason = reasonOf(make({ tables }));
      assert.match(reason, new RegExp(`table "(${tag}|hmtx)" is too short`), tag);
    }
  }
});

test("readAsset() refuses fonts with SVG documents, and those that must not be embedded", () => {
  const svg = { "SVG ": Buffer.from("<svg onload='alert(1)'/>") };
  for (const make of [testFont, testWoff2]) {
    assert.match(reasonOf(make({ tables: svg })), /drawings in SVG/);
    for (const fsType of [0, 4, 8, 0x100, 0x108]) assert.equal(reasonOf(make({ fsType })), "fine");
    for (const fsType of [2, 0x102, 0x200]) {
      assert.match(reasonOf(make({ fsType })), /licence of the font forbids/, `${fsType}`);
    }
  }
});

test("readAsset() refuses large fonts, and WOFF2 fonts that unpack to more than they say", () => {
  assert.match(reasonOf(testFont({ tables: { DSIG: Buffer.alloc(2_500_000) } })), /exceeds 2.5 MB/);
  const bomb = testWoff2({ tables: { DSIG: Buffer.alloc(40_000_000) } });
  assert.ok(bomb.length < 10_000, `${bomb.length}`);
  assert.match(reasonOf(bomb), /do not fit the file/);
  // A push may bring a thousand of them, each below the limit of one font.
  const small = testWoff2({ tables: { DSIG: Buffer.alloc(2_000_000) } });
  assert.ok(small.length < 5_000, `${small.length}`);
  assert.match(reasonOf(small), /do not fit the file/);
  // It says less than it has: the last table with a length is cut.
  const lying = testWoff2();
  const packedBytes = lying.readUInt32BE(20);
  const packed = packWoff2(Buffer.alloc(50_000_000));
  const start = lying.indexOf("post") + 4 + 1;
  const body = Buffer.concat([lying.subarray(0, start), packed]);
  body.writeUInt32BE(body.length, 8);
  body.writeUInt32BE(packed.length, 20);
  assert.notEqual(packed.length, packedBytes);
  assert.match(reasonOf(body), /do not fit the file/);
  assert.equal(sfntOf({}, 0x00010000).length, 12);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssetFault } from "./asset_fault.ts";
import { readAsset } from "./read_asset.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAD0lEQVR4nGNgYGCA4P///wMAC/wC/RhmcYAAAAAASUVORK5CYII=",
  "base64",
);
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

test("readAsset() recognises images by their bytes, with their size", () => {
  for (
    const declared of ["image/png", "image/png; charset=utf-8", "application/octet-stream", ""]
  ) {
    const { contentType, width, height, bytes } = readAsset(PNG, declared);
    assert.deepEqual([contentType, width, height, bytes], ["image/png", 2, 3, PNG]);
  }
  assert.equal(readAsset(GIF, "image/gif").width, 1);
});

test("readAsset() refuses a file that is not what its type says", () => {
  const html = Buffer.from("<!DOCTYPE html><script>1</script>");
  const wrong: [Buffer, string, RegExp][] = [
    [GIF, "image/png", /is of type "image\/gif", not "image\/png"/],
    [PNG, "text/plain", /is of type "image\/png"/],
    [Buffer.from("hello"), "image/png", /is not an image/],
    [Buffer.from("hello"), "image/svg+xml", /has no <svg>/],
    [Buffer.from("%PDF-1.7"), "text/plain", /is of type "application\/pdf"/],
    [html, "image/svg+xml", /has no <svg>/],
    [html, "text/plain", /is of type "text\/html"/],
    [Buffer.alloc(0), "text/plain", /is empty/],
    [Buffer.from([0x3c, 0x73, 0x76, 0x67, 0xff]), "image/svg+xml", /is not UTF-8/],
  ];
  for (const [body, declared, message] of wrong) {
    assert.throws(() => readAsset(body, declared), (error) => {
      assert.ok(error instanceof AssetFault);
      assert.match(error.message, message);
      return true;
    });
  }
  const vast = Buffer.from(PNG);
  vast.writeUInt32BE(100_000, 16);
  vast.writeUInt32BE(100_000, 20);
  assert.throws(() => readAsset(vast, "image/png"), /50 million/);
});

test("readAsset() stores other files as they are", () => {
  const csv = Buffer.from("a;b\n1;2\n");
  assert.deepEqual(readAsset(csv, "text/csv; charset=utf-8"), {
    ...{ bytes: csv, contentType: "text/csv; charset=utf-8" },
  });
  const pdf = Buffer.from("%PDF-1.7\n");
  assert.equal(readAsset(pdf, "application/octet-stream").contentType, "application/pdf");
});

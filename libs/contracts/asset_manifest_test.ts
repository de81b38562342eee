import assert from "node:assert/strict";
import { test } from "node:test";
import { assetManifestText, fileAssets } from "./asset_manifest.ts";
import { assetManifestSchema } from "./asset_manifest_schema.ts";

const png = { contentType: "image/png", alt: "", filename: "logo.png" };

test("fileAssets() describes only what the name of a file does not", () => {
  const { files, manifest } = fileAssets({
    terms: { contentType: "application/pdf", alt: "", filename: "Our terms.pdf" },
    logo: { ...png, alt: "Shop" },
    hero: { ...png, filename: "hero.png" },
    data: { contentType: "application/x-other", alt: "", filename: "data.bin" },
  });
  assert.deepEqual([...files], [
    ...[["data", "data"], ["hero", "hero.png"], ["logo", "logo.png"], ["terms", "terms.pdf"]],
  ]);
  assert.deepEqual(manifest, {
    data: { filename: "data.bin", contentType: "application/x-other" },
    "logo.png": { alt: "Shop" },
    "terms.pdf": { filename: "Our terms.pdf" },
  });
  const read = assetManifestSchema.parse(JSON.parse(assetManifestText(manifest)));
  assert.deepEqual(read, manifest);
});

test("fileAssets() keeps the files of a folder, and gives no two assets the same one", () => {
  const { files, manifest } = fileAssets(
    { logo: png, Logo: { ...png, filename: "Logo.png" }, old: { ...png, filename: "old.png" } },
    new Map([["old", "logo.PNG"]]),
  );
  assert.deepEqual([...files], [["Logo", "Logo-2.png"], ["logo", "logo-3.png"], [
    "old",
    "logo.PNG",
  ]]);
  assert.deepEqual(manifest, {
    "Logo-2.png": { name: "Logo" },
    "logo-3.png": { name: "logo" },
    "logo.PNG": { name: "old" },
  });
});

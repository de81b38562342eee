import assert from "node:assert/strict";
import { test } from "node:test";
import { exportedFiles } from "./export_archive.ts";

const asset = { sha256: "0".repeat(64), size: 1, contentType: "image/png", alt: "" };

test("exportedFiles() loads each stored file by its name, and describes those whose file name does not", async () => {
  const files = await exportedFiles({
    files: { "email/hi/subject.hbs": "Grüße" },
    assets: {
      logo: { ...asset, filename: "Our logo.png" },
      Logo: { ...asset, filename: "Logo.png" },
    },
  }, (name) => Promise.resolve(new TextEncoder().encode(`bytes of ${name}`)));
  const texts = files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]);
  assert.deepEqual(texts.slice(0, 3), [
    ["email/hi/subject.hbs", "Grüße"],
    ["assets/Logo.png", "bytes of Logo"],
    ["assets/logo-2.png", "bytes of logo"],
  ]);
  const [path, manifest] = texts[3] ?? [];
  assert.equal(path, "assets.json");
  assert.deepEqual(JSON.parse(manifest ?? ""), {
    "logo-2.png": { name: "logo", filename: "Our logo.png" },
  });
  assert.equal(texts.length, 4);
});

test("exportedFiles() writes no assets.json if the names of the files say everything", async () => {
  const assets = { logo: { ...asset, filename: "logo.png" } };
  const files = await exportedFiles(
    { files: {}, assets },
    () => Promise.resolve(new Uint8Array(1)),
  );
  assert.deepEqual(files.map(({ path }) => path), ["assets/logo.png"]);
});

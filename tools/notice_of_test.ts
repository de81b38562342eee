import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { noticeOf } from "./notice_of.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

test("noticeOf() lists packages by licence, once for each version, and no part of the project", () => {
  const notice = noticeOf({
    packages: {
      "": { version: "1.0.0" },
      "libs/own": { version: "1.0.0" },
      "node_modules/@own/lib": { link: true },
      "node_modules/b": { version: "2.0.0", license: "MIT" },
      "node_modules/a/node_modules/b": { version: "2.0.0", license: "MIT" },
      "node_modules/@x/c": { version: "1.2.3", license: "ISC", dev: true },
    },
  });
  assert.match(
    notice,
    /^Posthaste\n\nPosthaste is licensed under the Apache License, Version 2\.0: see LICENSE\.\n/,
  );
  assert.match(notice, /\nISC\n {2}@x\/c 1\.2\.3 \*\n\nMIT\n {2}b 2\.0\.0\n$/);
  assert.doesNotMatch(notice, /@own|libs/);
});

test("noticeOf() refuses a package that states no licence", () => {
  assert.throws(
    () => noticeOf({ packages: { "node_modules/a": { version: "1.0.0" } } }),
    /a names no licence/,
  );
});

test("every workspace states the same licence, and so does the lock file", async () => {
  const { license } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  assert.equal(license, "Apache-2.0");
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
  for (const folder of Object.keys(packages).filter((path) => !path.includes("node_modules/"))) {
    const manifest = JSON.parse(await readFile(join(ROOT, folder, "package.json"), "utf8"));
    assert.equal(manifest.license, license, folder);
    assert.equal(packages[folder].license, license, `${folder} in package-lock.json`);
  }
  const text = await readFile(join(ROOT, "LICENSE"), "utf8");
  assert.match(text, /^\s+Apache License\n\s+Version 2\.0, January 2004\n/);
});

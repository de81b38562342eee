import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeOf } from "./notice_of.ts";

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
  assert.match(notice, /\nISC\n {2}@x\/c 1\.2\.3 \*\n\nMIT\n {2}b 2\.0\.0\n$/);
  assert.doesNotMatch(notice, /@own|libs/);
});

test("noticeOf() refuses a package that tells no licence", () => {
  assert.throws(
    () => noticeOf({ packages: { "node_modules/a": { version: "1.0.0" } } }),
    /a tells no licence/,
  );
});

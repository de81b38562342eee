import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkLinks } from "./check_links.ts";
import { makeRepository } from "./make_repository.ts";

function check(files: Record<string, string>): string[] {
  using repository = makeRepository(files);
  return checkLinks(repository.root);
}

test("checkLinks() finds links to files and headings that do not exist", () => {
  const found = check({
    "README.md": "[a](docs/here.md#one-two) [b](docs/gone.md) [c](docs/here.md#three) ![d](x.png)",
    "docs/here.md": "# One: two\n\n[up](../README.md) [self](#one-two) [lost](#lost)\n",
  });
  assert.deepEqual(found, [
    'README.md: no file for the link "docs/gone.md"',
    'README.md: no heading for the link "docs/here.md#three"',
    'README.md: no file for the link "x.png"',
    'docs/here.md: no heading for the link "#lost"',
  ]);
});

test("checkLinks() ignores code, other hosts and headings inside of code", () => {
  const found = check({
    "README.md":
      "`[a](b.md)` [c](https://example.com/x.md)\n\n```sh\n# title\n[d](e.md)\n```\n\n[f](#title)\n",
  });
  assert.deepEqual(found, ['README.md: no heading for the link "#title"']);
});

test("checkLinks() numbers repeated headings", () => {
  assert.deepEqual(check({ "README.md": "# A\n\n# A\n\n[a](#a-1) [b](#a)\n" }), []);
});

test("checkLinks() finds names of source files that do not exist", () => {
  const files = {
    "README.md": "`a_test.ts` `x/b_test.ts` `libs/y/b_test.ts` `c.tsx` `d_*.ts` `e()`\n",
    "libs/x/b_test.ts": "",
    "libs/x/c.tsx": "",
  };
  assert.deepEqual(check(files), [
    'README.md: no source file "a_test.ts"',
    'README.md: no source file "libs/y/b_test.ts"',
  ]);
});

test("every link of the documentation leads somewhere", () => {
  assert.deepEqual(checkLinks(join(import.meta.dirname, "..")), []);
});

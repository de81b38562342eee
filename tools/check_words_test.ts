import assert from "node:assert/strict";
import { test } from "node:test";
import { checkWords, REPLACED } from "./check_words.ts";
import { makeRepository } from "./make_repository.ts";

function check(files: Record<string, string>): string[] {
  using repository = makeRepository(files);
  return checkWords(repository.root);
}

test("checkWords() names the file, the line and the new word of each replaced word", () => {
  assert.deepEqual(
    check({
      "docs/a.md": "# A\n\nThe Sweeper looks.\n",
      "services/api/a.ts": "const a = 1;\n// It is dispatched again, and in doubt.\n",
    }),
    [
      'docs/a.md:3: "sweeper" is now called "reconciler"',
      'services/api/a.ts:2: "dispatched again" is now called "redispatched"',
      'services/api/a.ts:2: "in doubt" is now called "unknown outcome"',
    ],
  );
});

test("checkWords() finds a word and its plural in names", () => {
  for (
    const name of ["parkedFor", "isParked", "PARKED_FOR", "is_parked", "parked-for", "XParked"]
  ) {
    assert.match(
      check({ "dev/a.ts": `const x = "${name}";` }).join(),
      /^dev\/a\.ts:1: "parked"/,
      name,
    );
  }
  assert.match(
    check({ "dev/a.ts": "const lanes = dispatchesAgain();" }).join(),
    /"lane".*"dispatches again"/,
  );
});

test("checkWords() leaves words that only contain a replaced one", () => {
  const text =
    "origin of a bright plane, screws and repeats; bulk_mail in the package; a right side\n";
  assert.deepEqual(check({ "README.md": text }), []);
});

test("checkWords() leaves names that earlier versions stored, and the specification", () => {
  const text = "lane parked\n";
  assert.deepEqual(
    check({
      "CHANGELOG.md": text,
      "docs/interface.md": text,
      "libs/storage/_migrate_from_2.ts": text,
      "services/api/node_modules/x/a.ts": text,
    }),
    [],
  );
  assert.equal(check({ "libs/storage/migrate.ts": text }).length, 2);
});

test("REPLACED names no word as the new one that it replaces", () => {
  const old = Object.keys(REPLACED);
  assert.deepEqual(Object.values(REPLACED).filter((word) => old.includes(word)), []);
});

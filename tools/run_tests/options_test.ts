import assert from "node:assert/strict";
import { test } from "node:test";
import { isAsked, parseOptions } from "./options.ts";

test("parseOptions() accepts paths, words and a commit", () => {
  assert.deepEqual(parseOptions(["./libs/storage/", "token"]), {
    ...{ words: ["libs/storage", "token"], changedSince: undefined, all: false },
  });
  assert.deepEqual(parseOptions(["--all"]), {
    ...{ words: [], changedSince: undefined, all: true },
  });
  assert.deepEqual(parseOptions(["--changed"]), {
    ...{ words: [], changedSince: "HEAD", all: false },
  });
  assert.deepEqual(parseOptions(["--since", "main"]), {
    ...{ words: [], changedSince: "main", all: false },
  });
  assert.equal(parseOptions(["--help"]), "help");
  assert.throws(() => parseOptions(["--chnaged"]), /chnaged/);
});

test("isAsked() accepts files below a path, with a word in it, and all without words", () => {
  assert.ok(isAsked("libs/storage/token_store_test.ts", []));
  assert.ok(isAsked("libs/storage/token_store_test.ts", ["api", "token"]));
  assert.ok(isAsked("libs/storage/token_store_test.ts", ["libs/storage"]));
  assert.ok(!isAsked("libs/storage/token_store_test.ts", ["libs/messaging"]));
});

import assert from "node:assert/strict";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openJournal, readJournal } from "./journal.ts";

test("openJournal() keeps every line in order, and readJournal() leaves out half a line", async () => {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-journal-"));
  const file = join(folder, "lines.jsonl");
  try {
    {
      await using journal = await openJournal<{ n: number }>(file);
      await Promise.all([0, 1, 2].map((n) => journal.append({ n })));
      assert.deepEqual(readJournal(file), [{ n: 0 }, { n: 1 }, { n: 2 }]);
      void journal.append({ n: 3 });
    }
    await appendFile(file, '{"n":4');
    assert.deepEqual(readJournal(file), [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentPdfs } from "./recent_pdfs.ts";

test("RecentPdfs keeps the newest that fit", () => {
  const recent = new RecentPdfs(100);
  for (const key of ["a", "b", "c"]) recent.add(key, Buffer.alloc(40));
  assert.deepEqual(["a", "b", "c"].map((key) => recent.get(key)?.length), [undefined, 40, 40]);
  recent.add("c", Buffer.alloc(60));
  assert.deepEqual(["b", "c"].map((key) => recent.get(key)?.length), [40, 60]);
  recent.add("large", Buffer.alloc(101));
  assert.deepEqual(["b", "c", "large"].map((key) => recent.get(key)), Array(3).fill(undefined));
});

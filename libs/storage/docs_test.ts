import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { MongoClient } from "mongodb";
import { collectionsOf } from "./_collections.ts";

const PAGE = new URL("../../docs/architecture.md", import.meta.url);

test("docs/architecture.md lists each collection once", async () => {
  const page = await readFile(PAGE, "utf8");
  const [, section = ""] = page.split("\n### Collections\n");
  const [table = ""] = section.trim().split("\n\n");
  const listed = table.split("\n").slice(2)
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
  // A client connects when it is used for the first time, and not before.
  await using client = new MongoClient("mongodb://127.0.0.1:1");
  const used = Object.values(collectionsOf(client.db("any"))).map((one) => one.collectionName);
  assert.deepEqual(listed.toSorted(), [...new Set(used)].toSorted());
});

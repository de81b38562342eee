import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { MongoClient } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { IDEMPOTENCY_KEPT_MS } from "./send_acceptance.ts";

async function pageOf(name: string): Promise<string> {
  return await readFile(new URL(`../../docs/${name}`, import.meta.url), "utf8");
}

test("docs/architecture.md lists each collection once", async () => {
  const page = await pageOf("architecture.md");
  const [, section = ""] = page.split("\n### Collections\n");
  const [table = ""] = section.trim().split("\n\n");
  const listed = table.split("\n").slice(2)
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
  // A client connects when it is used for the first time, and not before.
  await using client = new MongoClient("mongodb://127.0.0.1:1");
  const used = Object.values(collectionsOf(client.db("any"))).map((one) => one.collectionName);
  assert.deepEqual(listed.toSorted(), [...new Set(used)].toSorted());
});

test("the pages say for how long idempotency keys are kept", async () => {
  const days = `${IDEMPOTENCY_KEPT_MS / 86_400_000} days`;
  const sentences = {
    "architecture.md": `\`<account>/<key>\`, kept for ${days}`,
    "glossary.md": `makes repeated requests one send, for ${days}`,
    "guarantees.md": `per account, for ${days}`,
    "http.md": `| request | answer, for ${days} |`,
    "operations.md": `| \`idempotency_keys\` | ${days} |`,
  };
  for (const [name, sentence] of Object.entries(sentences)) {
    // Sentences may break at any word.
    const page = (await pageOf(name)).replaceAll(/\s+/g, " ");
    assert.ok(page.includes(sentence), `${name}: ${sentence}`);
  }
});

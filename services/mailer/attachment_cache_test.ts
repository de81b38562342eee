import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openAttachmentCache } from "./attachment_cache.ts";
import { encodeAttachment } from "./base64_lines.ts";

function countedStore(objects: Record<string, Uint8Array>) {
  const asked: string[] = [];
  const get = (key: string) => {
    asked.push(key);
    return Promise.resolve(objects[key]);
  };
  return { asked, get };
}

test("openAttachmentCache() fetches and encodes a PDF once for many mails", async () => {
  const pdf = Buffer.from("%PDF-1.7 and so on");
  const { asked, get } = countedStore({ key: pdf });
  const load = openAttachmentCache(get, 1_000_000);
  const loaded = [...await Promise.all([load("key"), load("key")]), await load("key")];
  for (const found of loaded) assert.deepEqual(found, encodeAttachment(pdf));
  assert.deepEqual(asked, ["key"]);
});

test("openAttachmentCache() loads a missing PDF again", async () => {
  const objects: Record<string, Uint8Array> = {};
  const { asked, get } = countedStore(objects);
  const load = openAttachmentCache(get, 1_000_000);
  assert.equal(await load("key"), undefined);
  objects["key"] = Buffer.from("made again");
  assert.deepEqual(await load("key"), encodeAttachment(Buffer.from("made again")));
  assert.deepEqual(asked, ["key", "key"]);
});

test("openAttachmentCache() returns a PDF that does not fit into its memory, without keeping it", async () => {
  const large = Buffer.alloc(5000, "x");
  const { asked, get } = countedStore({ large, small: Buffer.from("s") });
  const load = openAttachmentCache(get, 1000);
  assert.deepEqual(await load("large"), encodeAttachment(large));
  assert.deepEqual(await load("large"), encodeAttachment(large));
  await load("small");
  await load("small");
  assert.deepEqual(asked, ["large", "large", "small"]);
});

test("openAttachmentCache() returns a PDF even without any memory", async () => {
  const load = openAttachmentCache(() => Promise.resolve(Buffer.from("x")), 0);
  assert.deepEqual(await load("key"), encodeAttachment(Buffer.from("x")));
});

test("openAttachmentCache() throws when the store does, and retries", async () => {
  let tries = 0;
  const load = openAttachmentCache(
    () => tries++ === 0 ? Promise.reject(new Error("away")) : Promise.resolve(Buffer.from("x")),
    1000,
  );
  await assert.rejects(load("key"), /away/);
  assert.deepEqual(await load("key"), encodeAttachment(Buffer.from("x")));
});

test("openAttachmentCache() returns each of many concurrent PDFs, however few it can keep", async () => {
  const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`);
  for (const maxBytes of [0, 100]) {
    const load = openAttachmentCache(async (key) => {
      await delay(Number(key.slice(4)) % 5);
      return Buffer.from(key.repeat(4));
    }, maxBytes);
    const loaded = await Promise.all([...keys, ...keys].map(load));
    for (const [at, found] of loaded.entries()) {
      assert.deepEqual(found, encodeAttachment(Buffer.from(`key-${at % 20}`.repeat(4))));
    }
  }
});

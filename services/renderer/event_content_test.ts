import { MAX_EVENT_BYTES } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { packContents, packMail } from "./event_content.ts";

async function pack(texts: string[], shared: ReadonlySet<string> = new Set()) {
  const stored = new Map<string, string>();
  const store = (key: string, text: string) => Promise.resolve(void stored.set(key, text));
  const contents = await packContents(texts, store, { shared });
  return { contents, stored };
}

test("packContents() keeps small texts in their event", async () => {
  const { contents, stored } = await pack(["<p>Hello</p>", "", "Hello"]);
  assert.deepEqual(contents, [{ inline: "<p>Hello</p>" }, { inline: "" }, { inline: "Hello" }]);
  assert.equal(stored.size, 0);
});

test("packContents() stores only the largest text if that is enough", async () => {
  const large = "x".repeat(400_000);
  const { contents, stored } = await pack(["html", large, "pdf".repeat(1000)]);
  const key = createHash("sha256").update(large).digest("hex");
  assert.deepEqual(contents, [{ inline: "html" }, { key }, { inline: "pdf".repeat(1000) }]);
  assert.deepEqual([...stored], [[key, large]]);
});

test("packContents() stores shared texts, and the largest of the others only if they do not fit", async () => {
  const large = "x".repeat(400_000);
  const keyOf = (text: string) => createHash("sha256").update(text).digest("hex");
  const few = await pack(["html", "terms", large.slice(0, 9000)], new Set(["terms"]));
  assert.deepEqual(few.contents, [
    { inline: "html" },
    { key: keyOf("terms") },
    { inline: large.slice(0, 9000) },
  ]);
  const many = await pack(["html", large, "terms", `${large}2`], new Set(["terms", large]));
  assert.deepEqual(new Set(many.stored.values()), new Set([large, "terms", `${large}2`]));
  assert.deepEqual(many.contents[0], { inline: "html" });
});

test("packContents() keeps any mix of texts well below the limit of an event", async () => {
  for (const length of [1000, 30_000, 100_000, 1_000_000]) {
    // Quotes weigh double in JSON, and a control character sixfold.
    for (const letter of ["x", '"', "\u{1}", "ä", "😀"]) {
      const { contents } = await pack(Array.from({ length: 12 }, () => letter.repeat(length)));
      const bytes = Buffer.byteLength(JSON.stringify(contents));
      assert.ok(bytes < MAX_EVENT_BYTES * 0.65, `${bytes} bytes of ${JSON.stringify(letter)}`);
    }
  }
});

test("packContents() stores the same text under the same key", async () => {
  const large = "ä".repeat(400_000);
  const [first, second] = await Promise.all([pack([large]), pack([large])]);
  assert.deepEqual(first.contents, second.contents);
});

test("packContents() throws when the store does", async () => {
  const packing = packContents(["x".repeat(400_000)], () => Promise.reject(new Error("full")));
  await assert.rejects(packing, /full/);
});

test("packContents() keeps to the room that it is given", async () => {
  const store = () => Promise.resolve();
  const texts = ["x".repeat(5000), "y".repeat(4000)];
  const some = await packContents(texts, store, { room: 6000 });
  assert.deepEqual(some.map((one) => "key" in one), [true, false]);
  const none = await packContents([...texts, "z"], store, { room: 0 });
  assert.ok(none.every((one) => "key" in one));
});

test("packMail() carries a mail's texts as bytes, and stores the largest if they do not fit", async () => {
  const stored = new Map<string, string>();
  const store = (key: string, text: string) => Promise.resolve(void stored.set(key, text));
  const pack = (html: string, text: string) => packMail({ html, text }, store);
  const carried = (text: string) => ({ bytes: Buffer.from(text) });
  const small = await pack("<p>€", "\ud800");
  assert.deepEqual([small.html, small.text], [carried("<p>€"), carried("\ufffd")]);
  assert.equal(small.room, (await pack("", "")).room - 9);
  const [large, larger] = ["€".repeat(60_000), "x".repeat(200_000)];
  const key = createHash("sha256").update(larger).digest("hex");
  const { html, text } = await pack(large, larger);
  assert.deepEqual([html, text], [carried(large), { key }]);
  assert.deepEqual([...stored], [[key, larger]]);
  const both = await pack("x".repeat(400_000), "y".repeat(400_000));
  assert.ok("key" in both.html && "key" in both.text);
  assert.equal(both.room, (await pack("", "")).room);
});

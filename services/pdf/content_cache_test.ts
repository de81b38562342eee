import assert from "node:assert/strict";
import { test } from "node:test";
import { openContentCache } from "./content_cache.ts";

function countedStore(objects: Record<string, string>) {
  const asked: string[] = [];
  const get = (key: string) => {
    asked.push(key);
    const text = objects[key];
    return Promise.resolve(text === undefined ? undefined : Buffer.from(text));
  };
  return { asked, get };
}

test("openContentCache() loads a text once for many messages", async () => {
  const { asked, get } = countedStore({ key: "<p>Grüße</p>" });
  const load = openContentCache(get);
  assert.deepEqual(await Promise.all([load("key"), load("key")]), ["<p>Grüße</p>", "<p>Grüße</p>"]);
  assert.equal(await load("key"), "<p>Grüße</p>");
  assert.deepEqual(asked, ["key"]);
});

test("openContentCache() loads a missing text again", async () => {
  const objects: Record<string, string> = {};
  const { asked, get } = countedStore(objects);
  const load = openContentCache(get);
  assert.equal(await load("key"), undefined);
  objects["key"] = "made again";
  assert.equal(await load("key"), "made again");
  assert.deepEqual(asked, ["key", "key"]);
});

test("openContentCache() keeps no more than its memory, and returns what does not fit", async () => {
  const { asked, get } = countedStore({
    large: "x".repeat(5000),
    one: "1".repeat(600),
    two: "2".repeat(600),
  });
  const load = openContentCache(get, 1000);
  for (const key of ["large", "large", "one", "one", "two", "one"]) {
    assert.ok(await load(key));
  }
  assert.deepEqual(asked, ["large", "large", "one", "two", "one"]);
});

test("openContentCache() throws when the store does, and retries", async () => {
  let tries = 0;
  const load = openContentCache(
    () => tries++ === 0 ? Promise.reject(new Error("away")) : Promise.resolve(Buffer.from("x")),
  );
  await assert.rejects(load("key"), /away/);
  assert.equal(await load("key"), "x");
});

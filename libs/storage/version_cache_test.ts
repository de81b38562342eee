import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";
import { openVersionCache } from "./version_cache.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

function publish(accountId: string, sourceHash: string, alias = "welcome") {
  const parts = { subject: sourceHash, html: "", text: "" };
  const source = { subject: sourceHash };
  return store.templates.publish({
    ...{
      kind: "email",
      accountId,
      alias,
      name: "Welcome",
      source,
      parts,
      variables: [],
      sourceHash,
    },
  });
}

function counting() {
  const calls = { template: 0, version: 0 };
  const reading: Pick<Store["templates"], "find" | "findVersion"> = {
    find: (...args) => (calls.template++, store.templates.find(...args)),
    findVersion: (...args) => (calls.version++, store.templates.findVersion(...args)),
  };
  return { calls, reading };
}

test("latestEmailVersion() asks once for concurrent callers, and again when its time is up", async () => {
  await publish("acc_1", "a");
  const { calls, reading } = counting();
  const cache = openVersionCache(reading, { pointerTtlMs: 100 });
  const found = await Promise.all(
    Array.from({ length: 30 }, () => cache.latestEmailVersion("acc_1", "welcome")),
  );
  assert.ok(found.every((version) => version?.parts.subject === "a"));
  assert.deepEqual(calls, { template: 1, version: 1 });
  await publish("acc_1", "b");
  await delay(120);
  assert.equal((await cache.latestEmailVersion("acc_1", "welcome"))?.parts.subject, "b");
  assert.equal((await cache.emailVersion("acc_1", 1, 1))?.parts.subject, "a");
  assert.deepEqual(calls, { template: 2, version: 2 });
  await delay(120);
  await cache.emailVersion("acc_1", 1, 1);
  assert.deepEqual(calls, { template: 2, version: 2 });
});

test("emailVersion() forgets after a while that there is no version", async () => {
  const { calls, reading } = counting();
  const cache = openVersionCache(reading, { pointerTtlMs: 100 });
  const both = () => [cache.emailVersion("acc_2", 1, 1), cache.latestEmailVersion("acc_2", 1)];
  assert.deepEqual(await Promise.all([...both(), ...both()]), [null, null, null, null]);
  assert.deepEqual(calls, { template: 1, version: 1 });
  await publish("acc_2", "a");
  await delay(120);
  assert.ok((await Promise.all(both())).every((version) => version?.version === 1));
  assert.equal(await cache.latestPdfVersion("acc_2", 1), null);
  assert.equal(await cache.pdfVersion("acc_2", 1, 1), null);
});

test("emailVersion() answers all callers even with a cache of one version", async () => {
  for (const alias of ["a", "b", "c"]) await publish("acc_3", alias, alias);
  const cache = openVersionCache(store.templates, { max: 1 });
  const found = await Promise.all([1, 2, 3].map((id) => cache.emailVersion("acc_3", id, 1)));
  assert.deepEqual(found.map((version) => version?.parts.subject), ["a", "b", "c"]);
});

test("latestEmailVersion() passes a failure on and asks again", async () => {
  await publish("acc_4", "a");
  let broken = true;
  const cache = openVersionCache({
    findVersion: store.templates.findVersion,
    find: (...args) =>
      broken ? Promise.reject(new Error("no database")) : store.templates.find(...args),
  });
  await assert.rejects(cache.latestEmailVersion("acc_4", 1), { message: "no database" });
  broken = false;
  assert.equal((await cache.latestEmailVersion("acc_4", 1))?.version, 1);
});

test("emailVersion() keeps the parts of variants, and drops their sources", async () => {
  const parts = { subject: "Hallo", html: "<p>", text: "" };
  await store.templates.publish({
    ...{ kind: "email", accountId: "acc_5", alias: "a", name: "A", sourceHash: "a", parts },
    ...{ source: { subject: "Hi" }, variables: [] },
    variants: { de: { source: { subject: "Hallo", html: "<p>" }, parts } },
  });
  const cached = await openVersionCache(store.templates).emailVersion("acc_5", 1, 1);
  assert.deepEqual(cached?.variants?.["de"], { source: { subject: "", html: "" }, parts });
});

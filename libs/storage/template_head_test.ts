import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testSend } from "@posthaste/kit";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { NameTakenError } from "./name_taken_error.ts";
import type { Store } from "./store.ts";
import type { Publication } from "./template_store.ts";
import { openVersionCache } from "./version_cache.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

function email(accountId: string, sourceHash: string, more: Partial<Publication> = {}) {
  const parts = { subject: sourceHash, html: "<p>", text: "" };
  return {
    ...{ kind: "email", accountId, name: "Welcome", source: parts, parts, variables: [] },
    ...{ sourceHash, ...more },
  } as Publication;
}

test("createTemplate() and updateTemplate() assign an alias to one template of an account", async () => {
  const base = { accountId: "acc_1", kind: "email" as const, name: "One" };
  const one = await store.templates.create({ ...base, alias: "one" });
  const two = await store.templates.create(base);
  assert.deepEqual([one.id, one.alias, two.id, two.alias], [1, "one", 2, null]);
  await assert.rejects(store.templates.create({ ...base, alias: "one" }), NameTakenError);
  await assert.rejects(store.templates.update(two, { alias: "one" }), NameTakenError);
  const changed = await store.templates.update(two, { name: "Two", alias: "two" });
  assert.deepEqual([changed?.name, changed?.alias], ["Two", "two"]);
  const freed = await store.templates.update(one, { alias: null });
  assert.deepEqual([freed?.name, freed?.alias], ["One", null]);
  assert.equal((await store.templates.update(two, { alias: "one" }))?.alias, "one");
  assert.equal(await store.templates.update({ ...two, accountId: "acc_2" }, { name: "x" }), null);
});

test("archiveTemplate() hides a template from requests and frees its alias; its versions stay", async () => {
  const { template, version } = await store.templates.publish(email("acc_3", "a", { alias: "hi" }));
  const cache = openVersionCache(store.templates, { pointerTtlMs: 1 });
  assert.equal((await cache.latestEmailVersion("acc_3", 1))?.version, 1);
  assert.equal(
    await store.templates.archive({ ...template, accountId: "acc_4" }, new Date()),
    false,
  );
  assert.equal(await store.templates.archive(template, new Date()), true);
  assert.equal(await store.templates.archive(template, new Date()), false);
  await new Promise((resolve) => setTimeout(resolve, 5));
  for (const key of [1, "1", "hi"]) {
    assert.equal(await store.templates.find("acc_3", "email", key), null);
    assert.equal(await cache.latestEmailVersion("acc_3", key), null);
  }
  assert.deepEqual(await store.templates.list("acc_3", "email"), []);
  assert.deepEqual(await store.templates.findVersion("acc_3", "email", 1, 1), version);
  assert.equal(await store.templates.update(template, { name: "x" }), null);
  await assert.rejects(store.templates.publish(email("acc_3", "b", { id: 1 })), /no such id/);
  const next = await store.templates.publish(email("acc_3", "a", { alias: "hi" }));
  assert.deepEqual([next.template.id, next.template.alias], [2, "hi"]);
});

test("publishVersion() stores a version for a test mail that no request uses until it is published", async () => {
  await store.templates.publish(email("acc_5", "a", { publishedBy: "usr_1" }));
  const trial = await store.templates.publish(email("acc_5", "b", { id: 1, isTest: true }));
  assert.deepEqual([trial.version.version, trial.version.isTest], [2, true]);
  assert.equal(trial.template.publishedVersion, 1);
  // A second test of the same source is the same version.
  const again = await store.templates.publish(email("acc_5", "b", { id: 1, isTest: true }));
  assert.deepEqual([again.published, again.version.version], [false, 2]);
  // The published version stays published, despite later tests.
  const same = await store.templates.publish(email("acc_5", "a", { id: 1 }));
  assert.deepEqual([same.published, same.version.version], [false, 1]);
  const released = await store.templates.publish(email("acc_5", "b", { id: 1, name: "New" }));
  assert.deepEqual([released.version.version, released.version.isTest], [3, false]);
  assert.deepEqual([released.template.publishedVersion, released.template.name], [3, "New"]);
  const versions = await store.templates.listVersions(released.template, { limit: 10 });
  assert.deepEqual(versions.map((one) => [one.version, one.isTest, one.publishedBy, one.name]), [
    [3, false, null, "New"],
    [2, true, null, "Welcome"],
    [1, false, "usr_1", "Welcome"],
  ]);
  const older = await store.templates.listVersions(released.template, { limit: 1, before: 3 });
  assert.deepEqual(older.map(({ version }) => version), [2]);
});

test("versions and templates of earlier versions read as released and not archived", async () => {
  const { template } = await store.templates.publish(email("acc_6", "a"));
  const { db } = opened;
  await db.collection("versions").updateMany({ accountId: "acc_6" }, {
    $unset: { publishedBy: "", isTest: "" },
  });
  await db.collection("templates").updateMany({ accountId: "acc_6" }, {
    $unset: { archivedAt: "" },
  });
  const found = await store.templates.findVersion("acc_6", "email", 1, 1);
  assert.deepEqual([found?.publishedBy, found?.isTest], [null, false]);
  const [head] = await store.templates.listVersions(template, { limit: 1 });
  assert.deepEqual([head?.publishedBy, head?.isTest], [null, false]);
  assert.equal((await store.templates.find("acc_6", "email", 1))?.archivedAt, null);
  assert.equal((await store.templates.list("acc_6", "email")).length, 1);
  assert.equal((await store.templates.publish(email("acc_6", "a", { id: 1 }))).published, false);
});

test("templateUses() returns the newest use of each template among an account's newest sends", async () => {
  const day = (date: number) => new Date(Date.UTC(2026, 0, date));
  for (const [date, id, pdf] of [[1, 1, "7"], [2, 2, "8"], [3, 1, "8"]] as const) {
    const template = { id, version: 1 };
    await store.sends.accept(testSend({
      ...{ accountId: "acc_7", acceptedAt: day(date), template, pdfVersions: { [pdf]: 1 } },
    }));
  }
  await store.sends.accept(testSend({ accountId: "acc_8", acceptedAt: day(9) }));
  const uses = await store.templates.uses("acc_7", 1000);
  assert.deepEqual([...uses.email], [[1, day(3)], [2, day(2)]]);
  assert.deepEqual([...uses.pdf], [[8, day(3)], [7, day(1)]]);
  assert.deepEqual([...uses.mailedWith], [[8, 1], [7, 1]]);
  assert.deepEqual([...(await store.templates.uses("acc_7", 1)).email], [[1, day(3)]]);
});

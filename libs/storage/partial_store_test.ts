import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { TemplateChange } from "./bundle_store.ts";
import { PlanOutdatedError } from "./plan_outdated_error.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const NOW = new Date("2026-03-01T10:00:00Z");
const PARTS = { subject: "s", html: "h", text: "t" };

const edit = (accountId: string, name: string, source: string, revision = 0) =>
  store.partials.change({
    ...{ accountId, name, source, revision, updatedAt: NOW, updatedBy: null },
  });

const publish = (
  accountId: string,
  name: string,
  { revision = 1, version = 1, calls = [] as string[], changes = [] as never[] } = {},
) => store.partials.publish({ accountId, name, revision, version, calls, changes, at: NOW });

async function template(accountId: string, alias: string, includes: [string, number][] = []) {
  const change: TemplateChange = {
    ...{ kind: "email", alias, name: alias, template: null },
    publication: {
      ...{ kind: "email", variables: [], sourceHash: alias, source: PARTS, parts: PARTS },
      includes: includes.map(([name, version]) => ({ name, version, source: "x" })),
    },
  };
  await store.templates.apply(accountId, [change], NOW);
  const found = await store.templates.find(accountId, "email", alias);
  assert.ok(found);
  return found;
}

test("a draft of a partial is changed only from its revision, and is the account's own", async () => {
  assert.equal((await edit("acc_1", "foot", "a"))?.draft.revision, 1);
  assert.equal(await edit("acc_1", "foot", "b"), null);
  assert.equal((await edit("acc_1", "foot", "b", 1))?.draft.revision, 2);
  assert.equal(await edit("acc_1", "foot", "c", 1), null);
  assert.equal(await store.partials.find({ accountId: "acc_2", name: "foot" }), null);
  await publish("acc_1", "foot", { revision: 2 });
  assert.deepEqual(await store.partials.published("acc_2", ["foot"]), []);
  assert.deepEqual(await store.partials.published("acc_1", ["foot"]), [
    { name: "foot", version: 1, source: "b" },
  ]);
  const [row] = await store.partials.list("acc_1");
  assert.deepEqual([row?.draft.source, row?.published?.source], ["", ""]);
});

test("publishing a partial fails if a template that has it is left out, or was changed", async () => {
  const accountId = "acc_3";
  await edit(accountId, "foot", "a");
  await publish(accountId, "foot");
  const one = await template(accountId, "one", [["foot", 1]]);
  await edit(accountId, "foot", "b", 1);
  const next = { revision: 2, version: 2 };
  await assert.rejects(publish(accountId, "foot", next), PlanOutdatedError);
  const again = (template = one) => ({
    ...{ kind: "email", alias: "one", name: "one", template },
    publication: {
      ...{ kind: "email", variables: [], sourceHash: "2", source: PARTS, parts: PARTS },
      includes: [{ name: "foot", version: 2, source: "b" }],
    },
  });
  const old = { ...one, updatedAt: new Date(0) };
  await assert.rejects(
    publish(accountId, "foot", { ...next, changes: [again(old)] as never[] }),
    PlanOutdatedError,
  );
  const unchanged = await store.partials.find({ accountId, name: "foot" });
  assert.equal(unchanged?.published?.version, 1);
  const done = await publish(accountId, "foot", { ...next, changes: [again()] as never[] });
  assert.deepEqual(done.map(({ version }) => version), [2]);
  const users = await store.partials.listUsers({ accountId, name: "foot" });
  assert.deepEqual(users.map(({ publishedVersion }) => publishedVersion), [2]);
});

test("a version is not applied with a partial that is not the published one any more", async () => {
  const accountId = "acc_4";
  await edit(accountId, "foot", "a");
  await publish(accountId, "foot");
  await assert.rejects(template(accountId, "late", [["foot", 7]]), PlanOutdatedError);
  await assert.rejects(template(accountId, "none", [["gone", 1]]), PlanOutdatedError);
  assert.deepEqual(await store.templates.list(accountId, "email"), []);
});

test("partials that include each other are not published, and used ones stay", async () => {
  const accountId = "acc_5";
  await edit(accountId, "a", "{{> b}}");
  await edit(accountId, "b", "{{> a}}");
  await publish(accountId, "a", { calls: ["b"] });
  await assert.rejects(publish(accountId, "b", { calls: ["a"] }), PlanOutdatedError);
  await publish(accountId, "b");
  await template(accountId, "one", [["a", 1]]);
  for (const name of ["a", "b"]) {
    await assert.rejects(store.partials.remove({ accountId, name }), PlanOutdatedError);
  }
  const one = await store.templates.find(accountId, "email", "one");
  const { alias, name, kind } = one!;
  await store.templates.apply(
    accountId,
    [{ kind, alias, name, template: one, archive: true }],
    NOW,
  );
  assert.equal(await store.partials.remove({ accountId, name: "a" }), true);
  assert.equal(await store.partials.remove({ accountId, name: "b" }), true);
});

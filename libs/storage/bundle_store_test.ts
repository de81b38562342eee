import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { AssetChange } from "./_asset_changes.ts";
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
const SOURCE = {
  ...{ ...PARTS, filename: "", variables: [], locale: "en", page: null, sample: {} },
};

function changeOf(alias: string, more: Partial<TemplateChange> = {}): TemplateChange {
  return {
    ...{ kind: "email", alias, name: alias, template: null },
    publication: { kind: "email", variables: [], sourceHash: "x", source: PARTS, parts: PARTS },
    draft: { source: SOURCE, revision: null, base: null },
    ...more,
  };
}

test("applyTemplates() creates, publishes and archives templates in one transaction", async () => {
  const accountId = "acc_1";
  const made = await store.templates.apply(accountId, [changeOf("a"), changeOf("b")], NOW);
  assert.deepEqual(made.map(({ id, version }) => [id, version]), [[1, 1], [2, 1]]);
  const [a, b] = await store.templates.list(accountId, "email");
  assert.ok(a && b);
  const again = changeOf("a", { template: a, draft: { source: SOURCE, revision: 1, base: null } });
  const gone: TemplateChange = { ...changeOf("b"), template: b, archive: true };
  const { publication: _p, draft: _d, ...archived } = gone;
  const done = await store.templates.apply(accountId, [again, archived], NOW);
  assert.deepEqual(done.map(({ version }) => version), [2, null]);
  const left = await store.templates.list(accountId, "email");
  assert.deepEqual(left.map(({ alias, publishedVersion }) => [alias, publishedVersion]), [[
    "a",
    2,
  ]]);
  const draft = await store.drafts.find(a);
  assert.deepEqual([draft?.revision, draft?.base, draft?.updatedBy], [2, 2, null]);
});

test("applyTemplates() changes nothing if one template has changed since the plan", async () => {
  const accountId = "acc_2";
  await store.templates.apply(accountId, [changeOf("a")], NOW);
  const [a] = await store.templates.list(accountId, "email");
  assert.ok(a);
  const outdated = [
    changeOf("a", { draft: { source: SOURCE, revision: null, base: null } }),
    changeOf("a", { template: { ...a, publishedVersion: 7 } }),
    changeOf("a", { template: a, draft: { source: SOURCE, revision: 9, base: null } }),
    changeOf("a", { template: a, draft: { source: SOURCE, revision: null, base: null } }),
  ];
  for (const change of outdated) {
    const work = store.templates.apply(accountId, [changeOf("new"), change], NOW);
    await assert.rejects(work, PlanOutdatedError);
  }
  assert.deepEqual(await store.templates.list(accountId, "email"), [a]);
  assert.equal(await store.templates.findVersion(accountId, "email", a.id, 2), null);
});

test("applyTemplates() succeeds for one of two concurrent calls that create the same alias", async () => {
  const work = () => store.templates.apply("acc_3", [changeOf("a")], NOW);
  const ended = await Promise.allSettled([work(), work()]);
  assert.deepEqual(ended.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.equal((await store.templates.list("acc_3", "email")).length, 1);
});

const FILE = { filename: "logo.png", contentType: "image/png", size: 3, alt: "" };
const sha = (letter: string) => letter.repeat(64);

test("apply() changes kept files together with templates, from the state of their plan only", async () => {
  const accountId = "acc_assets";
  const apply = (alias: string, letter: string, previous: AssetChange["previous"] = null) => {
    const asset = { ...FILE, name: "logo", sha256: sha(letter) };
    return store.templates.apply(accountId, [changeOf(alias)], NOW, {
      assets: [{ asset, previous }],
    });
  };
  await apply("one", "a");
  const first = await store.assets.findName(accountId, "logo");
  assert.deepEqual(first, { ...FILE, accountId, name: "logo", sha256: sha("a"), updatedAt: NOW });
  await assert.rejects(apply("two", "b"), PlanOutdatedError);
  const old = { sha256: sha("c"), updatedAt: NOW };
  await assert.rejects(apply("two", "b", old), PlanOutdatedError);
  await assert.rejects(apply("two", "b", { ...first!, updatedAt: new Date(0) }), PlanOutdatedError);
  assert.equal(await store.templates.find(accountId, "email", "two"), null);
  await apply("two", "b", first);
  assert.equal((await store.assets.findName(accountId, "logo"))?.sha256, sha("b"));
  assert.equal(await store.assets.findName("acc_1", "logo"), null);
});

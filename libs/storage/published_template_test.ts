import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { openStore } from "./store.ts";
import type { Publication } from "./template_store.ts";

const now = new Date();
let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

function email(accountId: string, alias: string, more: Partial<Publication> = {}) {
  const parts = { subject: alias, html: "<p>", text: "" };
  return {
    ...{ kind: "email", accountId, name: alias, alias, source: parts, parts, variables: [] },
    ...{ sourceHash: alias, ...more },
  } as Publication;
}

test("listPublishedTemplates() pages through what requests can name, and nothing else", async () => {
  const { store } = opened;
  const variables = [{ name: "name", required: true }];
  for (const alias of ["a", "b", "c", "d"]) {
    await store.publishVersion(email("acc_1", alias, { variables, locale: "de" }));
  }
  await store.createTemplate({ accountId: "acc_1", kind: "email", name: "Draft", alias: "draft" });
  await store.publishVersion(email("acc_2", "foreign"));
  const gone = await store.findTemplate("acc_1", "email", "b");
  assert.ok(gone);
  await store.archiveTemplate(gone, now);
  const [first, ...rest] = await store.listPublishedTemplates("acc_1", "email", { limit: 2 });
  assert.ok(first);
  assert.ok(first.publishedAt instanceof Date);
  const { publishedAt: _, ...head } = first;
  assert.deepEqual(head, {
    ...{ id: 1, alias: "a", name: "a", version: 1, locale: "de", variables },
  });
  assert.deepEqual(rest.map(({ id }) => id), [3]);
  const more = await store.listPublishedTemplates("acc_1", "email", { limit: 2, after: 3 });
  assert.deepEqual(more.map(({ id }) => id), [4]);
  const some = await store.listPublishedTemplates("acc_1", "email", { limit: 9, only: [2, 4, 5] });
  assert.deepEqual(some.map(({ id }) => id), [4]);
  assert.deepEqual(await store.listPublishedTemplates("acc_1", "pdf", { limit: 9 }), []);
});

test("findPublishedTemplate() finds by id or alias, but no draft and nothing archived", async () => {
  const { store } = opened;
  for (const key of [3, "3", "c"]) {
    assert.equal((await store.findPublishedTemplate("acc_1", "email", key))?.alias, "c");
  }
  for (const key of ["draft", "b", "2", "5", "foreign"]) {
    assert.equal(await store.findPublishedTemplate("acc_1", "email", key), null, key);
  }
});

test("listIntegrationSummaries() says how integrations are, without archived ones", async () => {
  const { store } = opened;
  for (const name of ["one", "two", "three"]) {
    await store.createIntegration({
      ...{ accountId: "acc_1", name, host: "h.example", port: 25, tls: "none" },
      ...{ auth: null, senders: ["a@example.com"] },
    });
  }
  await store.pauseIntegration("acc_1", 1, { at: now, reason: "a holiday" });
  await store.countFailure({
    ...{ id: "acc_1/3", reason: "no route", now, pauseMs: () => 60_000 },
  });
  await store.archiveIntegration("acc_1", 2, now);
  const found = await store.listIntegrationSummaries("acc_1", { limit: 5 }, now);
  assert.deepEqual(
    found.map(({ integration, state, reason, since }) => [integration.id, state, reason, since]),
    [[1, "paused", "A holiday", now], [3, "unreachable", "no route", null]],
  );
  assert.equal(found[1]?.openUntil?.getTime(), now.getTime() + 60_000);
  const after = await store.listIntegrationSummaries("acc_1", { limit: 5, after: 1 }, now);
  assert.deepEqual(after.map(({ integration }) => integration.id), [3]);
  assert.equal((await store.findIntegrationSummary("acc_1", 3, now))?.state, "unreachable");
  assert.equal(await store.findIntegrationSummary("acc_1", 2, now), null);
});

test("integration summaries say for which domain mail is signed, without a look at the key", async () => {
  const { store, db, url } = opened;
  const privateKey = { keyId: "k", wrappedKey: "a", nonce: "b", ciphertext: "c" };
  const dkim = { domain: "example.com", selector: "s", privateKey, publicKey: "p", enabled: true };
  await db.collection("integrations").updateOne({ _id: "acc_1/1" as never }, { $set: { dkim } });
  await using open = await openStore({ url, withoutLogins: true });
  for (const reader of [store, open]) {
    const found = await reader.listIntegrationSummaries("acc_1", { limit: 5 }, now);
    assert.deepEqual(found.map(({ signsFor }) => signsFor), ["example.com", null]);
    assert.equal((await reader.findIntegrationSummary("acc_1", 1, now))?.signsFor, "example.com");
  }
  const [secretless] = await open.listIntegrationSummaries("acc_1", { limit: 1 }, now);
  assert.equal(secretless?.integration.dkim, null);
});

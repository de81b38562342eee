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

test("listPublishedTemplates() pages through the templates that requests can name, and nothing else", async () => {
  const { store } = opened;
  const variables = [{ name: "name", required: true }];
  for (const alias of ["a", "b", "c", "d"]) {
    await store.templates.publish(email("acc_1", alias, { variables, locale: "de" }));
  }
  await store.templates.create({
    accountId: "acc_1",
    kind: "email",
    name: "Draft",
    alias: "draft",
  });
  await store.templates.publish(email("acc_2", "foreign"));
  const gone = await store.templates.find("acc_1", "email", "b");
  assert.ok(gone);
  await store.templates.archive(gone, now);
  const [first, ...rest] = await store.templates.listPublished("acc_1", "email", { limit: 2 });
  assert.ok(first);
  assert.ok(first.publishedAt instanceof Date);
  const { publishedAt: _, ...head } = first;
  assert.deepEqual(head, {
    ...{ id: 1, alias: "a", name: "a", version: 1, locale: "de", variants: [], variables },
  });
  assert.deepEqual(rest.map(({ id }) => id), [3]);
  const more = await store.templates.listPublished("acc_1", "email", { limit: 2, after: 3 });
  assert.deepEqual(more.map(({ id }) => id), [4]);
  const some = await store.templates.listPublished("acc_1", "email", { limit: 9, only: [2, 4, 5] });
  assert.deepEqual(some.map(({ id }) => id), [4]);
  assert.deepEqual(await store.templates.listPublished("acc_1", "pdf", { limit: 9 }), []);
});

test("findPublishedTemplate() finds by id or alias, but no draft and nothing archived", async () => {
  const { store } = opened;
  for (const key of [3, "3", "c"]) {
    assert.equal((await store.templates.findPublished("acc_1", "email", key))?.alias, "c");
  }
  for (const key of ["draft", "b", "2", "5", "foreign"]) {
    assert.equal(await store.templates.findPublished("acc_1", "email", key), null, key);
  }
});

test("findPublishedTemplate() returns the languages, and what all bodies read", async () => {
  const { store } = opened;
  const read = (path: string, always = true) => ({ path, uses: ["printed" as const], always });
  const body = { source: { subject: "" }, parts: { subject: "", html: "", text: "" } };
  const variants = {
    "pt-BR": { ...body, reads: [read("a"), read("c", false)] },
    de: { ...body, reads: [read("a"), read("b")] },
  };
  await store.templates.publish(
    email("acc_3", "many", { reads: [read("a"), read("b")], variants }),
  );
  const found = await store.templates.findPublished("acc_3", "email", "many");
  assert.deepEqual(found?.variants, ["de", "pt-BR"]);
  assert.deepEqual(found?.reads, [read("a"), read("b", false), read("c", false)]);
  const [listed] = await store.templates.listPublished("acc_3", "email", { limit: 1 });
  assert.deepEqual(listed?.variants, ["de", "pt-BR"]);
});

test("listLanguages() returns the languages of published templates, their own first", async () => {
  const { store } = opened;
  const body = { source: { subject: "" }, parts: { subject: "", html: "", text: "" } };
  await store.templates.publish(email("acc_4", "one", { locale: "fr" }));
  await store.templates.publish(
    email("acc_4", "two", { variants: { "pt-BR": body, de: body } }),
  );
  await store.templates.create({ accountId: "acc_4", kind: "email", name: "Draft" });
  assert.deepEqual([...await store.templates.listLanguages("acc_4", "email")], [
    ...[[1, ["fr"]], [2, ["en", "de", "pt-BR"]]],
  ]);
  assert.equal((await store.templates.listLanguages("acc_4", "pdf")).size, 0);
});

test("listIntegrationSummaries() returns the state of integrations, without archived ones", async () => {
  const { store } = opened;
  for (const name of ["one", "two", "three"]) {
    await store.integrations.create({
      ...{ accountId: "acc_1", name, host: "h.example", port: 25, tls: "none" },
      ...{ auth: null, senders: ["a@example.com"] },
    });
  }
  await store.integrations.pause("acc_1", 1, { at: now, reason: "a holiday" });
  await store.circuits.countFailure({
    ...{ id: "acc_1/3", reason: "no route", now, pauseMs: () => 60_000 },
  });
  await store.integrations.archive("acc_1", 2, now);
  const found = await store.integrations.listSummaries("acc_1", { limit: 5 }, now);
  assert.deepEqual(
    found.map(({ integration, state, reason, since }) => [integration.id, state, reason, since]),
    [[1, "paused", "A holiday", now], [3, "unreachable", "no route", null]],
  );
  assert.equal(found[1]?.openUntil?.getTime(), now.getTime() + 60_000);
  const after = await store.integrations.listSummaries("acc_1", { limit: 5, after: 1 }, now);
  assert.deepEqual(after.map(({ integration }) => integration.id), [3]);
  assert.equal((await store.integrations.findSummary("acc_1", 3, now))?.state, "unreachable");
  assert.equal(await store.integrations.findSummary("acc_1", 2, now), null);
});

test("integration summaries contain the domain of signatures, without reading the key", async () => {
  const { store, db, url } = opened;
  const privateKey = { keyId: "k", wrappedKey: "a", nonce: "b", ciphertext: "c" };
  const dkim = { domain: "example.com", selector: "s", privateKey, publicKey: "p", enabled: true };
  await db.collection("integrations").updateOne({ _id: "acc_1/1" as never }, { $set: { dkim } });
  await using open = await openStore({ url, withoutLogins: true });
  for (const reader of [store, open]) {
    const found = await reader.integrations.listSummaries("acc_1", { limit: 5 }, now);
    assert.deepEqual(found.map(({ signsFor }) => signsFor), ["example.com", null]);
    assert.equal((await reader.integrations.findSummary("acc_1", 1, now))?.signsFor, "example.com");
  }
  const [secretless] = await open.integrations.listSummaries("acc_1", { limit: 1 }, now);
  assert.equal(secretless?.integration.dkim, null);
});

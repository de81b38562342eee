import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pageOptionsSchema } from "@posthaste/contracts";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { Store } from "./store.ts";
import type { Publication } from "./template_store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

function email(accountId: string, sourceHash: string, alias?: string): Publication {
  return {
    kind: "email",
    accountId,
    alias,
    name: `Name ${sourceHash}`,
    source: { subject: "Hi {{name}}", html: "<p>Hi" },
    parts: { subject: "Hi {{name}}", html: "<p>Hi</p>", text: "Hi" },
    variables: [{ name: "name", required: true }],
    sourceHash,
  };
}

function pdf(accountId: string): Publication {
  const source = { html: "<h1>{{total}}</h1>" };
  return {
    kind: "pdf",
    accountId,
    alias: "welcome",
    name: "Invoice",
    source,
    parts: { ...source, filename: "invoice.pdf" },
    page: pageOptionsSchema.parse({}),
    variables: [],
    locale: "de",
    sourceHash: "p",
  };
}

test("publishVersion() creates a template at first and counts ids per account and kind", async () => {
  const first = await store.templates.publish(email("acc_1", "a", "welcome"));
  const other = await store.templates.publish(email("acc_1", "a", "bye"));
  const printed = await store.templates.publish(pdf("acc_1"));
  const foreign = await store.templates.publish(email("acc_2", "a", "welcome"));
  assert.deepEqual([first, other, printed, foreign].map(({ template }) => template._id), [
    ...["acc_1/email/1", "acc_1/email/2", "acc_1/pdf/1", "acc_2/email/1"],
  ]);
  assert.deepEqual([first.version._id, first.version.locale], ["acc_1/email/1/1", "en"]);
  assert.equal(first.template.publishedVersion, 1);
  assert.deepEqual(await store.templates.findVersion("acc_1", "email", 1, 1), first.version);
  assert.deepEqual(await store.templates.findVersion("acc_1", "pdf", 1, 1), printed.version);
  assert.deepEqual((await store.templates.list("acc_1", "email")).map(({ id }) => id), [1, 2]);
});

test("findTemplate() takes id, digits and alias, and never another account's", async () => {
  const { template } = await store.templates.publish(email("acc_3", "a", "welcome"));
  for (const key of [1, "1", "welcome"]) {
    assert.deepEqual(await store.templates.find("acc_3", "email", key), template);
    assert.equal(await store.templates.find("acc_4", "email", key), null);
    assert.equal(await store.templates.find("acc_3", "pdf", key), null);
  }
  for (const key of [0, -1, 1.5, "01", "", "Welcome", "1/2", "9".repeat(400)]) {
    assert.equal(await store.templates.find("acc_3", "email", key), null);
  }
  assert.equal(await store.templates.findVersion("acc_4", "email", 1, 1), null);
});

test("publishVersion() changes nothing when the newest version has the same source", async () => {
  const { version } = await store.templates.publish(email("acc_5", "a", "welcome"));
  const again = await store.templates.publish(email("acc_5", "a", "welcome"));
  assert.deepEqual([again.published, again.version], [false, version]);
  const changed = await store.templates.publish(email("acc_5", "b", "welcome"));
  const back = await store.templates.publish({ ...email("acc_5", "a"), id: 1 });
  assert.deepEqual([changed.version.version, back.version.version, back.published], [2, 3, true]);
  assert.equal((await store.templates.find("acc_5", "email", 1))?.publishedVersion, 3);
  assert.equal(back.template.name, "Name a");
});

test("publishVersion() returns distinct versions of one template to concurrent publishers", async () => {
  const published = await Promise.all(
    Array.from(
      { length: 8 },
      (_, n) => store.templates.publish(email("acc_6", `h${n}`, "welcome")),
    ),
  );
  assert.deepEqual(new Set(published.map(({ template }) => template._id)).size, 1);
  const numbers = published.map(({ version }) => version.version).toSorted((a, b) => a - b);
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
  const template = await store.templates.find("acc_6", "email", "welcome");
  const newest = published.find(({ version }) => version.version === 8);
  assert.deepEqual([template?.publishedVersion, template?.name], [8, newest?.version.name]);
  const same = await Promise.all(
    Array.from({ length: 8 }, () => store.templates.publish(email("acc_6", "same", "welcome"))),
  );
  assert.deepEqual(new Set(same.map(({ version }) => version.version)), new Set([9]));
  assert.equal(same.filter((result) => result.published).length, 1);
});

test("publishVersion() repairs a template whose publisher was lost before pointing to the version", async () => {
  await store.templates.publish(email("acc_7", "a", "welcome"));
  await opened.db.collection<{ _id: string }>("templates")
    .updateOne({ _id: "acc_7/email/1" }, { $set: { publishedVersion: null } });
  const again = await store.templates.publish(email("acc_7", "a", "welcome"));
  assert.deepEqual([again.published, again.template.publishedVersion], [false, 1]);
});

test("publishVersion() refuses an unknown id and a malformed alias", async () => {
  await assert.rejects(store.templates.publish({ ...email("acc_8", "a"), id: 7 }), {
    message: 'Cannot publish email template "7": no such id',
  });
  await assert.rejects(store.templates.publish(email("acc_8", "a", "Bad Alias")), /lowercase/);
  const { template } = await store.templates.publish(email("acc_8", "a"));
  const other = await store.templates.publish(email("acc_8", "a"));
  assert.deepEqual([template.alias, template.id, other.template.id], [null, 1, 2]);
});

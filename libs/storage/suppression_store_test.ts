import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";
import { openSuppressionLookup } from "./suppression_store.ts";

let opened: TestStore;
before(async () => void (opened = await openTestStore()));
after(() => opened?.[Symbol.asyncDispose]());

const now = new Date("2026-03-01T00:00:00Z");
const LIMIT = { max: 100 };
const entryOf = (email: string) => ({ email, reason: "manual" as const, at: now });

test("suppressions.among() finds what applies, regardless of case, and nothing of other accounts", async () => {
  const { suppressions } = opened.store;
  const past = { ...entryOf("old@example.com"), expiresAt: now };
  assert.equal(await suppressions.add("acc_a", [entryOf("Ann@Example.com"), past], LIMIT), 2);
  assert.equal(await suppressions.add("acc_a", [entryOf("ann@example.com")], LIMIT), 0);
  const emails = ["ANN@example.com", "old@example.com", "bob@example.com"];
  assert.deepEqual([...(await suppressions.among("acc_a", emails, now)).keys()], [
    "ann@example.com",
  ]);
  assert.equal((await suppressions.among("acc_b", emails, now)).size, 0);
  assert.equal(await suppressions.remove("acc_b", emails), 0);
  assert.equal(await suppressions.remove("acc_a", ["ANN@EXAMPLE.COM"]), 1);
  assert.equal((await suppressions.among("acc_a", emails, now)).size, 0);
});

test("suppressions.among() finds an address by either form of an international domain", async () => {
  const { suppressions } = opened.store;
  const [unicode, ascii] = ["Ann@bücher.example", "ann@xn--bcher-kva.example"];
  for (const [stored, asked] of [[unicode, ascii], [ascii, unicode]] as const) {
    await suppressions.add("acc_i", [entryOf(stored)], LIMIT);
    const found = await suppressions.among("acc_i", [asked], now);
    assert.deepEqual([...found.keys()], [ascii]);
    const [listed] = await suppressions.list("acc_i", { limit: 2, now });
    assert.equal(listed?.email, stored.toLowerCase());
    assert.equal(await suppressions.add("acc_i", [entryOf(asked)], LIMIT), 0);
    assert.equal(await suppressions.remove("acc_i", [asked]), 1);
  }
});

test("suppressions.among() finds entries of earlier versions, by the form in which they were added", async () => {
  const { db, store: { suppressions } } = opened;
  const email = "ann@bücher.example";
  const id = `acc_e/${hash("sha256", `acc_e/${email}`, "hex")}`;
  await db.collection<{ _id: string }>("suppressions").insertOne({
    ...{ ...entryOf(email), _id: id, accountId: "acc_e" },
  });
  assert.equal((await suppressions.among("acc_e", [email], now)).size, 1);
  assert.equal(await suppressions.remove("acc_e", [email]), 1);
});

test("suppressions.list() lists by address, from a prefix and after a place", async () => {
  const { suppressions } = opened.store;
  const names = ["b1", "a2", "a1", "a3"];
  await suppressions.add("acc_l", names.map((name) => entryOf(`${name}@example.com`)), LIMIT);
  const list = async (
    page: { after?: string; prefix?: string; part?: string; limit?: number },
  ) =>
    (await suppressions.list("acc_l", { limit: 2, now, ...page }))
      .map(({ email }) => email.slice(0, 2));
  assert.deepEqual(await list({}), ["a1", "a2"]);
  assert.deepEqual(await list({ after: "a2@example.com" }), ["a3", "b1"]);
  assert.deepEqual(await list({ prefix: "B" }), ["b1"]);
  assert.deepEqual(await list({ prefix: "a", after: "a2@example.com" }), ["a3"]);
  assert.deepEqual(await list({ part: "1@EXAMPLE." }), ["a1", "b1"]);
  assert.deepEqual(await list({ part: "1@EXAMPLE.", after: "a1@example.com" }), ["b1"]);
  assert.deepEqual(await list({ part: ".*" }), []);
  const all = await Array.fromAsync(suppressions.all("acc_l", now));
  assert.deepEqual(all.map(({ email }) => email.slice(0, 2)), ["a1", "a2", "a3", "b1"]);
  assert.deepEqual(
    [await suppressions.count("acc_l"), await suppressions.count("acc_none")],
    [4, 0],
  );
});

test("suppressions.noteRefused() keeps an entry that is there, and obeys the account", async () => {
  const { accounts, suppressions } = opened.store;
  const { _id } = await accounts.create({ name: "refusing" });
  const refused = { ...entryOf("gone@example.com"), reason: "hard_refusal" as const };
  await suppressions.add(_id, [entryOf("manual@example.com")], LIMIT);
  assert.equal(
    await suppressions.noteRefused(_id, { ...refused, email: "manual@example.com" }),
    false,
  );
  assert.equal(await suppressions.noteRefused(_id, refused), true);
  await accounts.update(_id, { suppressRefused: false });
  assert.equal(await suppressions.noteRefused(_id, { ...refused, email: "x@example.com" }), false);
  const found = await suppressions.list(_id, { limit: 9, now });
  assert.deepEqual(found.map(({ email, reason }) => [email, reason]), [
    ["gone@example.com", "hard_refusal"],
    ["manual@example.com", "manual"],
  ]);
});

test("forgetRecipient() removes the address of a suppression, which still applies", async () => {
  const { suppressions, retention } = opened.store;
  await suppressions.add("acc_f", [entryOf("gone@example.com")], LIMIT);
  await retention.forgetRecipient("acc_f", "Gone@example.com", { now, audit: "erase" });
  const [entry] = (await suppressions.among("acc_f", ["gone@example.com"], now)).values();
  assert.ok(entry);
  assert.doesNotMatch(JSON.stringify(entry), /gone/i);
  assert.deepEqual(await suppressions.list("acc_f", { limit: 9, now }), []);
});

test("openSuppressionLookup() asks nothing for accounts without a list", async () => {
  const { suppressions } = opened.store;
  let asked = 0;
  const lookUp = openSuppressionLookup({
    hasAny: suppressions.hasAny,
    among: (...query) => {
      asked++;
      return suppressions.among(...query);
    },
  });
  assert.equal((await lookUp("acc_none", ["a@example.com"], now)).size, 0);
  assert.equal(asked, 0);
  await suppressions.add("acc_some", [entryOf("a@example.com")], LIMIT);
  assert.equal((await lookUp("acc_some", ["a@example.com"], now)).size, 1);
});

test("suppressions.add() refuses what does not fit with both numbers, and adds none of it", async () => {
  const { suppressions } = opened.store;
  const add = (names: string[]) =>
    suppressions.add("acc_full", names.map((name) => entryOf(`${name}@example.com`)), { max: 3 });
  assert.equal(await add(["a", "b"]), 2);
  await assert.rejects(add(["b", "c", "d"]), {
    name: "SuppressionsFullError",
    message: "Cannot add 2 addresses to the suppression list: it has 2 of at most 3 entries",
  });
  const listed = await suppressions.list("acc_full", { limit: 9, now });
  assert.deepEqual(listed.map(({ email }) => email), ["a@example.com", "b@example.com"]);
  assert.equal(await add(["b", "c", "c"]), 1);
  assert.equal(await add(["a", "b", "c"]), 0, "entries are replaced on a full list");
  await assert.rejects(add(["d"]), /1 address .* 3 of at most 3/);
});

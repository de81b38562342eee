import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newSendId } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened?.[Symbol.asyncDispose]());

const early = new Date("2026-01-01T00:00:00Z");
const late = new Date("2026-06-01T00:00:00Z");
const bytes = Buffer.from([0, 1, 2, 255]);

const hash = (letter: string) => letter.repeat(64);

const named = (accountId: string, name: string, sha256: string) => ({
  ...{ accountId, name, sha256, size: 4, updatedAt: early },
  ...{ filename: "logo.png", contentType: "image/png" },
});

test("keepAssets() stores bytes once for an account, and for no other", async () => {
  const { store } = opened;
  const needed = [{ sha256: hash("a"), bytes }];
  await Promise.all([1, 2, 3].map(() => store.assets.keep("acc_1", needed, early)));
  assert.deepEqual(Buffer.from(await store.assets.find("acc_1", hash("a")) ?? []), bytes);
  assert.equal(await store.assets.find("acc_2", hash("a")), null);
  await store.assets.keep("acc_1", [{ sha256: hash("a") }], early);
  await assert.rejects(
    store.assets.keep("acc_2", [{ sha256: hash("a") }], early),
    /no longer stored/,
  );
});

test("putAssetName() keeps a file under a name of the account and replaces the one before", async () => {
  const { store } = opened;
  await store.assets.putName(named("acc_3", "logo", hash("b")), bytes);
  await store.assets.putName(named("acc_3", "logo", hash("c")), bytes);
  await store.assets.putName(named("acc_3", "terms", hash("b")), bytes);
  assert.deepEqual(await store.assets.findName("acc_3", "logo"), named("acc_3", "logo", hash("c")));
  assert.equal(await store.assets.findName("acc_1", "logo"), null);
  const names = async (after?: string) =>
    (await store.assets.listNames("acc_3", { limit: 1, after })).map(({ name }) => name);
  assert.deepEqual([await names(), await names("logo"), await names("terms")], [
    ["logo"],
    ["terms"],
    [],
  ]);
  assert.equal(await store.assets.removeName("acc_1", "logo"), false);
  assert.equal(await store.assets.removeName("acc_3", "logo"), true);
  assert.equal(await store.assets.findName("acc_3", "logo"), null);
});

test("removeOldAssets() keeps files that a name or a send needs, or that were needed lately", async () => {
  const { store } = opened;
  const accountId = "acc_4";
  const file = { size: 4, filename: "a.txt", contentType: "text/plain" };
  const send = testSend({
    ...{ _id: newSendId(accountId, early), accountId },
    request: {
      from: { email: "shop@example.com" },
      files: [{ ...file, sha256: hash("1") }],
      to: [{ email: "ann@example.com", files: [{ ...file, sha256: hash("2") }] }],
    },
  });
  const needed = ["1", "2", "3", "4"].map((letter) => ({ sha256: hash(letter), bytes }));
  await store.assets.keep(accountId, needed, early);
  await store.sends.accept(send);
  await store.assets.putName(named(accountId, "logo", hash("3")), bytes);
  await store.assets.keep(accountId, [{ sha256: hash("5"), bytes }], late);
  const before = new Date("2026-03-01T00:00:00Z");
  const expire = async () => {
    for (let after: string | null = ""; after !== null;) {
      after = (await store.assets.removeOld({ before, limit: 2, after })).last;
    }
    const left = await opened.db.collection<{ _id: string }>("assets")
      .find({ accountId }).sort({ _id: 1 }).toArray();
    return left.map(({ _id }) => _id.at(-1)).join("");
  };
  assert.equal(await expire(), "1235");
  await store.retention.forgetRecipient(accountId, "ann@example.com", {
    now: late,
    audit: "erase",
  });
  assert.equal(await expire(), "35", "nothing is left of the one recipient");
  await store.assets.removeName(accountId, "logo");
  assert.equal(await expire(), "5");
});

test("files of a published version are kept, found by its URL alone, and name its template", async () => {
  const { store } = opened;
  const accountId = "acc_5";
  const file = { size: 4, filename: "a.png", contentType: "image/png" };
  const [shown, carried, loose] = ["6", "7", "8"].map(hash) as [string, string, string];
  const needed = [shown, carried, loose].map((sha256) => ({ sha256, bytes }));
  await store.assets.keep(accountId, needed, early);
  const parts = { subject: "Hi", html: "Hi", text: "Hi" };
  await store.templates.publish({
    ...{ accountId, kind: "email", name: "Welcome", sourceHash: "x", variables: [] },
    ...{ source: parts, parts },
    assets: [
      { ...file, name: "shown", sha256: shown, url: `https://mail.example/assets/${shown}` },
      { ...file, name: "carried", sha256: carried },
    ],
  });
  const found = await store.assets.findShown(shown);
  assert.deepEqual([found?.contentType, Buffer.from(found?.bytes ?? [])], ["image/png", bytes]);
  assert.deepEqual(await Promise.all([carried, loose].map(store.assets.findShown)), [null, null]);
  const users = await store.assets.usersOfName(accountId, "carried");
  assert.deepEqual(users, [{ kind: "email", id: 1, name: "Welcome" }]);
  assert.deepEqual(await store.assets.usersOfName("acc_1", "carried"), []);
  const before = new Date("2026-03-01T00:00:00Z");
  await store.assets.removeOld({ before, limit: 100 });
  const left = await Promise.all(
    [shown, carried, loose].map((sha256) =>
      store.assets.find(accountId, sha256).then((one) => one !== null)
    ),
  );
  assert.deepEqual(left, [true, true, false]);
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { NO_SECOND_FACTOR, type SecondFactor } from "@posthaste/contracts";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

const passkeyOf = (n: number): SecondFactor["passkeys"][number] => ({
  ...{ id: `key-${n}`, name: `Key ${n}`, publicKey: "x", counter: 0, transports: [] },
  createdAt: new Date(0),
});

test("changeSecondFactor() loses nothing in concurrent additions", async () => {
  const { store } = opened;
  const { _id } = await store.people.create({
    email: "a@b.example",
    name: "A",
    passwordHash: null,
  });
  const changes = await Promise.all([
    ...Array.from({ length: 8 }, (_, n) =>
      store.people.changeSecondFactor(_id, (current) => ({
        ...current,
        passkeys: [...current.passkeys, passkeyOf(n)],
      }))),
    store.people.changeSecondFactor(_id, (current) => ({
      ...current,
      totp: { secret: "sealed", lastStep: 1 },
    })),
    store.people.takeTotpStep(_id, 5),
  ]);
  const { secondFactor } = await store.people.find(_id) ?? {};
  assert.deepEqual(
    secondFactor?.passkeys.map(({ id }) => id).sort(),
    Array.from({ length: 8 }, (_, n) => `key-${n}`),
  );
  assert.equal(secondFactor?.totp?.secret, "sealed");
  const first = changes.filter((change) =>
    typeof change === "object" && change?.before.totp === null &&
    change.before.passkeys.length === 0
  );
  assert.equal(first.length, 1, "one of them was the first");
});

test("changeSecondFactor() changes users of earlier versions, and none that does not exist", async () => {
  const { store, db } = opened;
  const { _id } = await store.people.create({
    email: "c@d.example",
    name: "C",
    passwordHash: null,
  });
  await db.collection("users").updateOne({ email: "c@d.example" }, {
    $unset: { secondFactor: "" },
  });
  const changed = await store.people.changeSecondFactor(_id, (current) => ({
    ...current,
    recoveryCodes: ["a"],
  }));
  assert.deepEqual(changed?.before, NO_SECOND_FACTOR);
  assert.deepEqual((await store.people.find(_id))?.secondFactor.recoveryCodes, ["a"]);
  assert.equal(await store.people.changeSecondFactor("usr_none", (current) => current), null);
});

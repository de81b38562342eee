import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

test("noteUsage() adds up days, also in concurrent calls, and forgetUsage() removes only whole days", async () => {
  const { store } = opened;
  const at = (time: string) => new Date(`2031-05-${time}Z`);
  await Promise.all(
    Array.from({ length: 9 }, () =>
      store.usage.note([
        { accountId: "acc_1", at: at("01T00:00:00"), bytes: 10 },
        { accountId: "acc_1", at: at("01T23:59:59.999"), bytes: 1 },
        { accountId: "acc_1", at: at("02T00:00:00"), bytes: 5 },
        { accountId: "acc_2", at: at("02T12:00:00"), bytes: 7 },
      ])),
  );
  const daysOf = async (accountId: string) =>
    (await store.usage.list([accountId])).map(({ day, bytes }) => [
      ...[day.toISOString().slice(0, 10), bytes],
    ]).toSorted();
  assert.deepEqual(await daysOf("acc_1"), [["2031-05-01", 99], ["2031-05-02", 45]]);
  assert.equal((await store.usage.list(["acc_1", "acc_2", "acc_3"])).length, 3);

  await store.usage.forget("acc_1", at("01T23:59:59.999"));
  assert.equal((await daysOf("acc_1")).length, 2, "some contents of that day are kept");
  await store.usage.forget("acc_1", at("02T00:00:00"));
  assert.deepEqual(await daysOf("acc_1"), [["2031-05-02", 45]]);
  assert.deepEqual(await daysOf("acc_2"), [["2031-05-02", 63]]);
});

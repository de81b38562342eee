import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf, newId, newSendId } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import type { Document } from "mongodb";
import { acceptedWithin } from "./_accepted_within.ts";
import { openTestStore, type TestStore } from "./_test_store.ts";

const ACCOUNTS = Array.from({ length: 20 }, (_, n) => `acc_${n}`);
const SECOND = 1000;
const at = (seconds: number) => new Date(1_780_000_000_000 + seconds * SECOND);

/** An id from before there were shards: a ULID. */
const oldSendId = (time: Date) => newId("acc", time).replace("acc_", "snd_");

interface Line {
  _id: string;
  accountId: string;
  state: string;
  acceptedAt: Date;
}

let opened: TestStore;
/** One line per second; the accounts take turns, and the first half has ids without shards. */
const lines: Line[] = [];
before(async () => {
  opened = await openTestStore();
  for (let second = 0; second < 2000; second++) {
    const accountId = ACCOUNTS[second % ACCOUNTS.length] ?? "";
    const acceptedAt = at(second);
    const id = second < 1000 ? oldSendId(acceptedAt) : newSendId(accountId, acceptedAt);
    const state = second % 3 === 0 ? "failed" : "sent";
    lines.push({ _id: messageIdOf(id, 0), accountId, state, acceptedAt });
  }
  await opened.db.collection<Line>("messages").insertMany(lines);
});
after(() => opened?.[Symbol.asyncDispose]());

const messages = () => opened.db.collection<Line>("messages");
const sorted = (found: { _id: string }[]) => found.map(({ _id }) => _id).toSorted();

function stagesOf(plan: Document): string[] {
  const inputs = [plan["inputStage"], ...(plan["inputStages"] ?? [])].filter(Boolean);
  return [plan["stage"], ...inputs.flatMap(stagesOf)];
}

test("acceptedWithin() finds what was accepted within a period, of all accounts or of one", async () => {
  for (const [first, end] of [[0, 2000], [500, 1500], [1200, 1300], [300, 400]] as const) {
    const part = { from: at(first), until: at(end) };
    const expected = lines.slice(first, end);
    const found = await messages().find(acceptedWithin<Line>("msg", part)).toArray();
    assert.deepEqual(sorted(found), sorted(expected));
    const own = expected.filter(({ accountId, state }) =>
      accountId === "acc_3" && state === "failed"
    );
    const filter = acceptedWithin<Line>("msg", { accountId: "acc_3", ...part }, {
      state: "failed",
    });
    assert.deepEqual(sorted(await messages().find(filter).toArray()), sorted(own));
  }
});

test("acceptedWithin() pages through an account, old ids and new ones, in order of time", async () => {
  const own = lines.filter(({ accountId }) => accountId === "acc_3");
  const newestFirst = own.map(({ _id }) => _id).reverse();
  const seen: string[] = [];
  let last: string | undefined;
  do {
    const part = { accountId: "acc_3", until: at(5000), before: last };
    const page = await messages().find(acceptedWithin<Line>("msg", part)).sort({ _id: -1 })
      .limit(7).toArray();
    last = page.at(-1)?._id;
    seen.push(...page.map(({ _id }) => _id));
  } while (last !== undefined);
  assert.deepEqual(seen, newestFirst);
  const [, second = ""] = own.map(({ _id }) => _id);
  const part = { accountId: "acc_3", until: at(100), after: second };
  const found = await messages().find(acceptedWithin<Line>("msg", part)).toArray();
  assert.deepEqual(sorted(found), sorted(own.slice(2, 5)));
  assert.deepEqual(
    await messages().find(acceptedWithin<Line>("msg", { ...part, after: own[9]?._id })).toArray(),
    [],
  );
});

test("acceptedWithin() reads its ranges from an index, in order, and nothing else", async () => {
  const examined = async (filter: object, limit: number) => {
    const { queryPlanner, executionStats } = await messages().find(filter).sort({ _id: -1 })
      .limit(limit).explain("executionStats");
    const stages = stagesOf(queryPlanner.winningPlan.queryPlan ?? queryPlanner.winningPlan);
    assert.ok(!stages.includes("SORT") && !stages.includes("COLLSCAN"), stages.join());
    return executionStats.totalKeysExamined;
  };
  const part = { from: at(500), until: at(1500) };
  // Each range reads one key more to find its end.
  assert.ok(await examined(acceptedWithin<Line>("msg", part), 40) <= 40 + 32);
  const own = { accountId: "acc_3", ...part };
  assert.ok(await examined(acceptedWithin<Line>("msg", own, { state: "failed" }), 10) <= 12);
});

test("listSends() lists sends with ids of earlier versions after all others", async () => {
  const { store } = opened;
  const accountId = "acc_both";
  const ids = [
    oldSendId(at(1)),
    oldSendId(at(2)),
    ...[3, 4].map((n) => newSendId(accountId, at(n))),
  ];
  for (const _id of ids) await store.sends.accept(testSend({ _id, accountId }));
  const first = await store.sends.list(accountId, { limit: 3 });
  assert.deepEqual(first.map(({ _id }) => _id), [ids[3], ids[2], ids[1]]);
  const rest = await store.sends.list(accountId, { limit: 3, before: ids[1] });
  assert.deepEqual(rest.map(({ _id }) => _id), [ids[0]]);
});

test("removeOldSends() removes old sends of every shard, also those with ids of earlier versions", async () => {
  const { store, db } = opened;
  await db.collection("sends").deleteMany({});
  for (let n = 0; n < 40; n++) {
    for (const acceptedAt of [at(n), at(n + 1000)]) {
      const accountId = `acc_${n}`;
      const _id = n % 4 === 0 ? oldSendId(acceptedAt) : newSendId(accountId, acceptedAt);
      await store.sends.accept(testSend({ _id, accountId, acceptedAt, settledAt: acceptedAt }));
    }
  }
  let removed = 0;
  for (let last: string | null = ""; last !== null;) {
    const old = { before: at(1000), limit: 7, after: last, now: at(30 * 24 * 3600) };
    const batch = await store.retention.removeOldSends(old);
    removed += batch.removed;
    last = batch.last;
  }
  assert.equal(removed, 40);
  assert.equal(await db.collection("sends").countDocuments({ acceptedAt: { $lt: at(1000) } }), 0);
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Message, messageIdOf, newId, type Send } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import { UNTOUCHED } from "./_message_document.ts";
import { batchOf, examinedBy, openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => void (opened = await openTestStore()));
after(() => opened[Symbol.asyncDispose]());

const COUNT = 50;

/** Writes the documents of all messages of a send, each to an address of its own. The first one failed. */
async function writeMessages({ _id: sendId, accountId, acceptedAt }: Send): Promise<void> {
  const documents = Array.from({ length: COUNT }, (_, index): Message => ({
    ...{ _id: messageIdOf(sendId, index), sendId, accountId, index },
    ...{ email: `${index}@${sendId}.example`, integration: `${accountId}/1` },
    ...UNTOUCHED,
    ...{ state: index === 0 ? "failed" : "sent", attempt: 0, acceptedAt, timeline: [] },
  }));
  await opened.db.collection<Message>("messages").insertMany(documents);
}

/** Accepts a batch of a few sends, and many other sends of its account. */
async function acceptBatch() {
  const { store: { batches, sends } } = opened;
  const batch = batchOf({ accountId: newId("acc") });
  const { accountId } = batch;
  await batches.create(batch, undefined);
  const parts: Send[] = [];
  for (let n = 0; n < 60; n++) {
    const acceptedAt = new Date(batch.createdAt.getTime() + n);
    const send = testSend({
      ...{ accountId, acceptedAt, messageCount: COUNT },
      ...(n < 4 ? { batchId: batch._id } : {}),
    });
    if (n < 4) parts.push(send);
    await sends.accept(send);
    await writeMessages(send);
  }
  return { batch, parts };
}

test("the messages of a batch are found by their ids, however many others the account has", async () => {
  const { store: { batches, messages }, db } = opened;
  const { batch, parts } = await acceptBatch();
  const { accountId } = batch;
  const own = parts.length * COUNT;
  const ids = parts.map(({ _id }) => _id);
  const looks: Record<string, () => Promise<unknown>> = {
    count: () => batches.count(accountId, batch._id, 60_000),
    countStates: () => messages.countStates(accountId, ids),
    search: () => messages.search(accountId, { batchId: batch._id }, { limit: own }),
    list: () => messages.list(accountId, ids[0] ?? ""),
  };
  for (const [name, look] of Object.entries(looks)) {
    const keys = await examinedBy(db, "messages", look, "keysExamined");
    // Each look reads at least the messages of one part.
    assert.ok(keys >= COUNT, `${name} examined ${keys} keys: the profile is incomplete`);
    assert.ok(keys <= own + ids.length, `${name} examined ${keys} keys for ${own} messages`);
  }
});

test("the few messages of a batch in a state are found by that state, and no others are read", async () => {
  const { store: { messages }, db } = opened;
  const { batch: { _id: batchId, accountId }, parts } = await acceptBatch();
  for (const states of [["failed"], ["failed", "canceled", "deferred"]] as const) {
    const find = async () => {
      const found = await messages.search(accountId, { batchId, states }, { limit: 1000 });
      assert.deepEqual(
        found.messages.map(({ _id }) => _id),
        parts.map(({ _id }) => messageIdOf(_id, 0)).toReversed(),
      );
    };
    const keys = await examinedBy(db, "messages", find, "keysExamined");
    const most = parts.length * (states.length + 1);
    assert.ok(keys <= most, `${states} examined ${keys} keys for ${parts.length} messages`);
  }
});

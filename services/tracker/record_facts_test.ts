import { type EventData, messageIdOf, newSendId } from "@posthaste/contracts";
import type { Fact } from "@posthaste/messaging";
import type { RecordedFact } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { type RecordDeps, recordFacts } from "./record_facts.ts";

const sendId = newSendId();
const at = "2026-03-01T10:00:00.000Z";
const ABOUT: EventData<"fact.message.rendered"> = {
  v: 1,
  messageId: messageIdOf(sendId, 0),
  sendId,
  accountId: "acc_1",
  index: 0,
  attempt: 0,
  at,
};

const accepted: Fact = {
  type: "fact.send.accepted",
  data: { v: 1, sendId, accountId: "acc_1", at },
};
const parked: Fact = {
  type: "fact.send.parked",
  data: { ...accepted.data, integrationId: 4, reason: "x", indexes: [0, 2] },
};
const rendered: Fact = { type: "fact.message.rendered", data: ABOUT };
const printed: Fact = { type: "fact.message.printed", data: ABOUT };
const sent: Fact = { type: "fact.message.sent", data: { ...ABOUT, reply: { code: 250 } } };
const failed: Fact = {
  type: "fact.message.failed",
  data: { ...ABOUT, stage: "renderer", reason: "x" },
};

function openLedger(changes: Partial<RecordDeps> = {}) {
  const done: string[] = [];
  const recorded: RecordedFact[] = [];
  const deps: RecordDeps = {
    materializeSends: (ids) => {
      done.push(...ids.map((id) => `materialize ${id}`));
      return Promise.resolve({ unknown: [] });
    },
    parkUntried: (parkings) => {
      done.push(...parkings.map(({ parkedFor, indexes, at }) => {
        return `park ${indexes} for ${parkedFor} at ${at.toISOString()}`;
      }));
      return Promise.resolve({ unknown: [] });
    },
    recordFacts: (facts) => {
      done.push(`record ${facts.length}`);
      recorded.push(...facts);
      return Promise.resolve({ orphans: [] });
    },
    logger: { warn: (line) => void done.push(line) },
    ...changes,
  };
  return { deps, done, recorded };
}

test("recordFacts() makes the documents of an accepted send before it folds facts", async () => {
  const { deps, done, recorded } = openLedger();
  await recordFacts([rendered, accepted, printed, failed], deps);
  assert.deepEqual(done, [`materialize ${sendId}`, "record 3"]);
  assert.deepEqual(recorded, [rendered, printed, failed]);
});

test("recordFacts() parks a part of a send that has to wait, once its documents are there", async () => {
  const { deps, done } = openLedger();
  await recordFacts([parked, accepted], deps);
  assert.deepEqual(done, [`materialize ${sendId}`, `park 0,2 for acc_1/4 at ${at}`, "record 0"]);
});

test("recordFacts() leaves out what the mailer writes itself", async () => {
  const { deps, recorded } = openLedger();
  await recordFacts([sent, rendered], deps);
  assert.deepEqual(recorded, [rendered]);
});

test("recordFacts() warns of sends and messages that the ledger does not have", async () => {
  const { deps, done } = openLedger({
    materializeSends: (unknown) => Promise.resolve({ unknown }),
    parkUntried: () => Promise.resolve({ unknown: [sendId] }),
    recordFacts: () => Promise.resolve({ orphans: ["msg_1"] }),
  });
  await recordFacts([accepted, parked, rendered], deps);
  assert.deepEqual(done, [
    "Unknown send in a fact",
    "Unknown send in a fact",
    "Unknown message in a fact",
  ]);
});

test("recordFacts() throws when the ledger is away, so that the facts come again", async () => {
  const { deps } = openLedger({ recordFacts: () => Promise.reject(new Error("away")) });
  await assert.rejects(recordFacts([rendered], deps), /away/);
});

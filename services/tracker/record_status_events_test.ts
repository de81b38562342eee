import { messageIdOf, newSendId } from "@posthaste/contracts";
import type { StatusEvent } from "@posthaste/messaging";
import { type Changes, losingWrites, openMemoryLedger, withChanges } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { identifyAll } from "./_test_identify.ts";
import { type RecordDeps, recordStatusEvents } from "./record_status_events.ts";

const sendId = newSendId("acc_1");
const at = "2026-03-01T10:00:00.000Z";
const ABOUT = {
  ...{ v: 2 as const, messageId: messageIdOf(sendId, 0), sendId, accountId: "acc_1" },
  ...{ index: 0, attempt: 0, at },
};

const failed: StatusEvent = {
  type: "status.message.failed",
  data: { ...ABOUT, stage: "renderer", reason: "no such variable" },
};

function openLedger(changes: Changes<RecordDeps> = {}) {
  const done: string[] = [];
  const ledger = openMemoryLedger();
  const deps = withChanges<RecordDeps>({
    registers: {
      ledgerOf: ledger.registers.ledgerOf,
    },
    sends: {
      identify: identifyAll(new Date(at)),
    },
    waiting: {
      postponeMessage: ({ messageId, attempt, nextAt, reason }) => {
        done.push(
          `postponed ${messageId} after ${attempt} until ${nextAt.toISOString()}: ${reason}`,
        );
        return Promise.resolve(true);
      },
    },
    recordTimelines: () => Promise.resolve(),
    logger: { warn: (line) => void done.push(line) },
  }, changes);
  return { deps, done, ledger };
}

test("recordStatusEvents() ends the attempt of a message that failed before the mailer", async () => {
  const { deps, done, ledger } = openLedger();
  await recordStatusEvents([failed], deps);
  const [outcome] = ledger.written;
  assert.deepEqual(outcome, {
    ...{ messageId: ABOUT.messageId, attempt: 1, state: "failed", reason: "no such variable" },
    at: new Date(at),
    lines: [{ at: new Date(at), type: "failed", attempt: 0, detail: "no such variable" }],
  });
  assert.deepEqual(done, []);
});

test("recordStatusEvents() changes nothing for a repeated failure, or after the end of an attempt", async () => {
  const { deps, ledger } = openLedger();
  await recordStatusEvents([failed], deps);
  await recordStatusEvents([failed, failed], deps);
  assert.equal(ledger.written.length, 1);
  const other = openLedger();
  other.ledger.inserted.set(`${ABOUT.messageId}/1`, { by: "a mailer", dot: true });
  await recordStatusEvents([failed], other.deps);
  assert.deepEqual(other.ledger.written, []);
});

test("recordStatusEvents() ends a message when its failure is redelivered after a lost write", async () => {
  const { deps, ledger } = openLedger();
  const ledgerOf = losingWrites(ledger.registers.ledgerOf, () => true);
  const losing = { ...deps, registers: { ledgerOf } };
  await assert.rejects(recordStatusEvents([failed], losing), /connection closed/);
  await recordStatusEvents([failed], losing);
  assert.deepEqual(ledger.written.map(({ state }) => state), ["failed"]);
});

test("recordStatusEvents() defers a message that has to wait for a time", async () => {
  const { deps, done, ledger } = openLedger();
  const nextAt = "2026-03-01T10:00:15.000Z";
  const data = { ...ABOUT, reason: "no image yet", nextAt };
  await recordStatusEvents([{ type: "status.message.waiting", data }], deps);
  assert.deepEqual(done, [`postponed ${ABOUT.messageId} after 0 until ${nextAt}: no image yet`]);
  assert.equal(ledger.inserted.size, 0);
});

test("recordStatusEvents() leaves out the outcomes that the mailer writes itself", async () => {
  const { deps, ledger } = openLedger();
  const data = { ...ABOUT, attempt: 1, stage: "mailer" as const, reason: "x" };
  await recordStatusEvents([{ type: "status.message.failed", data }], deps);
  assert.deepEqual(ledger.written, []);
});

test("recordStatusEvents() warns of sends that the ledger does not have, or that are another account's", async () => {
  const { deps, done } = openLedger();
  const data = { ...ABOUT, accountId: "acc_2", stage: "pdf" as const, reason: "x" };
  await recordStatusEvents([{ type: "status.message.failed", data }], deps);
  assert.deepEqual(done, ["Unknown send in a status event"]);
});

test("recordStatusEvents() throws when the ledger is unavailable, so that the status events are redelivered", async () => {
  const { deps } = openLedger({
    sends: {
      identify: () => Promise.reject(new Error("away")),
    },
  });
  await assert.rejects(recordStatusEvents([failed], deps), /away/);
});

test("recordStatusEvents() records events of failures after they are in the ledger", async () => {
  const recorded: unknown[] = [];
  const { deps, ledger } = openLedger({
    recordTimelines: (of) => {
      recorded.push(of, ledger.written.length);
      return Promise.resolve();
    },
  });
  await recordStatusEvents([failed], deps);
  assert.deepEqual(recorded, [{ messageIds: [ABOUT.messageId] }, 1]);
});

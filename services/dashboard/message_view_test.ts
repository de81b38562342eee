import assert from "node:assert/strict";
import { test } from "node:test";
import { messageIdOf, newSendId } from "@posthaste/contracts";
import type { FoundMessage } from "@posthaste/storage";
import { rowOf } from "./message_view.ts";

const sendId = newSendId("acc_1");
const AT = new Date("2026-03-01T10:00:00Z");

function found(changes: object = {}): FoundMessage {
  return {
    _id: messageIdOf(sendId, 0),
    ...{ sendId, index: 0, email: "ann@example.com", state: "deferred", attempt: 1 },
    ...{ reason: "The server is busy", reply: null, nextAt: AT, waitsFor: null },
    ...{ acceptedAt: AT, finishedAt: null },
    send: { template: { id: 1, version: 2 }, integrationId: 4, messageCount: 3 },
    ...changes,
  } as unknown as FoundMessage;
}

test("rowOf() shows whether a message waits for its integration's turn, or for a time", () => {
  assert.equal(rowOf(found({ waitsFor: "acc_1/4" })).isWaiting, true);
  assert.equal(rowOf(found()).isWaiting, false);
  // Version 2 left finished messages like this.
  assert.equal(rowOf(found({ waitsFor: undefined })).isWaiting, false);
  assert.equal(rowOf(found()).nextAt, AT.toISOString());
});

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { until } from "@posthaste/kit";
import type { MessageRow } from "./interface/messages.ts";
import { type BoardChange, openMessageBoards } from "./message_boards.ts";

const COUNTS = { failed: 0, unknown: 0, deferred: 0 };
const row = (id: string, state: MessageRow["state"]) => ({ id, state }) as MessageRow;
const logger = { warn: () => {} };

test("openMessageBoards() reads once for all viewers, and reports changes only", async () => {
  let rows = [row("1", "queued"), row("2", "queued")];
  let looks = 0;
  using boards = openMessageBoards({
    look: () => {
      looks++;
      return Promise.resolve({ rows, counts: COUNTS });
    },
    logger,
    everyMs: 20,
  });
  const reported: BoardChange[] = [];
  const late: BoardChange[] = [];
  const stop = boards.watch("acc_1", (change) => void reported.push(change));
  await until(() => looks >= 3);
  assert.deepEqual(reported, [{ rows, counts: COUNTS }]);
  const stopLate = boards.watch("acc_1", (change) => void late.push(change));
  assert.deepEqual(late, [{ rows, counts: COUNTS }]);
  assert.equal(boards.viewers("acc_1"), 2);
  rows = [row("3", "queued"), row("1", "sent")];
  await until(() => reported.length === 2);
  assert.deepEqual(reported[1], { rows });
  assert.deepEqual(late[1], { rows });
  stop();
  stopLate();
  assert.equal(boards.viewers("acc_1"), 0);
  const before = looks;
  await delay(60);
  assert.ok(looks <= before + 1, "nobody watches any more");
});

test("openMessageBoards() continues after a failure", async () => {
  let looks = 0;
  using boards = openMessageBoards({
    look: () => {
      looks++;
      return looks === 1
        ? Promise.reject(new Error("away"))
        : Promise.resolve({ rows: [row("1", "sent")], counts: COUNTS });
    },
    logger,
    everyMs: 10,
  });
  const reported: BoardChange[] = [];
  boards.watch("acc_1", (change) => void reported.push(change));
  await until(() => reported.length === 1);
});

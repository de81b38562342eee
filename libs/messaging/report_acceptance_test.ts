import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptanceOf, openAcceptanceReports, type ReportedSend } from "./report_acceptance.ts";
import type { Outgoing } from "./step.ts";

const acceptedAt = new Date("2026-01-01T00:00:00Z");

function sendOf(account: string, messageCount: number): ReportedSend {
  return { _id: `snd_${account}_${messageCount}`, accountId: account, acceptedAt, messageCount };
}

test("acceptanceOf() says of a send that waits that it does", () => {
  const [waiting, other] = [{ waits: true }, {}].map((options) =>
    acceptanceOf(sendOf("acc_1", 1), options).data
  );
  assert.deepEqual(waiting, { ...other, waits: true });
});

test("openAcceptanceReports() publishes one event for the sends of an account that come together", async () => {
  const published: Outgoing[] = [];
  {
    await using reports = openAcceptanceReports({
      publish: (event) => Promise.resolve(void published.push(event)),
    }, { logger: { warn: assert.fail }, lingerMs: 60_000 });
    for (const send of [sendOf("acc_1", 1), sendOf("acc_2", 7), sendOf("acc_1", 3)]) {
      reports.note(send);
    }
    assert.deepEqual(published, []);
  }
  const reported = published.map((event: Outgoing) =>
    event.type === "status.send.accepted"
      ? [event.data.accountId, event.data.recipients]
      : event.type
  );
  assert.deepEqual(reported, [["acc_1", 4], ["acc_2", 7]]);
});

test("openAcceptanceReports() publishes by itself, and only warns of a broker that is away", async () => {
  const { promise: warned, resolve: warn } = Promise.withResolvers<string>();
  await using reports = openAcceptanceReports({
    publish: () => Promise.reject(new Error("away")),
  }, { logger: { warn }, lingerMs: 1 });
  reports.note(sendOf("acc_1", 1));
  assert.match(await warned, /statistics follow later/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULT_STAGES, type FaultAction, type FaultPlan, openFaultySmtp } from "@posthaste/kit";
import { openTestResolver } from "./_test_resolver.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import { openTransportPool } from "./transport_pool.ts";

const actions: readonly FaultAction[] = [
  { do: "close" },
  { do: "reset" },
  { do: "reply", reply: "421 4.3.2 closing" },
  { do: "reply", reply: "451 4.7.1 not now" },
  { do: "reply", reply: "554 5.7.1 never" },
  { do: "reply", reply: "what?" },
  { do: "reply", reply: "250 2.0.0 OK" },
  { do: "reply", reply: "354 go on" },
  { do: "trickle", ms: 0 },
  { do: "delay", ms: 20 },
  { do: "reply_then_close" },
  { do: "reply_then_reset" },
  { do: "nul" },
  { do: "extra", reply: "250 2.0.0 OK" },
  { do: "extra", reply: "354 go on" },
  { do: "extra", reply: "554 5.7.1 never" },
];

/** Returns a generator of numbers below `limit`, the same ones for the same seed. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Returns a plan of rare faults at any stage of a session, so that mails still follow the dots of others. */
function planFrom(seed: number): FaultPlan {
  const random = randomFrom(seed);
  return ({ stage }) => {
    if (random(12) > 0 || !FAULT_STAGES.slice(6).includes(stage)) return undefined;
    const action = actions[random(actions.length)];
    // A faulty server's own record cannot show a 250 in place of a 354, or a 354 to a mail.
    return stage === "body" && action?.do !== "close" ? undefined : action;
  };
}

/** Sends a queue of mails, and returns the outcome of each, by its recipient. */
async function sendQueue(seed: number, { maxConnections }: { maxConnections: number }) {
  await using faulty = await openFaultySmtp({ plan: planFrom(seed) });
  await using pool = openTransportPool({
    ehloName: "x.example",
    resolveHost: openTestResolver(),
    ...{ stallMs: 2_000, replyMs: 2_000, drainMs: 500 },
  });
  const integration = {
    ...{ key: "1", host: "127.0.0.1", port: faulty.port, tls: "none", auth: null } as const,
    maxConnections,
  };
  const outcomes = new Map<string, "sent" | "unknown" | "unsent">();
  await Promise.all(Array.from({ length: 60 }, async (_, index) => {
    const to = `u${index}@example.net`;
    const onDot = () => new Promise<void>((resolve) => setImmediate(resolve));
    const envelope = { from: "billing@example.com", to };
    const raw = Buffer.from(`Message-ID: <m${index}@example.com>\r\n\r\n${index}\r\n`);
    const outcome = await pool.send({ integration, envelope, raw, onDot }).then(
      () => "sent" as const,
      (failure) => {
        assert.ok(failure instanceof SmtpFailure, String(failure));
        return failure.unknown ? "unknown" as const : "unsent" as const;
      },
    );
    outcomes.set(to, outcome);
  }));
  return { outcomes, records: [...faulty.records], violations: faulty.counts.violations };
}

test("send() reports no mail of a queue as sent that was not accepted, and none as unsent that was", async () => {
  const seen = { sent: 0, unknown: 0, unsent: 0 };
  for (let seed = 1; seed <= 30; seed++) {
    const { outcomes, records } = await sendQueue(seed, { maxConnections: 1 + seed % 3 });
    for (const [to, outcome] of outcomes) {
      seen[outcome]++;
      const dots = records.filter((record) => record.finalDot && record.to[0] === to);
      const taken = dots.filter(({ reply }) => reply === null || reply.startsWith("2"));
      const name = `seed ${seed}: ${to} is ${outcome}`;
      assert.ok(dots.length <= 1, `${name}: ${dots.length} dots`);
      if (outcome === "sent") assert.equal(taken.length, 1, name);
      if (outcome === "unsent") assert.deepEqual(taken, [], name);
    }
  }
  assert.ok(seen.sent > 500 && seen.unknown > 20 && seen.unsent > 100, JSON.stringify(seen));
});

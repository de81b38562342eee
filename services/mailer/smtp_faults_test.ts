import assert from "node:assert/strict";
import process from "node:process";
import { suite, test } from "node:test";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import {
  type FaultAction,
  type FaultRule,
  type FaultStage,
  type FaultySmtp,
  openFaultySmtp,
  planOf,
  takesLong,
  testCertificate,
  until,
} from "@posthaste/kit";
import { openSemaphore } from "@posthaste/limits";
import { openTestResolver } from "./_test_resolver.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";
import { judgeSmtpFailure, type SmtpVerdict } from "./smtp_verdict.ts";
import { openTransportPool, type TransportPool } from "./transport_pool.ts";

takesLong();

/**
 * Every stage of a session times every fault of a server: the outcome of the mail, and whether the next one
 * is sent without leaked connections.
 */
type Outcome = SmtpVerdict["kind"] | "sent";

const resolveHost = openTestResolver();
const login = { user: "ann", password: "secret" };
const users = { ann: "secret" };
const envelope = { from: "billing@example.com", to: "ann@example.net" };
const raw = Buffer.from("Message-ID: <m1@example.com>\r\nSubject: x\r\n\r\n..dots\r\nend\r\n");
/** More than the buffers of two sockets take. */
const huge = Buffer.alloc(16_000_000, `${"x".repeat(74)}\r\n`);
const large = huge.subarray(0, 2_000_000);
/**
 * For faults that only a limit ends in time. The mail after such a fault has it too, so it is longer than a
 * machine stalls.
 */
const limits = limitsOf(5000);
/** Where nothing is to end by a limit. */
const noLimits = limitsOf(60_000);
/** Work for the machine. Cases that wait for a limit are none: all of them wait together. */
const busy = openSemaphore({ max: 8 });

const actions = {
  close: { do: "close" },
  reset: { do: "reset" },
  silence: { do: "silence" },
  "421": { do: "reply", reply: "421 4.3.2 closing" },
  "4xx": { do: "reply", reply: "451 4.7.1 not now" },
  "5xx": { do: "reply", reply: "554 5.7.1 never" },
  nonsense: { do: "reply", reply: "what?" },
  "wrong code": { do: "reply", reply: "999 what" },
  "1-byte packets": { do: "trickle", ms: 0 },
  tarpit: { do: "trickle", ms: 1000 },
  "reply, FIN": { do: "reply_then_close" },
  "reply, RST": { do: "reply_then_reset" },
  endless: { do: "endless" },
  "empty lines": { do: "blank" },
  "10 MB line": { do: "long_line" },
  NUL: { do: "nul" },
  "one reply too many": { do: "extra", reply: "250 2.0.0 OK" },
} as const satisfies Record<string, FaultAction>;

type Fault = keyof typeof actions;

/** Outcomes of the mail that meets a fault; `sent or …` if it may have ended before. */
const expected: Record<string, Partial<Record<Fault, readonly Outcome[]>>> = {
  greeting: everything("defer", { NUL: ["sent"] }),
  ehlo: everything("defer", { NUL: ["sent"] }),
  auth: everything("defer", { "5xx": ["login_refused"], NUL: ["sent"] }),
  mail: everything("defer", { "5xx": ["fail"], NUL: ["sent"] }),
  rcpt: everything("defer", { "5xx": ["fail"], NUL: ["sent"] }),
  data: everything("defer", { "5xx": ["fail"], NUL: ["sent"] }),
  dot: everything("unknown", {
    "421": ["defer"],
    "4xx": ["defer"],
    "5xx": ["fail"],
    "1-byte packets": ["sent"],
    "reply, FIN": ["sent"],
    "reply, RST": ["sent", "unknown"],
    NUL: ["sent"],
    "one reply too many": ["sent"],
  }),
};

/** An extra reply shifts all others: the dot may be sent before that shows. */
function everything(
  kind: Outcome,
  but: Partial<Record<Fault, readonly Outcome[]>>,
): Partial<Record<Fault, readonly Outcome[]>> {
  const all = Object.keys(actions).map((fault) => [fault, [kind]]);
  return {
    ...Object.fromEntries(all),
    "1-byte packets": ["sent"],
    "one reply too many": ["defer", "unknown"],
    ...but,
  };
}

function limitsOf(ms: number) {
  return { connectTimeoutMs: ms, stallMs: ms, replyMs: ms };
}

interface Case {
  readonly name: string;
  readonly rules: readonly FaultRule[];
  readonly outcomes: readonly Outcome[];
  readonly tls?: SmtpIntegration["tls"];
  readonly raw?: Buffer;
  readonly hide?: readonly "PIPELINING"[];
  /** Mails sent before the one that meets the fault. */
  readonly before?: readonly Outcome[];
  readonly maxMails?: number;
  /**
   * How long the dot is held back, in milliseconds.
   * @default {30}
   */
  readonly admissionMs?: number;
}

async function check(one: Case): Promise<void> {
  const {
    name,
    rules,
    outcomes,
    tls = "none",
    hide = [],
    before = [],
    maxMails = 100,
  } = one;
  await using faulty = await openFaultySmtp({ tls, users, hide, plan: planOf(rules) });
  await using pool = openTransportPool({
    ehloName: "x.example",
    resolveHost,
    drainMs: 500,
    maxMails,
    ...(rules.some(({ action }) => needsLimit(action)) ? limits : noLimits),
  });
  for (const outcome of before) assert.equal(await attempt(pool, faulty, { tls }), outcome, name);
  const outcome = await attempt(pool, faulty, { ...one, tls });
  assert.ok(outcomes.includes(outcome), `${name}: ${outcome} is not ${outcomes.join(" or ")}`);
  // Every fault concerns one connection only: the next mail is sent immediately.
  assert.equal(await attempt(pool, faulty, { tls }), "sent", `the mail after ${name}`);
  assert.ok(faulty.counts.peak <= 2, `${name}: ${faulty.counts.peak} connections`);
  assert.deepEqual(faulty.counts.violations, [], name);
  const taken = faulty.records.filter((record) => record.reply?.startsWith("2"));
  const sent = [...before, outcome, "sent"].filter((each) => each === "sent").length;
  assert.ok(taken.length >= sent, `${name}: ${taken.length} taken, ${sent} said to be sent`);
  if (outcome !== "unknown") assert.equal(taken.length, sent, `${name}: taken, not reported`);
  assert.ok(pool.connections <= 1, `${name}: ${pool.connections} connections left`);
  await pool[Symbol.asyncDispose]();
  await until(() => faulty.counts.open === 0, { message: `the end of connections after ${name}` });
}

/**
 * Returns whether only a limit ends the fault in time: a silent or flooding server never ends by itself, a stall
 * or a tarpit too late. All others run without limits, which a machine that stalls would reach with a healthy
 * server.
 */
function needsLimit(action: FaultAction): boolean {
  return ["silence", "endless", "blank", "stall"].includes(action.do) ||
    (action.do === "trickle" && action.ms > 0);
}

async function attempt(
  pool: TransportPool,
  faulty: FaultySmtp,
  { tls, raw: content = raw, admissionMs = 30 }: Pick<Case, "tls" | "raw" | "admissionMs">,
): Promise<Outcome> {
  const integration: SmtpIntegration = {
    key: "1",
    host: "localhost",
    port: faulty.port,
    tls: tls ?? "none",
    auth: login,
    ca: testCertificate.cert,
    maxConnections: 1,
  };
  try {
    // As in the mailer, which writes to the ledger before the dot.
    const onDot = async () => {
      await sleep(admissionMs);
      // On a machine that stalls, a timer comes before the replies that came meanwhile.
      for (let turns = 0; turns < 20; turns++) await turn();
    };
    await pool.send({ integration, envelope, raw: content, onDot });
    return "sent";
  } catch (failure) {
    assert.ok(failure instanceof SmtpFailure, String(failure));
    assert.doesNotMatch(failure.message, /secret/);
    return judgeSmtpFailure(failure).kind;
  }
}

async function checkAll(cases: readonly Case[]): Promise<void> {
  const results = await Promise.allSettled(cases.map(async (one) => {
    if (one.rules.some(({ action }) => needsLimit(action))) return await check(one);
    using _permit = await busy.acquire();
    await check(one);
  }));
  const failures = results.filter((result) => result.status === "rejected");
  const text = failures.map(({ reason }) => (reason as Error).message).join("\n");
  assert.equal(failures.length, 0, `${failures.length} of ${cases.length} cases:\n${text}`);
}

function rule(stage: FaultStage, action: FaultAction, times = 1): FaultRule {
  return { stage, action, times };
}

suite("faults", { concurrency: true }, () => {
  for (const [stage, faults] of Object.entries(expected)) {
    test(`send() returns the right outcome for each fault at ${stage}`, async () => {
      const cases = Object.entries(faults).flatMap(([fault, outcomes]) =>
        ([[], ["PIPELINING"]] as const).map((hide) => ({
          name: `${fault} at ${stage}${hide.length ? " without pipelining" : ""}`,
          rules: [rule(stage as FaultStage, actions[fault as Fault])],
          outcomes,
          hide,
        }))
      );
      await checkAll(cases);
    });
  }

  const breaks = ["close", "reset", "silence", "421", "4xx", "5xx"] as const;

  test("send() defers a mail when the server fails before there is a session", async () => {
    const cases = (["connect", "starttls", "tls"] as const).flatMap((stage) =>
      (["starttls", "implicit"] as const).flatMap((tls) =>
        breaks
          .filter((fault) => stage === "starttls" || actions[fault].do !== "reply")
          .filter(() => stage !== "starttls" || tls === "starttls")
          .map((fault): Case => ({
            name: `${fault} at ${stage} with ${tls}`,
            rules: [rule(stage, actions[fault])],
            outcomes: ["defer"],
            tls,
          }))
      )
    );
    await checkAll(cases);
  });

  test("send() sends nothing in plain text when encryption is stripped, injected into or broken", async () => {
    const attacks: [FaultStage, FaultAction, Outcome][] = [
      ["ehlo", { do: "strip" }, "defer"],
      ["starttls", { do: "inject", text: "250-x\r\n250 AUTH PLAIN\r\n" }, "sent"],
      ["tls", { do: "garbage" }, "defer"],
      ["starttls", { do: "reply", reply: "454 4.7.0 no TLS now" }, "defer"],
      ["starttls", { do: "endless" }, "defer"],
      ["starttls", { do: "blank" }, "defer"],
    ];
    await checkAll(attacks.map(([stage, action, outcome]): Case => ({
      name: `${action.do} at ${stage}`,
      rules: [rule(stage, action)],
      outcomes: [outcome],
      tls: "starttls",
    })));
  });

  test("send() defers a mail that breaks off inside of its content", async () => {
    const bodies: [FaultAction, readonly Outcome[]][] = [
      [actions.close, ["defer"]],
      [actions.reset, ["defer"]],
      [actions["421"], ["defer"]],
      [actions["4xx"], ["defer"]],
      [actions["5xx"], ["fail"]],
      [{ do: "reply", reply: "250 2.0.0 OK" }, ["defer"]],
      [actions.endless, ["defer"]],
      [actions["empty lines"], ["defer"]],
      [{ do: "delay", ms: 100 }, ["sent"]],
    ];
    // The kernel accepts the rest of the content although the server has closed: the notice takes a moment.
    const contents = [[raw, 1, 250], [large, 1, 250], [large, 1_000_000, 250]] as const;
    for (const [content, atByte, admissionMs] of contents) {
      await checkAll(bodies.map(([action, outcomes]): Case => ({
        name: `${JSON.stringify(action)} in ${content.length} bytes at ${atByte}`,
        rules: [rule("body", { ...action, atByte })],
        outcomes,
        raw: content,
        admissionMs,
      })));
    }
  });

  test("send() defers a mail that its server stops reading", async () => {
    await checkAll([{
      name: "a stall",
      rules: [rule("body", { do: "stall", ms: 2 * limits.stallMs })],
      outcomes: ["defer"],
      raw: huge,
    }]);
  });

  test("send() does not blame a mail for the session before it", async () => {
    await checkAll(
      Object.entries(actions).flatMap(([fault, action]): Case[] => [{
        name: `${fault} at rset`,
        rules: [rule("rcpt", actions["5xx"]), rule("rset", action)],
        before: ["fail"],
        // Mails that reach the limit are given up; the others get a connection of their own.
        outcomes: ["sent", "defer"],
      }, {
        name: `${fault} at quit`,
        rules: [rule("quit", action)],
        before: ["sent"],
        outcomes: ["sent"],
        maxMails: 1,
      }]),
    );
  });
});

test("send() uses no more memory than a reply may have, whatever a server sends", async () => {
  await using faulty = await openFaultySmtp({ keep: false });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost, ...limitsOf(1000) });
  const integration = { key: "1", host: "127.0.0.1", port: faulty.port, tls: "none", auth: null };
  const before = process.memoryUsage().rss;
  for (const action of ["endless", "long_line", "blank"] as const) {
    faulty.behave(planOf([{ stage: "ehlo", action: { do: action } }]));
    for (let count = 0; count < 10; count++) {
      const mail = { integration: integration as SmtpIntegration, envelope, raw };
      await assert.rejects(pool.send(mail), { fault: "lost", unknown: false });
    }
  }
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  assert.ok(grown < 60, `${grown} MB more after 30 floods`);
  assert.equal(pool.connections, 0);
});

test("send() stays below a server's limit of connections and keeps its throughput", async () => {
  for (const [allowed, dotMs] of [[3, 10], [1, 0]] as const) {
    const plan = planOf([{ stage: "dot", action: { do: "delay", ms: dotMs } }]);
    await using faulty = await openFaultySmtp({ limits: { connections: allowed }, plan });
    await using pool = openTransportPool({ ehloName: "x.example", resolveHost });
    const integration = { ...plain(faulty), maxConnections: 5 };
    const results = await Promise.allSettled(
      Array.from({ length: 120 }, () => pool.send({ integration, envelope, raw })),
    );
    const refused = results.filter((result) => result.status === "rejected");
    assert.equal(
      refused.length,
      0,
      `${refused.length} mails were deferred for want of a connection`,
    );
    assert.equal(faulty.counts.accepted, 120);
    assert.ok(faulty.counts.peak <= 5);
    assert.ok(
      faulty.counts.connections <= 8,
      `${faulty.counts.connections} connections for 120 mails`,
    );
  }
});

test("send() does not wait for a connection when its server refuses them all", async () => {
  await using faulty = await openFaultySmtp({ limits: { connections: 0 } });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost });
  const mail = { integration: { ...plain(faulty), maxConnections: 5 }, envelope, raw };
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => pool.send(mail)));
  for (const result of results) {
    assert.ok(result.status === "rejected");
    assert.equal(result.reason.code, 421);
    assert.equal(judgeSmtpFailure(result.reason).kind, "defer");
  }
  assert.equal(pool.connections, 0);
});

test("send() defers what is above a server's rate, over connections that stay", async () => {
  await using faulty = await openFaultySmtp({ limits: { rate: { count: 10, perMs: 60_000 } } });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost });
  const integration = { ...plain(faulty), maxConnections: 2 };
  const kinds: Record<string, number> = {};
  for (let count = 0; count < 25; count++) {
    const kind = await pool.send({ integration, envelope, raw }).then(
      () => "sent",
      (failure) => `${failure.code} ${judgeSmtpFailure(failure).kind}`,
    );
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  assert.deepEqual(kinds, { sent: 10, "452 defer": 15 });
  assert.equal(faulty.counts.connections, 1);
});

test("send() is deferred by a greylist and accepted on the second try", async () => {
  await using faulty = await openFaultySmtp({ limits: { greylistMs: 50 } });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost });
  const integration = plain(faulty);
  await assert.rejects(pool.send({ integration, envelope, raw }), { code: 451, phase: "rcpt" });
  await sleep(100);
  await pool.send({ integration, envelope, raw });
  assert.equal(faulty.counts.accepted, 1);
});

function plain(faulty: FaultySmtp): SmtpIntegration {
  return { key: "1", host: "127.0.0.1", port: faulty.port, tls: "none", auth: null };
}

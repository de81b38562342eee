import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type {
  ClientLine,
  FeedEvent,
  ServiceLedger,
  ServiceMessage,
  SinkLine,
  SunkMail,
} from "./records.ts";
import type { Reading } from "./feed.ts";
import { countStarved, reconcile, type Records, type Terms, type Violation } from "./reconcile.ts";

const TERMS: Terms = { unanswered: false, hold: false, memoryMb: 600 };

type Answer = Extract<ClientLine, { type: "answer" }>;
type Refusal = Extract<SinkLine, { type: "refusal" }>;

function message(n: number, more: Partial<ServiceMessage> = {}): ServiceMessage {
  return {
    id: `msg_${n}`,
    sendId: "snd_1",
    email: `n${n}@r.example`,
    acceptedAt: 1000,
    state: "sent",
    attempt: 1,
    reason: null,
    reply: { code: 250, response: `250 2.0.0 OK queued as ${n}` },
    timeline: [
      { at: 1010, type: "sending", attempt: 1 },
      { at: 1030, type: "sent", attempt: 1 },
    ],
    ...more,
  };
}

function sunk(n: number, more: Partial<SunkMail> = {}): SunkMail {
  return {
    type: "mail",
    at: 1020,
    mailer: "mailer-1",
    to: [`n${n}@r.example`],
    messageId: `<msg_${n}@sender.example>`,
    subject: `Chaos 1 to n${n}`,
    toHeader: `n${n}@r.example`,
    sha256: `hash-${n}`,
    pdfs: [{ sha256: "the-pdf", whole: true }],
    reply: `250 2.0.0 OK queued as ${n}`,
    taken: true,
    fault: null,
    ambiguous: false,
    ...more,
  };
}

function refusal(n: number, more: Partial<Refusal> = {}): Refusal {
  return {
    type: "refusal",
    at: 1020,
    to: `n${n}@r.example`,
    stage: "rcpt",
    code: 550,
    ...more,
  };
}

function answer(more: Partial<Answer> = {}): Answer {
  return {
    type: "answer",
    key: "r-0",
    at: 1001,
    ms: 20,
    status: 200,
    sendId: "snd_1",
    messages: [1, 2].map((n) => ({ id: `msg_${n}`, email: `n${n}@r.example` })),
    ...more,
  };
}

/** Returns the feed that agrees with a ledger. */
function feedOf({ sends, messages }: ServiceLedger): FeedEvent[] {
  const none = { messageId: undefined, attempt: undefined };
  return [
    ...messages.flatMap(eventsOf),
    ...sends.filter(({ settled }) => settled).map(({ id: sendId }) => ({
      ...{ id: `evt_${sendId}`, ...none, sendId },
      type: "send.settled",
    })),
  ].map((event, position) => ({ ...event, sequence: position + 1 }));
}

const OUTCOMES = ["deferred", "unknown", "failed", "sent"];

/** Returns the events of a message: one for each outcome in its timeline, and one of its state. */
function eventsOf({ id: messageId, sendId, attempt, state, timeline }: ServiceMessage) {
  // A failure before the mailer closes the attempt that was not made.
  const lines = timeline.filter(({ type }) => OUTCOMES.includes(type))
    .map((line) => line.type === "failed" ? { ...line, attempt } : line);
  if (lines.at(-1)?.type !== state) lines.push({ at: 0, type: state, attempt });
  const kinds = new Map(lines.map((line) => [`${line.type}_${line.attempt}`, line]));
  return [...kinds].map(([kind, line]) => ({
    id: `evt_${messageId}_${kind}`,
    ...{ messageId, sendId, attempt: line.attempt, type: `message.${line.type}` },
  }));
}

/** Returns the records of a good run: a request for two mails, and one that was refused. */
function good(): Records {
  const mails = [1, 2, 3].map((n) => ({
    email: `n${n}@r.example`,
    n,
    pdfs: ["shared" as const],
  }));
  return {
    client: [
      { type: "ask", key: "r-0", kind: "good", at: 1000, mails: mails.slice(0, 2) },
      answer(),
      { type: "ask", key: "r-1", kind: "refused", at: 1000, mails: mails.slice(2) },
      { type: "answer", key: "r-1", at: 1002, ms: 5, status: 400, body: "n is missing" },
    ],
    service: {
      sends: [{ id: "snd_1", key: "r-0", messageCount: 2, settled: true }],
      messages: [message(1), message(2)],
    },
    broker: {
      streams: { RENDER: 0, MAIL: 0 },
      consumers: { mailer_bulk: { unsettled: 0, waiting: 0 } },
    },
    feed: [],
    read: { events: [], refusals: [] },
    sink: [sunk(1), sunk(2)],
    interruptions: [],
    residue: {
      ...{ deaths: [], uncaught: [], strays: [], surplus: [] },
      memory: [{ pod: "api-1", now: 100 }],
    },
    leaks: [],
    quiet: { boundMs: 60_000, lastMs: 2000, late: [] },
  };
}

/** Returns the problems of a good run after a change. */
function problemsOf(change: (records: Records) => void, terms = TERMS): Violation[] {
  const records = good();
  change(records);
  return reconcile(withFeed(records), terms).problems;
}

/** Returns the problems of a good run with another feed. */
function problemsOfFeed(change: (feed: FeedEvent[]) => FeedEvent[]): Violation[] {
  const records = good();
  const feed = change(feedOf(records.service));
  return reconcile({ ...records, feed, read: readingOf(feed) }, TERMS).problems;
}

/** Returns a feed whose events have the numbers of their positions. */
function numbered(feed: readonly (FeedEvent | undefined)[]): FeedEvent[] {
  return feed.filter((event) => event !== undefined)
    .map((event, position) => ({ ...event, sequence: position + 1 }));
}

/** Adds the feed that agrees with the ledger, and a reading of it. */
function withFeed(records: Records): Records {
  const feed = feedOf(records.service);
  return { ...records, feed, read: readingOf(feed) };
}

/** Returns what a program that read a feed without a fault got. */
function readingOf(feed: readonly FeedEvent[]): Reading {
  return { events: feed.map(({ id, sequence }) => ({ id, sequence })), refusals: [] };
}

/** Returns the problems of a good run whose feed a program read in another way. */
function problemsOfReading(change: (reading: Reading) => Reading): Violation[] {
  const records = good();
  const feed = feedOf(records.service);
  return reconcile({ ...records, feed, read: change(readingOf(feed)) }, TERMS).problems;
}

function assertRed(invariant: Violation["invariant"], what: RegExp, problems: Violation[]) {
  const found = problems.filter((problem) => problem.invariant === invariant);
  assert.ok(found.some((problem) => what.test(problem.what)), JSON.stringify(problems));
}

/** Adds a second copy of the first mail, as the second attempt of another mailer. */
function twice(records: Records, first: Partial<SunkMail> = {}) {
  records.sink = [
    sunk(1, {
      ...first,
      reply: first.reply === undefined ? "250 2.0.0 OK queued as 9" : first.reply,
    }),
    sunk(1, { at: 9000, mailer: "mailer-2" }),
    sunk(2),
  ];
  records.service.messages[0] = message(1, {
    attempt: 2,
    timeline: [
      { at: 1010, type: "sending", attempt: 1 },
      { at: 8990, type: "sending", attempt: 2 },
      { at: 8991, type: "unknown", attempt: 1, ambiguous: true },
      { at: 9010, type: "sent", attempt: 2 },
    ],
  });
}

test("reconcile() finds nothing wrong with records that agree, and adds up", () => {
  const records = good();
  const { problems, figures } = reconcile(withFeed(records), TERMS);
  assert.deepEqual(problems, []);
  assert.deepEqual(figures, {
    accepted: 2,
    sent: 2,
    failed: 0,
    unknown: 0,
    duplicates: 0,
    ambiguous: 0,
    lost: 0,
    invented: 0,
  });
});

describe("reconcile() sees what is lost (I1):", () => {
  test("an accepted send that is not in the ledger", () => {
    assertRed("I1", /nowhere/, problemsOf(({ service }) => service.sends = []));
  });
  test("a recipient fewer than were asked for", () => {
    const problems = problemsOf(({ service }) => {
      for (const send of service.sends) send.messageCount = 1;
    });
    assertRed("I1", /2 recipients became 1/, problems);
  });
  test("a message that is not in the ledger", () => {
    assertRed("I1", /not in the ledger/, problemsOf(({ service }) => service.messages.pop()));
  });
  test("a message that stays on its way though its send is settled", () => {
    const problems = problemsOf(({ service, sink }) => {
      service.messages[1] = message(2, { state: "deferred", attempt: 1 });
      sink.pop();
    });
    assertRed("I1", /stays "deferred"/, problems);
  });
  test("a message that is sent without a copy", () => {
    assertRed("I1", /never arrived/, problemsOf(({ sink }) => sink.pop()));
  });
  test("a copy that the server lost with the connection, and that is taken for sent", () => {
    const problems = problemsOf(({ sink }) =>
      sink[1] = sunk(2, { taken: false, reply: null, ambiguous: true })
    );
    assertRed("I1", /never arrived/, problems);
  });
  test("a failure without a reason, and one of a mail that arrived", () => {
    const failed = (reason: string | null, code = 550, terms = TERMS) =>
      problemsOf(({ service }) =>
        service.messages[1] = message(2, {
          state: "failed",
          reason,
          reply: { code },
          timeline: [
            { at: 1010, type: "sending", attempt: 1 },
            { at: 1030, type: "failed", attempt: 1 },
          ],
        }), terms);
    assertRed("I1", /without a reason/, failed(null));
    assertRed("I1", /counts as failed and arrived/, failed("It was refused"));
    assertRed("I1", /no server refused it.*Given up/, failed("Given up", 451));
    const allowed = failed("Given up", 451, { ...TERMS, mayFail: /^Given up$/ });
    assert.ok(!allowed.some(({ what }) => what.includes("no server refused it")));
  });
  test("a message that is held without an unknown outcome, or where nothing may be held", () => {
    const held = (ambiguous: boolean, terms: Terms) =>
      problemsOf(({ service, sink }) => {
        service.messages[1] = message(2, {
          state: "unknown",
          reason: "nobody knows",
          timeline: [
            { at: 1010, type: "sending", attempt: 1 },
            { at: 1030, type: "unknown", attempt: 1 },
          ],
        });
        sink[1] = sunk(2, { ambiguous, reply: null });
      }, terms);
    assert.deepEqual(held(true, { ...TERMS, hold: true }), []);
    assertRed("I1", /stays "unknown"/, held(false, { ...TERMS, hold: true }));
    assertRed("I1", /stays "unknown"/, held(true, TERMS));
  });
});

describe("reconcile() sees what is invented (I2):", () => {
  test("mail that nobody asked for", () => {
    assertRed("I2", /nobody asked for/, problemsOf(({ sink }) => sink.push(sunk(7))));
  });
  test("mail of a request that was refused", () => {
    assertRed("I2", /answered with 400/, problemsOf(({ sink }) => sink.push(sunk(3))));
  });
  test("but not mail of a request whose answer was lost", () => {
    const problems = problemsOf(({ client, sink, service }) => {
      client[3] = { type: "no_answer", key: "r-1", at: 1, ms: 1, reason: "ECONNRESET" };
      sink.push(sunk(3));
      service.messages.push(message(3, { sendId: "snd_2" }));
      service.sends.push({ id: "snd_2", key: "r-1", messageCount: 1, settled: true });
    }, { ...TERMS, unanswered: true });
    assert.deepEqual(problems, []);
  });
  test("a send of a request that was refused, of none, and two of one", () => {
    const withSend = (key: string) =>
      problemsOf(({ service }) =>
        service.sends.push({ id: "snd_2", key, messageCount: 1, settled: true })
      );
    assertRed("I2", /answered 400/, withSend("r-1"));
    assertRed("I2", /nobody asked for/, withSend("r-7"));
    assertRed("I2", /became 2 sends/, withSend("r-0"));
  });
  test("two recipients in one transaction", () => {
    const problems = problemsOf(({ sink }) =>
      sink[0] = sunk(1, { to: ["n1@r.example", "n2@r.example"] })
    );
    assertRed("I2", /shared one transaction/, problems);
  });
});

describe("reconcile() sees mail that came twice (I3):", () => {
  test("without any doubt", () => {
    assertRed(
      "I3",
      /came 2 times.*0 unknown outcomes/,
      problemsOf((records) => twice(records)),
    );
  });
  test("but not after a cut behind the dot, which is counted", () => {
    const records = good();
    twice(records, { ambiguous: true, reply: null, fault: "dot.drop" });
    const { problems, figures } = reconcile(withFeed(records), TERMS);
    assert.deepEqual(problems, []);
    assert.deepEqual([figures.duplicates, figures.ambiguous], [1, 1]);
  });
  test("but not where the mailer was killed right after the dot", () => {
    const interrupted = (at: number, mailer = "mailer-1") =>
      problemsOf((records) => {
        twice(records);
        records.interruptions = [{ mailer, kind: "killed", at }];
      });
    assert.deepEqual(interrupted(1100), []);
    assert.deepEqual(interrupted(900), []);
    assertRed("I3", /came 2 times/, interrupted(10));
    assertRed("I3", /came 2 times \(mailer-1 at 1020 \(killed 6980 ms later\)/, interrupted(8000));
    assertRed("I3", /came 2 times/, interrupted(1100, "mailer-2"));
  });
  test("where the mailer was killed right after the dot, and yet had written the outcome", () => {
    const problems = problemsOf((records) => {
      twice(records);
      records.interruptions = [{ mailer: "mailer-1", kind: "killed", at: 1100 }];
      records.service.messages[0]?.timeline.splice(1, 0, {
        at: 1050,
        type: "deferred",
        attempt: 1,
      });
    });
    assertRed("I3", /came 2 times.*0 unknown outcomes/, problems);
  });
  test("without a mark in the timeline", () => {
    const problems = problemsOf((records) => {
      twice(records, { ambiguous: true, reply: null });
      records.service.messages[0]?.timeline.splice(2, 1);
    });
    assertRed("I3", /says so 0 times/, problems);
  });
  test("more often than there were unknowns", () => {
    const problems = problemsOf((records) => {
      twice(records, { ambiguous: true, reply: null });
      records.sink.push(
        sunk(1, { at: 9500, mailer: "mailer-2", reply: "250 2.0.0 OK queued as 10" }),
      );
    });
    assertRed("I3", /came 3 times.*1 unknown outcomes/, problems);
  });
});

describe("reconcile() sees wrong content (I4):", () => {
  test("other bytes or another Message-ID at a later attempt", () => {
    const changed = (more: Partial<SunkMail>) =>
      problemsOf((records) => {
        twice(records, { ambiguous: true, reply: null });
        records.sink[1] = sunk(1, { ...more, at: 9000 });
      });
    assertRed("I4", /different bytes/, changed({ sha256: "other" }));
    assertRed("I4", /2 Message-IDs/, changed({ messageId: "<other@sender.example>" }));
  });
  test("a mail of another message, with another's subject, or addressed to another", () => {
    const changed = (more: Partial<SunkMail>) => problemsOf(({ sink }) => sink[0] = sunk(1, more));
    assertRed("I4", /not that of msg_1/, changed({ messageId: "<msg_2@sender.example>" }));
    assertRed("I4", /got "Chaos 1 to n2"/, changed({ subject: "Chaos 1 to n2" }));
    assertRed("I4", /whose To is/, changed({ toHeader: "n2@r.example" }));
  });
  test("the PDF of mail that was accepted in another hour, which its creation time says, is another", () => {
    const inHour = (hour: number) => (records: Records) => {
      records.service.messages[0] = message(1, { acceptedAt: hour * 3_600_000 + 1000 });
      records.sink[0] = sunk(1, { pdfs: [{ sha256: "other", whole: true }] });
    };
    assertRed("I4", /came with 2 contents/, problemsOf(inHour(0)));
    const problems = problemsOf(inHour(1));
    assert.ok(problems.every(({ what }) => !/contents/.test(what)), JSON.stringify(problems));
  });
  test("a PDF too few, a damaged one, and one that differs from its duplicate", () => {
    const withPdfs = (pdfs: SunkMail["pdfs"]) =>
      problemsOf(({ sink }) => sink[0] = sunk(1, { pdfs }));
    assertRed("I4", /got 0 PDFs/, withPdfs([]));
    assertRed("I4", /damaged PDF/, withPdfs([{ sha256: "the-pdf", whole: false }]));
    assertRed("I4", /came with 2 contents/, withPdfs([{ sha256: "other", whole: true }]));
  });
});

describe("reconcile() sees what is not true (I5):", () => {
  const timeline = (entries: [type: string, attempt: number][], more = {}) =>
    problemsOf(({ service }) =>
      service.messages[0] = message(1, {
        timeline: entries.map(([type, attempt], at) => ({ at, type, attempt })),
        ...more,
      })
    );
  test("a timeline that goes back, ends twice or leaves an attempt out", () => {
    assertRed(
      "I5",
      /goes on after "sent"/,
      timeline([["sending", 1], ["sent", 1], ["sending", 2]]),
    );
    assertRed("I5", /as sent and as sent/, timeline([["sending", 1], ["sent", 1], ["sent", 1]]));
    assertRed("I5", /attempt 2 follows 0/, timeline([["sending", 2], ["sent", 2]]));
    assertRed("I5", /1 attempts out of 2/, timeline([["sending", 1], ["sent", 1]], { attempt: 2 }));
    assertRed("I5", /ends as "undefined"/, timeline([["sending", 1]]));
  });
  test("a reply that no copy got", () => {
    const problems = problemsOf(({ sink }) =>
      sink[0] = sunk(1, { reply: "250 2.0.0 OK queued as 7" })
    );
    assertRed("I5", /which no copy got/, problems);
  });
  test("a mail that is sent though it was refused for good", () => {
    assertRed("I5", /refused it for good/, problemsOf(({ sink }) => sink.push(refusal(1))));
  });
  test("a mail that failed though it was only deferred", () => {
    const failed = (reported: number, said: number) =>
      problemsOf(({ service, sink }) => {
        service.messages[0] = message(1, {
          state: "failed",
          reason: "The server refused the address",
          reply: { code: reported },
          timeline: [
            { at: 1, type: "sending", attempt: 1 },
            { at: 2, type: "failed", attempt: 1 },
          ],
        });
        sink[0] = refusal(1, { code: said });
      });
    assertRed("I5", /never refused it for good/, failed(550, 451));
    assert.deepEqual(failed(550, 550), []);
  });
});

test("reconcile() takes a success that was known late for what it is, and nothing else for one", () => {
  const reported = (type: string, ambiguous: boolean) =>
    problemsOf(({ service }) =>
      service.messages[0] = message(1, {
        attempt: 2,
        timeline: [
          { at: 1010, type: "sending", attempt: 1 },
          { at: 8000, type, attempt: 1, ambiguous },
          { at: 1010, type: "sending", attempt: 1 },
          { at: 1030, type: "sent", attempt: 1 },
        ],
      })
    );
  assert.deepEqual(reported("unknown", true), []);
  assert.deepEqual(reported("deferred", true), []);
  assertRed("I5", /ended as deferred and as sent/, reported("deferred", false));
});

test("reconcile() takes a refusal that was known late for what it is, and nothing else for one", () => {
  const reported = (type: string, ambiguous: boolean, next = "deferred") =>
    problemsOf(({ service }) =>
      service.messages[0] = message(1, {
        attempt: 2,
        timeline: [
          { at: 1010, type: "sending", attempt: 1 },
          { at: 8000, type, attempt: 1, ambiguous },
          { at: 9000, type: next, attempt: 1, ambiguous: next === "unknown" },
          { at: 9010, type: "sending", attempt: 2 },
          { at: 9030, type: "sent", attempt: 2 },
        ],
      })
    );
  assert.deepEqual(reported("unknown", true), []);
  assertRed("I5", /ended as unknown and as deferred/, reported("unknown", false));
  assertRed("I5", /ended as failed and as deferred/, reported("failed", true));
  assertRed("I5", /ended as unknown and as unknown/, reported("unknown", true, "unknown"));
});

test("reconcile() knows that a failure before the mailer closes the attempt that was not made", () => {
  const failed = (attempt: number) =>
    problemsOf(({ service, sink }) => {
      service.messages[1] = message(2, {
        ...{ state: "failed", attempt, reason: "A PDF", reply: null },
        timeline: [{ at: 1010, type: "failed", attempt: 0 }],
      });
      sink.pop();
    }, { ...TERMS, mayFail: /^A PDF$/ });
  assert.deepEqual(failed(1), []);
  assertRed("I5", /reports 0 attempts out of 2/, failed(2));
});

describe("reconcile() sees what is late (I9), and blames nothing else for it:", () => {
  const only = (what: RegExp, problems: Violation[]) => {
    assert.deepEqual(problems.map(({ invariant }) => invariant), ["I9"]);
    assert.match(problems[0]?.what ?? "", what);
  };
  test("a message that waits for ever", () => {
    only(
      /msg_2 stayed "deferred" and did not end; the bound is 60 s/,
      problemsOf(({ service, sink }) => {
        for (const send of service.sends) send.settled = false;
        service.messages[1] = message(2, { state: "deferred", attempt: 0, timeline: [] });
        sink.pop();
      }),
    );
  });
  test("messages of which the ledger knows their send alone", () => {
    only(
      /snd_1 stayed "queued" and did not end/,
      problemsOf(({ service, sink }) => {
        for (const send of service.sends) send.settled = false;
        service.messages.pop();
        sink.pop();
      }),
    );
  });
  test("a message that ended after its time", () => {
    only(
      /2 mails of snd_1 stayed "queued" 60 s after the last fault, and ended later/,
      problemsOf(({ quiet }) => quiet.late = [{ sendId: "snd_1", state: "queued", count: 2 }]),
    );
  });
});

describe("reconcile() sees what is left over (I6):", () => {
  test("events, unsettled deliveries, unsettled sends", () => {
    assertRed("I6", /3 events/, problemsOf(({ broker }) => broker.streams["MAIL"] = 3));
    const unsettled = { unsettled: 2, waiting: 0 };
    assertRed("I6", /2 unsettled/, problemsOf(({ broker }) => broker.consumers["x"] = unsettled));
    const problems = problemsOf(({ service }) => {
      for (const send of service.sends) send.settled = false;
    });
    assertRed("I6", /not settled/, problems);
    const open = (state: string) => (records: Records) => {
      records.service.sends = records.service.sends.map((send) => ({ ...send, settled: false }));
      records.service.messages[0] = message(1, { state });
    };
    const isLeft = (state: string) =>
      problemsOf(open(state), { ...TERMS, hold: true }).some(({ what }) =>
        /not settled/.test(what)
      );
    // An unknown outcome waits for a person, and its send with it.
    assert.deepEqual([isLeft("unknown"), isLeft("sent")], [false, true]);
  });
  test("deaths, errors that nobody caught, processes without a master, memory", () => {
    assertRed("I6", /ended/, problemsOf(({ residue }) => residue.deaths.push("api-1 ended")));
    assertRed("I6", /stray/, problemsOf(({ residue }) => residue.uncaught.push("a stray error")));
    assertRed("I6", /without a master/, problemsOf(({ residue }) => residue.strays.push("7 x")));
    const fat = { pod: "api-1", now: 601 };
    assertRed("I6", /601 MB/, problemsOf(({ residue }) => residue.memory.push(fat)));
  });
  test("a service that holds more than a fresh one", () => {
    const problems = problemsOf(({ residue }) => residue.surplus.push("api-1 holds 90 open files"));
    assertRed("I6", /90 open files/, problems);
  });
});

describe("reconcile() sees secrets that got out (I7):", () => {
  const leak = "the password in base64";
  test("in a mail, in an answer, and wherever else one was found", () => {
    assertRed("I7", /mail to n1@/, problemsOf(({ sink }) => sink[0] = sunk(1, { leaks: [leak] })));
    const answered = problemsOf(({ client }) => client[1] = answer({ leaks: [leak] }));
    assertRed("I7", /An answer 200 holds the password/, answered);
    assertRed("I7", /^api-1 logged/, problemsOf(({ leaks }) => leaks.push(`api-1 logged ${leak}`)));
  });
  test("each once, however often it was seen", () => {
    const problems = problemsOf(({ leaks }) => leaks.push("api-1 logged it", "api-1 logged it"));
    assert.equal(problems.length, 1);
  });
});

describe("reconcile() sees dishonest answers (I8):", () => {
  const answered = (more: Partial<Answer>) =>
    problemsOf(({ client }) => client.splice(1, 0, answer(more)));
  test("a refusal that is no 429 or 503, that comes late or without Retry-After", () => {
    const refused = { status: 503, ms: 100, retryAfter: "2", sendId: undefined };
    const { sendId: _, ...rest } = refused;
    const without = (more: Partial<Answer>) =>
      problemsOf(({ client }) => {
        const { sendId: _id, messages: _messages, ...bare } = answer({ ...rest, ...more });
        client.splice(1, 0, bare);
      });
    assert.deepEqual(without({}), []);
    assertRed("I8", /answered 500/, without({ status: 500 }));
    assertRed("I8", /after 2001 ms/, without({ ms: 2001 }));
    assert.deepEqual(without({ ms: 2600, withoutProcessorMs: 600 }), []);
    assertRed("I8", /after 2601 ms, 600 without/, without({ ms: 2601, withoutProcessorMs: 600 }));
    const times = [[2600, 600], [2601, 600], [2000, 600], [2001, 0]] as const;
    const lines = times.map(([ms, withoutProcessorMs]) =>
      answer({ ...rest, ms, withoutProcessorMs })
    );
    assert.equal(countStarved(lines), 1);
    assertRed("I8", /without Retry-After/, without({ retryAfter: "" }));
  });
  test("an answer that differs from an earlier one, and none at all", () => {
    assertRed("I8", /2 different sends/, answered({ sendId: "snd_2" }));
    const nothing: ClientLine = { type: "no_answer", key: "r-0", at: 1, ms: 1, reason: "reset" };
    assertRed("I8", /got no answer/, problemsOf(({ client }) => client.splice(1, 0, nothing)));
  });
  test("a 200 for a request that is no good", () => {
    const problems = problemsOf(({ client }) => client[3] = answer({ key: "r-1" }));
    assertRed("I8", /accepted without its variable/, problems);
  });
});

describe("reconcile() sees what is wrong with the feed (I11), and blames nothing else for it:", () => {
  const only = (what: RegExp, problems: Violation[]) => {
    assert.deepEqual([...new Set(problems.map(({ invariant }) => invariant))], ["I11"]);
    assert.match(problems[0]?.what ?? "", what);
  };
  test("a hole", () => {
    only(
      /number 2 of the feed is 3/,
      problemsOfFeed((feed) =>
        feed.map((event) => ({ ...event, sequence: event.sequence + (event.sequence > 1 ? 1 : 0) }))
      ),
    );
  });
  test("an event that is missing, and one that is there twice", () => {
    only(
      /msg_1 is sent, and the last of it in the feed is no event/,
      problemsOfFeed((feed) =>
        feed.slice(1).map((event, position) => ({ ...event, sequence: position + 1 }))
      ),
    );
    only(
      /message.sent 1 of msg_1 is in the feed more than once/,
      problemsOfFeed((feed) =>
        [...feed.slice(0, 1), ...feed].map((event, position) => ({
          ...event,
          sequence: position + 1,
        }))
      ),
    );
  });
  test("an outcome after that of a later attempt", () => {
    only(
      /message.deferred 1 of msg_1 is in the feed after a later attempt/,
      problemsOfFeed(([first, ...more]) =>
        first === undefined ? [] : [
          { ...first, id: "evt_a", type: "message.deferred", attempt: 2 },
          { ...first, id: "evt_b", type: "message.deferred", attempt: 1 },
          { ...first, attempt: 3 },
          ...more,
        ].map((event, position) => ({ ...event, sequence: position + 1 }))
      ),
    );
  });
  test("an event after the end of its message, and one of nothing in the ledger", () => {
    const ended = (type: string) => (feed: FeedEvent[]) =>
      numbered(
        feed.flatMap((event, position) =>
          position === 0 ? [{ ...event, id: "evt_a", type }, event] : [event]
        ),
      );
    assert.deepEqual(problemsOfFeed(ended("message.failed")), []);
    // A frozen mailer learns that its attempt succeeded, after another mailer has sent the mail.
    assert.deepEqual(
      problemsOfFeed(([first, ...more]) =>
        numbered([first && { ...first, id: "evt_a", attempt: 2 }, first, ...more])
      ),
      [],
    );
    only(
      /message.sent of msg_1 is in the feed after its end/,
      problemsOfFeed(([first, ...more]) =>
        numbered([first, first && { ...first, id: "evt_a", attempt: 2 }, ...more])
      ),
    );
    only(
      /evt_a of the feed is of nothing in the ledger/,
      problemsOfFeed(([first, ...more]) =>
        numbered([first && { ...first, id: "evt_a", messageId: "msg_9" }, first, ...more])
      ),
    );
  });
  test("an outcome of an earlier attempt that is missing", () => {
    const records = good();
    records.service.messages[0] = message(1, {
      attempt: 2,
      timeline: [
        { at: 1000, type: "queued", attempt: 0 },
        { at: 1010, type: "sending", attempt: 1 },
        { at: 1020, type: "deferred", attempt: 1 },
        { at: 1030, type: "sending", attempt: 2 },
        { at: 1040, type: "sent", attempt: 2 },
      ],
    });
    const whole = feedOf(records.service);
    const problemsWith = (events: FeedEvent[]) => {
      const feed = events.map((event, position) => ({ ...event, sequence: position + 1 }));
      return reconcile({ ...records, feed, read: readingOf(feed) }, TERMS).problems
        .filter(({ invariant }) => invariant === "I11");
    };
    assert.deepEqual(problemsWith(whole), []);
    only(/message.deferred 1 of msg_1 is not in the feed/, problemsWith(whole.slice(1)));
  });
  test("a reader that missed an event, got one twice, or was refused", () => {
    only(
      /a reader of the feed got evt_snd_1, number 3 instead of evt_msg_2_sent_1, number 2/,
      problemsOfReading(({ events, ...rest }) => ({
        ...rest,
        events: events.filter(({ sequence }) => sequence !== 2),
      })),
    );
    only(
      /got evt_msg_1_sent_1, number 1 instead of evt_msg_2_sent_1/,
      problemsOfReading(({ events, ...rest }) => ({
        ...rest,
        events: [...events.slice(0, 1), ...events],
      })),
    );
    only(
      /got nothing instead of evt_snd_1/,
      problemsOfReading(({ events, ...rest }) => ({ ...rest, events: events.slice(0, 2) })),
    );
    only(
      /was answered 410/,
      problemsOfReading((reading) => ({ ...reading, refusals: ["410: gone"] })),
    );
    const later = { id: "evt_later", sequence: 4 };
    assert.deepEqual(
      problemsOfReading((reading) => ({ ...reading, events: [...reading.events, later] })),
      [],
    );
  });
  test("a send that is settled before its messages end, or never", () => {
    only(
      /message.sent of msg_2 is in the feed after its send was settled/,
      problemsOfFeed(([first, second, third]) => numbered([first, third, second])),
    );
    // A frozen mailer may learn after all mail has ended that its attempt succeeded too.
    assert.deepEqual(
      problemsOfFeed(([first, ...more]) =>
        numbered([first && { ...first, id: "evt_a", attempt: 2 }, ...more, first])
      ),
      [],
    );
    only(
      /snd_1 is settled, and the feed says otherwise/,
      problemsOfFeed((feed) => feed.slice(0, -1)),
    );
  });
});

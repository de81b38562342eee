import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openFaultySmtp } from "./faulty_smtp.ts";
import { openFaultySmtpProcess } from "./faulty_smtp_child.ts";
import { type FaultAction, type FaultRule, type FaultStage, planOf } from "./faulty_smtp_plan.ts";
import { mayHaveTaken } from "./faulty_smtp_record.ts";
import { until } from "./until.ts";

const content = "Message-ID: <m1@example.com>\r\nSubject: hi\r\n\r\n..dot";
const mail = [
  "EHLO test",
  "MAIL FROM:<a@example.com>",
  "RCPT TO:<b@example.com>",
  "DATA",
  `${content}\r\n.`,
];

interface Talk {
  /** All received lines. */
  heard: string[];
  /** How it ended: by FIN, by RST, or not at all within `patienceMs` after the last step. */
  end: "fin" | "reset" | "silent";
}

/** Speaks raw SMTP: sends each step when the reply before it is whole. */
function talk(
  port: number,
  steps: readonly string[],
  { patienceMs = 300 } = {},
): Promise<Talk> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1").setNoDelay();
  let text = "";
  let next = 0;
  return new Promise((resolve) => {
    const done = (end: Talk["end"]) => {
      socket.destroy();
      resolve({ heard: text.split("\r\n").slice(0, -1), end });
    };
    socket.setTimeout(steps.length === 0 ? patienceMs : 1000, () => done("silent"));
    socket.on("error", () => done("reset"));
    socket.on("end", () => done("fin"));
    socket.on("data", (piece: string) => {
      text += piece;
      if (text.length > 100_000) return done("silent");
      if (!text.endsWith("\r\n") || /^\d{3}-[^\n]*\r\n$/m.test(text.slice(-40))) return;
      const step = steps[next++];
      if (step !== undefined) socket.write(`${step}\r\n`);
      if (next >= steps.length) socket.setTimeout(patienceMs);
    });
  });
}

function rule(stage: FaultStage, action: FaultAction): FaultRule {
  return { stage, action };
}

test("openFaultySmtp() accepts a mail and records it", async () => {
  await using faulty = await openFaultySmtp();
  const { heard, end } = await talk(faulty.port, [...mail, "QUIT"]);
  assert.equal(end, "fin");
  assert.equal(heard.at(-1), "221 2.0.0 Bye");
  const [record, ...others] = faulty.records;
  assert.equal(others.length, 0);
  assert.ok(record);
  const raw = "Message-ID: <m1@example.com>\r\nSubject: hi\r\n\r\n.dot\r\n";
  assert.equal(faulty.messages[0]?.raw.toString(), raw);
  assert.deepEqual(faulty.counts.violations, []);
  assert.deepEqual(record, {
    at: record.at,
    session: 1,
    client: "test",
    user: null,
    from: "a@example.com",
    to: ["b@example.com"],
    messageId: "<m1@example.com>",
    sha256: createHash("sha256").update(raw).digest("hex"),
    bytes: raw.length,
    finalDot: true,
    reply: "250 2.0.0 OK queued as 1",
    ambiguous: false,
    fault: null,
    faultStage: null,
  });
});

const atEachStage: [FaultStage, string[]][] = [
  ["greeting", []],
  ["ehlo", mail.slice(0, 1)],
  ["mail", mail.slice(0, 2)],
  ["rcpt", mail.slice(0, 3)],
  ["data", mail.slice(0, 4)],
  ["dot", mail],
  ["rset", ["RSET"]],
  ["quit", ["QUIT"]],
];

const eachEnd: [FaultAction, Talk["end"]][] = [
  [{ do: "close" }, "fin"],
  [{ do: "reset" }, "reset"],
  [{ do: "silence" }, "silent"],
  [{ do: "reply", reply: "421 4.3.2 closing" }, "fin"],
  [{ do: "reply", reply: "451 4.7.1 later" }, "silent"],
  [{ do: "reply", reply: "554 5.7.1 never" }, "silent"],
];

for (const [stage, steps] of atEachStage) {
  test(`openFaultySmtp() closes, resets, keeps silent or answers by its plan at ${stage}`, async () => {
    await Promise.all(eachEnd.map(async ([action, end]) => {
      await using faulty = await openFaultySmtp({ plan: planOf([rule(stage, action)]) });
      const talked = await talk(faulty.port, steps, { patienceMs: 300 });
      assert.equal(talked.end, end, action.do);
      assert.equal(talked.heard.length > 0 ? talked.heard.at(-1) : "", lastLine(stage, action));
      await until(() => faulty.records.length === 1, { message: "the record" });
      const [record] = faulty.records;
      assert.equal(record?.faultStage, stage);
      assert.equal(record.finalDot, stage === "dot");
      assert.equal(record.ambiguous, stage === "dot" && action.do !== "reply");
      assert.equal(mayHaveTaken(record), stage === "dot" && action.do !== "reply");
      assert.equal(record.reply, stage === "dot" && action.do === "reply" ? action.reply : null);
    }));
  });
}

/** Returns the last line that a client receives when the action meets the stage. */
function lastLine(stage: FaultStage, action: FaultAction): string {
  if (action.do === "reply") return action.reply;
  if (stage === "greeting") return "";
  if (stage === "ehlo" || stage === "rset" || stage === "quit") {
    return "220 faulty.example.com ESMTP";
  }
  if (stage === "mail") return "250 SIZE 0";
  return { rcpt: "250 2.1.0 OK", data: "250 2.1.5 OK", dot: "354 End data with <CR><LF>.<CR><LF>" }[
    stage as "rcpt" | "data" | "dot"
  ];
}

test("openFaultySmtp() breaks off inside of a content, and not before its byte", async () => {
  const action = { do: "reset", atByte: 20 } as const;
  await using faulty = await openFaultySmtp({ plan: planOf([rule("body", action)]) });
  const begin = mail.slice(0, 4);
  assert.equal((await talk(faulty.port, [...begin, "Short"])).end, "silent");
  assert.equal((await talk(faulty.port, [...begin, "Subject: long enough"])).end, "reset");
  await until(() => faulty.records.length === 2, { message: "two records" });
  assert.deepEqual(faulty.records.map((record) => record.fault), [null, "body reset 20"]);
  assert.ok(faulty.records.every((record) => !record.finalDot && record.bytes > 0));
});

test("openFaultySmtp() sends the right reply in pieces, before a FIN and before an RST", async () => {
  const ends: [FaultAction, Talk["end"], boolean][] = [
    [{ do: "trickle", ms: 0 }, "silent", false],
    [{ do: "reply_then_close" }, "fin", false],
    [{ do: "reply_then_reset" }, "reset", true],
    [{ do: "delay", ms: 20 }, "silent", false],
  ];
  for (const [action, end, ambiguous] of ends) {
    await using faulty = await openFaultySmtp({ plan: planOf([rule("dot", action)]) });
    const talked = await talk(faulty.port, mail);
    assert.equal(talked.end, end, action.do);
    assert.equal(talked.heard.at(-1), "250 2.0.0 OK queued as 1");
    assert.equal(faulty.records[0]?.reply, "250 2.0.0 OK queued as 1");
    assert.equal(faulty.records[0]?.ambiguous, ambiguous);
  }
});

test("openFaultySmtp() calls a reply ambiguous that did not end before its client", async () => {
  const plan = planOf([rule("dot", { do: "trickle", ms: 300 })]);
  await using faulty = await openFaultySmtp({ plan });
  await talk(faulty.port, mail, { patienceMs: 100 });
  await until(() => faulty.records.length === 1, { message: "the record" });
  assert.equal(faulty.records[0]?.reply, null);
  assert.equal(faulty.records[0]?.ambiguous, true);
});

test("openFaultySmtp() calls a reply ambiguous whose connection it resets in the same flight", async () => {
  const reset = { ...rule("mail", { do: "reset" }), address: "next@example.com" };
  await using faulty = await openFaultySmtp({ plan: planOf([reset]) });
  const pipelined = [...mail.slice(0, -1), `${mail.at(-1)}\r\nMAIL FROM:<next@example.com>`];
  const { heard, end } = await talk(faulty.port, pipelined);
  assert.equal(end, "reset");
  await until(() => faulty.records.length === 2, { message: "both records" });
  const [record] = faulty.records;
  assert.equal(record?.reply, "250 2.0.0 OK queued as 1");
  assert.equal(record.ambiguous, true, heard.join());
  assert.equal(record.fault, "dot reply_then_reset");
});

test("openFaultySmtp() floods, and stops when its client is gone", async () => {
  for (const action of [{ do: "endless" }, { do: "blank" }, { do: "long_line" }] as const) {
    await using faulty = await openFaultySmtp({ plan: planOf([rule("greeting", action)]) });
    await talk(faulty.port, []);
    await until(() => faulty.counts.open === 0, { message: `the end of ${action.do}` });
  }
});

test("openFaultySmtp() refuses connections and recipients above its limits", async () => {
  const limits = { greylistMs: 30, rate: { count: 1, perMs: 60_000 } };
  await using faulty = await openFaultySmtp({ limits });
  const rcpt = async () => (await talk(faulty.port, mail.slice(0, 3))).heard.at(-1);
  assert.match(await rcpt() ?? "", /^451 4\.7\.1/);
  assert.match(await rcpt() ?? "", /^250/);
  assert.match(await rcpt() ?? "", /^452/);
  await until(() => faulty.counts.open === 0, { message: "the end of all connections" });
  faulty.limit({ connections: 1 });
  const first = connect(faulty.port, faulty.host);
  await until(() => faulty.counts.open === 1, { message: "the first connection" });
  assert.match((await talk(faulty.port, [])).heard.at(-1) ?? "", /^421/);
  first.destroy();
});

test("openFaultySmtp() records a client's violations", async () => {
  await using faulty = await openFaultySmtp();
  await talk(faulty.port, [
    "MAIL FROM:<a@example.com>",
    "BDAT 1",
    ...mail.slice(0, 4),
    "x\n.\r\n.",
  ]);
  assert.deepEqual(faulty.counts.violations, [
    "MAIL FROM:<a@example.com>",
    "BDAT 1",
    "bare line feed in a content",
  ]);
});

test("planOf() applies the first rule that matches, at most as often as it allows, for its addresses", () => {
  const plan = planOf([
    { stage: "rcpt", action: { do: "reset" }, times: 1 },
    { stage: "rcpt", action: { do: "close" }, address: "@example.net" },
  ]);
  const at = (address: string, before: number) =>
    plan({ stage: "rcpt", session: 1, address, before, messageId: null })?.do;
  assert.deepEqual(
    [at("a@example.com", 0), at("a@example.com", 1), at("a@example.net", 2)],
    ["reset", undefined, "close"],
  );
});

test("planOf() draws the same from the same seed, with the given probability", () => {
  const draws = (seed: number) => {
    const plan = planOf([{ stage: "dot", action: { do: "close" }, chance: 0.3 }], seed);
    return Array.from(
      { length: 2_000 },
      (_, before) => plan({ stage: "dot", session: 1, address: "", before, messageId: null }),
    ).map((action) => action?.do ?? "");
  };
  assert.deepEqual(draws(1), draws(1));
  assert.notDeepEqual(draws(1), draws(2));
  const share = draws(7).filter((what) => what === "close").length / 2_000;
  assert.ok(share > 0.26 && share < 0.34, String(share));
});

test("openFaultySmtpProcess() writes its own ledger and accepts orders", async () => {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-faulty-"));
  try {
    await using faulty = await openFaultySmtpProcess({ ledger: join(folder, "sink.jsonl") });
    await talk(faulty.port, mail);
    const counts = await faulty.tell({ rules: [rule("dot", { do: "close" })] });
    assert.equal(counts.accepted, 1);
    assert.equal((await talk(faulty.port, mail)).end, "fin");
    const records = await faulty.records();
    assert.deepEqual(records.map((record) => record.fault), [null, "dot close"]);
    assert.deepEqual(records.map((record) => record.ambiguous), [false, true]);
    assert.equal((await faulty.tell()).ambiguous, 1);
  } finally {
    await rm(folder, { recursive: true });
  }
});

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ProbeReply, ProbeSettings } from "@posthaste/contracts";
import { bindPassword, readMasterKeys, sealingKeyOf, sealSecret } from "@posthaste/storage";
import {
  expiredCertificate,
  type FaultAction,
  type FaultStage,
  type FaultySmtpOptions,
  openFaultySmtp,
  openSmtpSink,
  stopTime,
  testCertificate,
  until,
} from "@posthaste/kit";
import { openTestResolver } from "./_test_resolver.ts";
import { readTokenEndpoints } from "./oauth/token_endpoints.ts";
import { type ProbeDeps, probeStep } from "./probe_step.ts";

const keys = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);
const GREET_MS = 700;
const PASSWORD = "canary-password";
const users = { ann: PASSWORD };
const resolveHost = openTestResolver({ "mail.example.com": ["127.0.0.1"], "void.example": [] });

/** Changed settings; a password makes a login of them. */
type Changes = Partial<ProbeSettings> & { password?: string; sealedFor?: string };

function settingsOf(
  port: number,
  { password, sealedFor: recordId = "acc_1/4", ...changes }: Changes = {},
): ProbeSettings {
  const settings = {
    ...{ host: "localhost", port, tls: "none" as const, ca: testCertificate.cert },
    ...{ allowInvalidCertificate: false, auth: null, recordId: "acc_1/4" },
    ...changes,
  };
  if (password === undefined) return settings;
  const binding = bindPassword({ ...settings, accountId: "acc_1", recordId });
  const sealed = sealSecret(password, { ...binding, key: sealingKeyOf(keys) });
  return { ...settings, auth: { kind: "password", user: "ann", password: sealed, method: null } };
}

function openStep(changes: Partial<ProbeDeps> = {}) {
  const step = probeStep({
    ...{ keys, logger: { warn: () => {} }, ehloName: "test.example", resolveHost },
    ...{ greetMs: GREET_MS, limitMs: 3_000 },
    integrations: { replaceRefreshToken: () => Promise.resolve(true) },
    tokenClient: {
      endpoints: readTokenEndpoints([]),
      ...{ resolveHost, timeoutMs: 1_000, now: () => new Date() },
    },
    ...changes,
  });
  return async (settings: ProbeSettings): Promise<ProbeReply> => {
    const verdict = await step.handle({
      type: "probe.requested",
      data: { v: 2, accountId: "acc_1", settings },
    }, new AbortController().signal);
    assert.equal(verdict.type, "done");
    return (verdict.type === "done" ? verdict.replies?.[0] : undefined) as ProbeReply;
  };
}

function outcomesOf({ steps }: ProbeReply): string {
  return steps.map(({ step, outcome }) => `${step} ${outcome}`).join(", ");
}

function failureOf({ steps }: ProbeReply) {
  const failed = steps.filter(({ outcome }) => outcome === "failed");
  assert.equal(failed.length, 1, JSON.stringify(steps));
  return failed[0]!;
}

function stepOf({ steps }: ProbeReply, name: string) {
  return steps.find(({ step }) => step === name)!;
}

/** Probes a server that misbehaves at a stage. */
async function probeFaultyServer(
  options: FaultySmtpOptions & { at?: FaultStage; action?: FaultAction },
  changes: Changes = {},
  deps: Partial<ProbeDeps> = {},
) {
  const { at, action, ...rest } = options;
  await using faulty = await openFaultySmtp({
    ...rest,
    plan: ({ stage }) => stage === at ? action : undefined,
  });
  const reply = await openStep(deps)(settingsOf(faulty.port, changes));
  return { reply, counts: faulty.counts };
}

for (const tls of ["none", "starttls", "implicit"] as const) {
  test(`probeStep() reports every step of a healthy server, with tls ${tls}`, async () => {
    await using sink = await openSmtpSink({ tls, users });
    const reply = await openStep()(
      settingsOf(sink.port, { tls, password: PASSWORD, sender: "shop@example.com" }),
    );
    assert.ok(reply.ok, JSON.stringify(reply));
    const encrypted = tls === "none" ? "skipped" : "done";
    assert.equal(
      outcomesOf(reply),
      `resolve done, connect done, greeting done, tls ${encrypted}, auth done, sender done`,
    );
    assert.match(stepOf(reply, "greeting").reply ?? "", /^220 /);
    assert.match(stepOf(reply, "greeting").detail, /^The server offers .*AUTH/);
    assert.match(stepOf(reply, "auth").reply ?? "", /^235 /);
    assert.match(stepOf(reply, "sender").reply ?? "", /^250 /);
    if (tls !== "none") {
      assert.match(
        stepOf(reply, "tls").detail,
        /^Encrypted with TLSv1\.3\. Its certificate is for localhost, .* issued by itself and is valid until 2126-01-01$/,
      );
    }
    assert.equal(JSON.stringify(reply).includes(PASSWORD), false);
    assert.deepEqual(sink.messages, [], "nothing is sent");
  });
}

test("probeStep() sends MAIL FROM and RSET, and ends with QUIT, as RFC 5321 requires", async () => {
  const said: string[] = [];
  await using faulty = await openFaultySmtp({
    plan: ({ stage, address }) => void said.push(`${stage} ${address}`.trim()),
  });
  await openStep()(settingsOf(faulty.port, { sender: "shop@example.com" }));
  await until(() => said.at(-1) === "quit");
  assert.deepEqual(said.slice(-4), ["ehlo", "mail shop@example.com", "rset", "quit"]);
  assert.deepEqual(faulty.counts.violations, []);
});

test("probeStep() returns one answer, after one time, for all servers that do not talk SMTP", async (context) => {
  const { move } = stopTime(context);
  const answers = new Map<string, string>();
  const note = async (name: string, probing: Promise<ProbeReply>) => {
    let isAnswered = false;
    probing.finally(() => isAnswered = true).catch(() => {});
    // Time for what the server does; if it is too short, the test sees less.
    await delay(50);
    await move(GREET_MS - 1);
    assert.equal(isAnswered, false, `${name} was reported too soon`);
    await move(1);
    // For a timer, a rest of 0 ms is a millisecond.
    await move(1);
    assert.equal(isAnswered, true, `${name} was reported too late`);
    const reply = await probing;
    const steps = reply.steps.map((step) => ({ ...step, durationMs: step.durationMs > 300 }));
    answers.set(name, JSON.stringify(steps));
  };
  const greetings = [
    "SSH-2.0-OpenSSH secret-banner\r\n",
    "554 secret-banner\r\n",
    "-ERR secret\r\n",
  ];
  for (const greeting of [...greetings, "", undefined]) {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      if (greeting !== undefined) socket.end(greeting);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as { port: number };
    await note(greeting ?? "silence", openStep({ limitMs: 60_000 })(settingsOf(port)));
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
    if (greeting !== "") continue;
    await note("closed", openStep({ limitMs: 60_000 })(settingsOf(port)));
  }
  for (const action of [{ do: "silence" }, { do: "reply", reply: "502 secret" }] as const) {
    const probing = probeFaultyServer({ at: "ehlo", action }, {}, { limitMs: 60_000 });
    await note(`ehlo ${action.do}`, probing.then(({ reply }) => reply));
  }
  assert.equal(answers.size, 8);
  assert.equal(new Set(answers.values()).size, 1, [...answers].join("\n"));
  assert.doesNotMatch([...answers.values()].join(), /secret|SSH|refused|ECONN/);
});

test("probeStep() dials nothing at a host or port that may not be reached", async () => {
  await using sink = await openSmtpSink();
  for (const host of ["127.0.0.2", "10.0.0.1", "169.254.169.254", "[::1]"]) {
    const step = failureOf(await openStep()(settingsOf(sink.port, { host })));
    assert.equal(step.step, "resolve");
    assert.match(step.detail, /is not allowed here/);
    assert.match(step.remedy ?? "", /the operator must allow it/);
  }
  assert.equal(sink.connections, 0);
  const unknown = failureOf(await openStep()(settingsOf(25, { host: "void.example" })));
  assert.deepEqual([unknown.step, unknown.detail], [
    "resolve",
    "The name of the SMTP server could not be resolved",
  ]);
});

test("probeStep() returns the code of a refused login and a remedy, without the server's text", async () => {
  const hosts: [string, RegExp][] = [
    ["localhost", /Check user and password/],
    ["smtp.gmail.com", /app password/],
    ["smtp.office365.com", /authenticated SMTP to be turned on/],
  ];
  const names = Object.fromEntries(hosts.map(([host]) => [host, ["127.0.0.1"]]));
  for (const [host, remedy] of hosts) {
    const { reply } = await probeFaultyServer(
      {
        users,
        at: "auth",
        action: { do: "reply", reply: "535 5.7.8 secret words" },
        tls: "starttls",
      },
      { password: PASSWORD, host, tls: "starttls", allowInvalidCertificate: true },
      { resolveHost: openTestResolver(names) },
    );
    const step = failureOf(reply);
    assert.deepEqual([step.step, step.reply], ["auth", "535 5.7.8"]);
    assert.match(step.remedy ?? "", remedy);
    assert.doesNotMatch(JSON.stringify(reply), /secret words|canary|faulty\.example\.com|220 /);
    assert.match(outcomesOf(reply), /tls done, auth failed, sender skipped/);
  }
});

test("probeStep() reports the certificate of a public server, and of an internal one only after the login", async () => {
  const options: FaultySmtpOptions = { tls: "starttls", users };
  const wrong = { password: "wrong", tls: "starttls" as const };
  const inside = await probeFaultyServer(options, wrong);
  assert.equal(failureOf(inside.reply).step, "auth");
  assert.equal(stepOf(inside.reply, "tls").detail, "Encrypted with TLSv1.3");
  const outside = await probeFaultyServer(options, wrong, { isPublic: () => true });
  assert.match(stepOf(outside.reply, "tls").detail, /Its certificate is for localhost/);
});

test("probeStep() reports why an internal or public server is untrusted, and sends it no login", async () => {
  const cases: [Changes & { certificate?: typeof expiredCertificate }, RegExp, RegExp][] = [
    [
      { certificate: expiredCertificate, ca: expiredCertificate.cert },
      /^The certificate of the SMTP server expired on 2025-01-01\. The operator/,
      /must renew its certificate/,
    ],
    [
      { host: "mail.example.com" },
      /^The certificate of the SMTP server is for localhost, .*, and not for mail\.example\.com$/,
      /enter one of the names/,
    ],
    [
      { ca: null },
      /^The certificate of the SMTP server is signed by itself: add it \(PEM\) to the integration/,
      /Paste the certificate of that authority/,
    ],
  ];
  for (const tls of ["starttls", "implicit"] as const) {
    for (const [{ certificate = testCertificate, ...changes }, detail, remedy] of cases) {
      const stages: string[] = [];
      await using faulty = await openFaultySmtp({
        ...{ tls, users, certificate },
        plan: ({ stage }) => void stages.push(stage),
      });
      const settings = settingsOf(faulty.port, { tls, password: PASSWORD, ...changes });
      for (const isPublic of [true, false]) {
        const step = failureOf(await openStep({ isPublic: () => isPublic })(settings));
        assert.equal(step.step, "tls");
        assert.match(step.detail, detail);
        assert.match(step.remedy ?? "", remedy);
      }
      assert.equal(stages.includes("auth"), false);
      assert.equal(faulty.counts.connections, 2, "one look is enough");
    }
  }
});

test("probeStep() reports the alert with which a server refused the encryption", async () => {
  for (const isPublic of [true, false]) {
    const options = { tls: "starttls", maxTls: "TLSv1.1" } as const;
    const { reply } = await probeFaultyServer(options, { tls: "starttls" }, {
      isPublic: () => isPublic,
    });
    const step = failureOf(reply);
    assert.equal(
      step.detail,
      'The SMTP server refused TLS 1.2 and 1.3 with the alert "protocol version"',
    );
  }
});

test("probeStep() reports where else it fails, and what to do", async () => {
  const cases: [Parameters<typeof probeFaultyServer>[0], Changes, string, RegExp][] = [
    [{ tls: "none" }, { tls: "starttls" }, "tls", /try port 465/],
    [{ tls: "starttls", at: "tls", action: { do: "garbage" } }, { tls: "starttls" }, "tls", /TLS/],
    [{}, { tls: "implicit" }, "tls", /starts without TLS/],
    [{}, { password: PASSWORD, host: "localhost" }, "auth", /remove user and password/],
    [{}, { password: PASSWORD, host: "mail.example.com" }, "auth", /not sent in the clear/],
    [
      { tls: "starttls" },
      { tls: "starttls", ca: "-----BEGIN CERTIFICATE-----\nAA==" },
      "tls",
      /PEM/,
    ],
    [
      { at: "mail", action: { do: "reply", reply: "550 5.1.8 not your address" } },
      {},
      "sender",
      /Verify this address/,
    ],
    [{ at: "mail", action: { do: "close" } }, {}, "sender", /Try again/],
  ];
  for (const [options, changes, expected, remedy] of cases) {
    const { reply } = await probeFaultyServer(options, { sender: "shop@example.com", ...changes });
    const { step, remedy: reported = "", reply: words } = failureOf(reply);
    assert.equal(step, expected, JSON.stringify(reply));
    assert.match(reported, remedy);
    if (words !== undefined) assert.equal(words, "550 5.1.8 not your address");
  }
});

test("probeStep() ends with a server that falls silent, within its limit", async () => {
  const stages = [["auth", { password: PASSWORD }], ["mail", {}]] as const;
  await Promise.all(stages.map(async ([at, changes]) => {
    const probe = (action: FaultAction, limitMs: number) =>
      probeFaultyServer(
        { ...(at === "auth" ? { users } : {}), at, action },
        { sender: "shop@example.com", ...changes },
        { limitMs },
      );
    const { reply } = await probe({ do: "silence" }, 1_000);
    assert.equal(failureOf(reply).detail, "The SMTP server did not answer in time");
    // One that is merely slow is waited for.
    const { reply: slow } = await probe({ do: "delay", ms: 100 }, 60_000);
    assert.ok(slow.ok, JSON.stringify(slow));
  }));
});

test("probeStep() runs two probes of an account, and refuses the third immediately", async () => {
  await using faulty = await openFaultySmtp({
    plan: ({ stage }) => stage === "greeting" ? { do: "silence" } : undefined,
  });
  const run = openStep();
  const replies = await Promise.all([1, 2, 3].map(() => run(settingsOf(faulty.port))));
  const busy = replies.filter((reply) =>
    /Other tests of this account are running/.test(failureOf(reply).detail)
  );
  assert.equal(busy.length, 1);
  assert.equal(faulty.counts.connections, 2);
  const again = await run(settingsOf(faulty.port));
  assert.equal(failureOf(again).step, "connect");
});

test("probeStep() opens no password that was sealed for another record", async () => {
  await using sink = await openSmtpSink({ users });
  const reply = await openStep()(
    settingsOf(sink.port, { password: PASSWORD, sealedFor: "acc_1/5" }),
  );
  const step = failureOf(reply);
  assert.deepEqual([step.step, step.detail], [
    "auth",
    "The password could not be opened: enter it again",
  ]);
  assert.equal(sink.connections, 0);
});

test("probeStep() leaves the password out of what the server repeats", async () => {
  await using sink = await openSmtpSink({ users });
  sink.behave(({ stage }) => stage === "mail" ? { reply: `550 you are ${PASSWORD}` } : undefined);
  const settings = settingsOf(sink.port, { password: PASSWORD, sender: "shop@example.com" });
  assert.equal(failureOf(await openStep()(settings)).reply, "550 you are [password]");
});

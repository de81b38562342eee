import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { rootCertificates } from "node:tls";
import {
  openFaultySmtp,
  openSmtpSink,
  type SmtpSink,
  type SmtpSinkOptions,
  type SmtpStage,
  takesLong,
  testCertificate,
  until,
} from "@posthaste/kit";
import { openGuardedResolver, readNetworks } from "@posthaste/egress";
import { openTestResolver } from "./_test_resolver.ts";
import { composeMime } from "./compose_mime.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";
import { judgeSmtpFailure } from "./smtp_verdict.ts";
import { openTransportPool, type OutgoingMail } from "./transport_pool.ts";
import type { TransportPoolOptions } from "./transport_pool_options.ts";
import { UntriedError } from "./untried_error.ts";

takesLong();

const login = { user: "ann", password: "påss word" };
const users = { ann: "påss word" };
const raw = composeMime({
  messageId: "<m1@example.com>",
  date: new Date(0),
  from: { email: "billing@example.com" },
  to: { email: "ann@example.net" },
  subject: "Hé",
  html: "<p>Grüße</p>",
  text: "Grüße",
}).raw;
const large = Buffer.from(`Subject: large\r\n\r\n${`${"x".repeat(74)}\r\n`.repeat(40_000)}`);
/** More than the buffers of two sockets take. */
const huge = Buffer.concat(Array.from({ length: 8 }, () => large));
const envelope = { from: "billing@example.com", to: "ann@example.net" };

/** A certificate authority that has not signed the certificate of tests. */
const [OTHER_CA = ""] = rootCertificates;
const resolveHost = openTestResolver();

function openPool(options: Partial<TransportPoolOptions> = {}) {
  return openTransportPool({
    ehloName: "test.example.com",
    drainMs: 1_000,
    resolveHost,
    ...options,
  });
}

function integrationOf(sink: SmtpSink, rest: Partial<SmtpIntegration> = {}): SmtpIntegration {
  const base = { key: "1", host: "localhost", port: sink.port, tls: "none", auth: null } as const;
  return { ...base, ca: testCertificate.cert, ...rest };
}

/** Sends one mail to a fresh sink and returns its failure. */
async function failureOf(
  options: SmtpSinkOptions,
  mail: Partial<Omit<OutgoingMail, "integration">> & { integration?: Partial<SmtpIntegration> } =
    {},
  pool: Partial<TransportPoolOptions> = {},
): Promise<{ failure: SmtpFailure; received: number }> {
  await using sink = await openSmtpSink(options);
  await using transports = openPool(pool);
  const integration = integrationOf(sink, mail.integration);
  try {
    await transports.send({ envelope, raw, ...mail, integration });
  } catch (failure) {
    assert.ok(failure instanceof SmtpFailure, String(failure));
    return { failure, received: sink.messages.length };
  }
  assert.fail("the mail was accepted");
}

for (const tls of ["none", "starttls", "implicit"] as const) {
  for (const method of ["PLAIN", "LOGIN"] as const) {
    test(`send() delivers with tls ${tls} and login ${method}`, async () => {
      await using sink = await openSmtpSink({ tls, users, authMethods: [method] });
      await using transports = openPool();
      for (const auth of [login, { ...login, method }]) {
        const { code } = await transports.send({
          integration: integrationOf(sink, { tls, auth }),
          envelope,
          raw,
        });
        assert.equal(code, 250);
      }
      const messages = await sink.waitFor(2);
      for (const message of messages) {
        assert.deepEqual(message.envelope, { from: envelope.from, to: [envelope.to] });
        assert.ok(message.raw.equals(raw));
        assert.equal(message.tls, tls !== "none");
        assert.equal(message.user, "ann");
      }
    });
  }
}

test("send() delivers without a login", async () => {
  await using sink = await openSmtpSink();
  await using transports = openPool();
  await transports.send({ integration: integrationOf(sink), envelope, raw });
  assert.equal((await sink.waitFor(1))[0]?.user, undefined);
});

const stages: [SmtpStage, SmtpFailure["phase"]][] = [
  ["connect", "greeting"],
  ["mail", "mail"],
  ["rcpt", "rcpt"],
  ["data", "data"],
  ["dot", "dot"],
];

for (const [stage, phase] of stages) {
  for (const reply of ["451 4.7.1 not now", "554 5.7.1 never"]) {
    for (const hide of [[], ["PIPELINING"]] as const) {
      test(`send() reports ${reply} at ${stage}${hide.length ? " without pipelining" : ""}`, async () => {
        const script: SmtpSinkOptions["script"] = (moment) =>
          moment.stage === stage ? { reply } : undefined;
        const { failure, received } = await failureOf({ script, hide });
        assert.equal(failure.phase, phase);
        assert.equal(failure.fault, "reply");
        assert.equal(failure.code, Number(reply.slice(0, 3)));
        assert.equal(failure.enhanced, reply.slice(4, 9));
        assert.equal(failure.unknown, false);
        assert.equal(received, 0);
      });
    }
  }
}

test("send() reports a wrong password as a refused login", async () => {
  for (const tls of ["none", "starttls", "implicit"] as const) {
    const integration = { tls, auth: { user: "ann", password: "wrong" } };
    const { failure } = await failureOf({ tls, users }, { integration });
    assert.equal(failure.phase, "auth");
    assert.equal(failure.code, 535);
    assert.equal(judgeSmtpFailure(failure).kind, "login_refused");
    assert.doesNotMatch(failure.message, /wrong/);
  }
});

test("send() reports unknown only when the final dot was sent and no answer came", async () => {
  const outcomes: [SmtpStage, Buffer, SmtpFailure["phase"], boolean][] = [
    ["connect", raw, "greeting", false],
    ["mail", raw, "mail", false],
    ["rcpt", raw, "rcpt", false],
    ["data", raw, "data", false],
    ["body", huge, "body", false],
    ["dot", raw, "dot", true],
    ["dot", large, "dot", true],
  ];
  for (const [stage, content, phase, unknown] of outcomes) {
    const { failure, received } = await failureOf(
      { script: (moment) => moment.stage === stage ? { drop: true } : undefined },
      { raw: content },
    );
    assert.equal(failure.phase, phase, stage);
    assert.equal(failure.unknown, unknown, stage);
    assert.equal(failure.code, undefined);
    assert.equal(received, unknown ? 1 : 0);
    assert.equal(judgeSmtpFailure(failure).kind, unknown ? "unknown" : "defer");
  }
});

test("send() fails the command that gets a 421", async () => {
  for (const stage of ["mail", "rcpt", "data", "dot"] as const) {
    const { failure } = await failureOf({
      script: (moment) => moment.stage === stage ? { reply: "421 4.3.2 closing" } : undefined,
    });
    assert.equal(failure.phase, stage);
    assert.equal(failure.code, 421);
  }
});

test("send() refuses an untrusted certificate, and reports it", async () => {
  for (const tls of ["starttls", "implicit"] as const) {
    const untrusted = { tls, ca: OTHER_CA };
    const { failure } = await failureOf({ tls }, { integration: untrusted });
    assert.equal(failure.phase, "tls");
    assert.equal(failure.fault, "certificate");
    assert.match(judgeSmtpFailure(failure).reason, /is signed by itself: add it \(PEM\)/);
  }
});

test("send() accepts any certificate if the integration allows it", async () => {
  await using sink = await openSmtpSink({ tls: "starttls" });
  await using transports = openPool();
  const integration = integrationOf(sink, {
    tls: "starttls",
    ca: OTHER_CA,
    allowInvalidCertificate: true,
  });
  await transports.send({ integration, envelope, raw });
  assert.equal((await sink.waitFor(1))[0]?.tls, true);
});

test("send() checks the certificate against the host's name, not its resolved address", async () => {
  await using sink = await openSmtpSink({ tls: "implicit" });
  await using transports = openPool({ resolveHost: () => Promise.resolve("127.0.0.1") });
  const integration = integrationOf(sink, { tls: "implicit" });
  await transports.send({ integration, envelope, raw });
  const other = { ...integration, host: "mail.example.com" };
  await assert.rejects(transports.send({ integration: other, envelope, raw }), {
    fault: "certificate",
  });
});

test("send() never sends a login when the server offers no STARTTLS", async () => {
  const { failure } = await failureOf({ users }, { integration: { tls: "starttls", auth: login } });
  assert.equal(failure.phase, "tls");
  assert.equal(judgeSmtpFailure(failure).kind, "defer");
});

test("send() refuses a login in the clear to another machine", async () => {
  await using transports = openPool();
  const integration: SmtpIntegration = {
    ...{ key: "1", host: "mail.example.com", port: 25, tls: "none", auth: login },
  };
  await assert.rejects(transports.send({ integration, envelope, raw }), {
    fault: "insecure_auth",
    message: 'Cannot send through "mail.example.com": its login would be sent without encryption',
  });
});

test("send() reports that the server offers no login", async () => {
  const { failure } = await failureOf({}, { integration: { auth: login } });
  assert.equal(failure.fault, "no_auth");
});

test("send() reports a closed port and a refused host", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  await using transports = openPool({});
  const integration: SmtpIntegration = {
    key: "1",
    host: "localhost",
    port,
    tls: "none",
    auth: null,
  };
  await assert.rejects(transports.send({ integration, envelope, raw }), {
    phase: "connect",
    fault: "refused",
  });
  const inside = { ...integration, host: "10.0.0.1" };
  await assert.rejects(transports.send({ integration: inside, envelope, raw }), { fault: "host" });
  const nowhere = { ...integration, host: "nowhere.example" };
  await assert.rejects(transports.send({ integration: nowhere, envelope, raw }), { fault: "dns" });
  assert.equal(transports.connections, 0);
});

test("send() looks a host up for each connection, and dials the address that was checked", async () => {
  await using sink = await openSmtpSink();
  const names: Record<string, string[]> = { "rebinds.example": ["127.0.0.1"] };
  let asked = 0;
  await using transports = openPool({
    maxMails: 1,
    resolveHost: openGuardedResolver({
      ports: [],
      allowed: readNetworks(["127.0.0.1"]),
      lookup: (host) => {
        asked++;
        return Promise.resolve(names[host] ?? []);
      },
    }),
  });
  const integration = integrationOf(sink, { host: "rebinds.example" });
  await transports.send({ integration, envelope, raw });
  await transports.send({ integration, envelope, raw });
  assert.equal(asked, 2);
  names["rebinds.example"] = ["127.0.0.1", "169.254.169.254"];
  const failure = await transports.send({ integration, envelope, raw }).then(
    () => assert.fail("the mail was accepted"),
    (failure: SmtpFailure) => failure,
  );
  assert.equal(failure.fault, "host");
  assert.equal(judgeSmtpFailure(failure).kind, "suspend_integration");
  assert.doesNotMatch(JSON.stringify(judgeSmtpFailure(failure)) + failure.message, /169/);
  assert.equal(sink.connections, 2);
});

test("send() refuses an invalid certificate authority, and accepts a valid one", async () => {
  await using sink = await openSmtpSink({ tls: "starttls" });
  await using transports = openPool();
  const integration = integrationOf(sink, { tls: "starttls" });
  for (const ca of ["junk", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"]) {
    await assert.rejects(transports.send({ integration: { ...integration, ca }, envelope, raw }), {
      fault: "bad_ca",
    });
  }
  await transports.send({ integration, envelope, raw });
  const { ca: _, ...unpinned } = integration;
  await assert.rejects(transports.send({ integration: unpinned, envelope, raw }), {
    fault: "certificate",
  });
});

test("send() reuses connections and opens no more than allowed", async () => {
  await using sink = await openSmtpSink();
  await using transports = openPool();
  const integration = integrationOf(sink, { maxConnections: 3 });
  await Promise.all(
    Array.from(
      { length: 40 },
      (_, index) =>
        transports.send({
          integration,
          envelope: { ...envelope, to: `u${index}@example.net` },
          raw,
        }),
    ),
  );
  assert.equal(sink.messages.length, 40);
  assert.equal(sink.connections, 3);
  const recipients = sink.messages.flatMap((message) => message.envelope.to);
  assert.equal(new Set(recipients).size, 40);
});

test("send() closes excess connections when fewer are allowed, and opens more again", async () => {
  await using sink = await openSmtpSink({
    script: ({ stage }) => stage === "dot" ? { delayMs: 20 } : undefined,
  });
  await using transports = openPool();
  const integration = integrationOf(sink, { maxConnections: 9 });
  const sendAll = (count: number, connections: number) =>
    Promise.all(Array.from({ length: count }, () => {
      return transports.send({ integration, connections, envelope, raw });
    }));
  await sendAll(12, 4);
  assert.equal(transports.connections, 4);
  await sendAll(12, 1);
  assert.equal(transports.connections, 1);
  assert.equal(sink.connections, 4, "one of the four goes on");
  await sendAll(12, 3);
  assert.equal(transports.connections, 3);
  assert.equal(sink.peakConnections, 4);
});

test("send() keeps the connection when one mail is refused", async () => {
  for (const stage of ["mail", "rcpt", "data", "dot"] as const) {
    await using sink = await openSmtpSink({
      script: (moment) =>
        moment.stage === stage && moment.before === 0 ? { reply: "550 5.1.1 no" } : undefined,
    });
    await using transports = openPool();
    const integration = integrationOf(sink, { maxConnections: 1 });
    await assert.rejects(transports.send({ integration, envelope, raw }), { code: 550 });
    await transports.send({ integration, envelope, raw });
    assert.equal(sink.messages.length, 1);
    assert.equal(sink.connections, 1, stage);
  }
});

test("send() opens a new connection when the server had ended the idle one", async () => {
  await using sink = await openSmtpSink({
    script: ({ stage, before }) =>
      stage === "mail" && before === 1 ? { reply: "421 4.4.2 idle too long" } : undefined,
  });
  await using transports = openPool();
  const integration = integrationOf(sink, { maxConnections: 1 });
  for (let sent = 0; sent < 2; sent++) await transports.send({ integration, envelope, raw });
  sink.dropConnections();
  await transports.send({ integration, envelope, raw });
  assert.equal(sink.messages.length, 3);
  assert.equal(sink.connections, 3);
});

test("send() closes a connection after its number of mails and after being idle", async () => {
  await using sink = await openSmtpSink();
  await using transports = openPool({ maxMails: 2, idleMs: 30 });
  const integration = integrationOf(sink, { maxConnections: 1 });
  for (let sent = 0; sent < 3; sent++) await transports.send({ integration, envelope, raw });
  assert.equal(sink.connections, 2);
  await until(() => transports.connections === 0);
});

test("send() ends a connection after its number of mails where they go behind dots, too", async () => {
  await using faulty = await openFaultySmtp();
  await using transports = openPool({ maxMails: 3 });
  const base = { key: "1", host: "localhost", port: faulty.port, tls: "none", auth: null } as const;
  const mail = { integration: { ...base, maxConnections: 1 }, envelope, raw };
  const onDot = () => new Promise<void>((resolve) => setImmediate(resolve));
  await Promise.all(Array.from({ length: 15 }, () => transports.send({ ...mail, onDot })));
  assert.equal(faulty.counts.connections, 5);
});

test("send() puts no mail behind a dot on an excess connection", async () => {
  await using sink = await openSmtpSink();
  await using transports = openPool();
  const integration = integrationOf(sink, { maxConnections: 4 });
  const connections: number[] = [];
  const send = async (most: number) => {
    await transports.send({ integration, envelope, raw, connections: most });
    connections.push(transports.connections);
  };
  const mails = Array.from({ length: 200 }, () => send(4));
  await until(() => connections.length >= 20);
  await Promise.all([...mails, send(1)]);
  assert.ok(connections.slice(0, 20).includes(4), "it had four");
  assert.equal(connections.at(-20), 1);
});

test("send() opens new connections for a changed integration and closes the old ones", async () => {
  await using sink = await openSmtpSink({ users });
  await using transports = openPool();
  const before = integrationOf(sink, { auth: login });
  await transports.send({ integration: before, envelope, raw });
  const changed = { ...before, auth: { user: "ann", password: "changed" } };
  await assert.rejects(transports.send({ integration: changed, envelope, raw }), { code: 535 });
  await until(() => transports.connections === 0);
  await transports.send({ integration: { ...before }, envelope, raw });
  assert.equal(sink.messages.length, 2);
});

test("send() accepts one recipient and nothing that could become two", async () => {
  await using sink = await openSmtpSink();
  await using transports = openPool();
  const integration = integrationOf(sink);
  for (
    const to of [
      "a@example.com, evil@example.net",
      "a@example.com>\r\nRCPT TO:<evil@example.net",
      '"evil@example.net x"@example.com',
    ]
  ) {
    const mail = { integration, envelope: { ...envelope, to }, raw };
    await assert.rejects(transports.send(mail), RangeError);
  }
  assert.equal(sink.connections, 0);
});

test("send() uses SMTPUTF8 for an international local part, or fails for good", async () => {
  const mail = { envelope: { ...envelope, to: "jörg@bücher.example" }, raw };
  await using sink = await openSmtpSink();
  await using transports = openPool();
  await transports.send({ ...mail, integration: integrationOf(sink) });
  const [to] = (await sink.waitFor(1))[0]?.envelope.to ?? [];
  assert.match(to ?? "", /^jörg@/);
  const { failure } = await failureOf({ hide: ["SMTPUTF8"] }, mail);
  assert.equal(judgeSmtpFailure(failure).kind, "fail");
});

test("send() fails a mail that is larger than the server announced", async () => {
  const { failure } = await failureOf({ maxBytes: 1_000 }, { raw: large });
  assert.equal(failure.fault, "too_large");
  assert.equal(
    judgeSmtpFailure(failure).reason,
    `The mail has ${
      large.length.toLocaleString("en")
    } bytes, but the SMTP server accepts at most 1,000`,
  );
});

test("send() stuffs dots, and content that looks like the end does not end the mail", async () => {
  await using sink = await openSmtpSink();
  await using transports = openPool();
  const integration = integrationOf(sink, { maxConnections: 1 });
  const contents = [
    "A: b\r\n\r\n.\r\n..x\r\nMAIL FROM:<x@y>\r\n",
    ".A: b\r\n",
    "A: b\r\n\r\nx\n.\nRSET\r.\r\nend",
    "A: b\r\n\r\nno line end",
  ];
  for (const content of contents) {
    await transports.send({ integration, envelope, raw: Buffer.from(content) });
  }
  const received = sink.messages.map((message) => message.raw.toString().replace(/\r\n$/, ""));
  assert.deepEqual(
    received,
    contents.map((content) => content.replace(/\r\n|\r|\n/g, "\r\n").replace(/\r\n$/, "")),
  );
});

test("send() delivers a large mail byte for byte", async () => {
  await using sink = await openSmtpSink({ tls: "starttls" });
  await using transports = openPool();
  await transports.send({
    integration: integrationOf(sink, { tls: "starttls" }),
    envelope,
    raw: large,
  });
  assert.ok((await sink.waitFor(1))[0]?.raw.equals(large));
});

test("send() holds the final dot back until onDot() resolves", async () => {
  await using sink = await openSmtpSink();
  await using transports = openPool();
  const admission = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const onDot = () => (reached.resolve(), admission.promise);
  const sent = transports.send({ integration: integrationOf(sink), envelope, raw, onDot });
  await reached.promise;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(sink.messages.length, 0);
  admission.resolve();
  await sent;
  assert.equal(sink.messages.length, 1);
});

test("send() sends no dot when onDot() rejects", async () => {
  const { failure, received } = await failureOf({}, {
    onDot: () => Promise.reject(new Error("the ledger is gone")),
  });
  assert.equal(failure.fault, "held");
  assert.equal(failure.unknown, false);
  assert.equal(received, 0);
});

test("interrupt() is no failure of a server that was about to answer", async () => {
  const ends = [
    ["connect", { name: "UntriedError" }],
    ["mail", { name: "UntriedError" }],
    ["data", { name: "UntriedError" }],
    ["dot", { fault: "aborted", unknown: true }],
  ] as const;
  for (const [stage, end] of ends) {
    const reached = Promise.withResolvers<void>();
    await using sink = await openSmtpSink({
      script: (at) => {
        if (at.stage !== stage) return undefined;
        reached.resolve();
        return { delayMs: 10_000 };
      },
    });
    await using transports = openPool();
    const sending = transports.send({ integration: integrationOf(sink), envelope, raw });
    const failed = assert.rejects(sending, end);
    await reached.promise;
    transports.interrupt();
    await failed;
  }
});

test("interrupt() keeps a mail whose host is looked up from its server", async () => {
  await using sink = await openSmtpSink();
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<string>();
  const resolveHost = () => {
    asked.resolve();
    return found.promise;
  };
  await using transports = openTransportPool({ ehloName: "x.example", resolveHost });
  const sending = transports.send({ integration: integrationOf(sink), envelope, raw });
  const failed = assert.rejects(sending, UntriedError);
  await asked.promise;
  transports.interrupt();
  found.resolve("127.0.0.1");
  await failed;
  assert.equal(sink.messages.length, 0);
});

test("send() gives up without progress, sooner before the dot than after it", async () => {
  const times = { stallMs: 150, replyMs: 300 };
  for (const [stage, unknown] of [["rcpt", false], ["dot", true]] as const) {
    const { failure } = await failureOf(
      { script: (moment) => moment.stage === stage ? { delayMs: 2_000 } : undefined },
      {},
      times,
    );
    assert.equal(failure.unknown, unknown, stage);
    assert.ok(failure.fault === "stalled" || failure.fault === "timeout", failure.fault);
  }
});

test("a pool that closes finishes the mail on its way and refuses others", async () => {
  await using sink = await openSmtpSink({
    script: ({ stage }) => stage === "dot" ? { delayMs: 200 } : undefined,
  });
  const transports = openPool();
  const integration = integrationOf(sink, { maxConnections: 1 });
  const sending = transports.send({ integration, envelope, raw });
  const queued = transports.send({ integration, envelope, raw });
  const refused = assert.rejects(queued, UntriedError);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await Promise.all([transports[Symbol.asyncDispose](), sending, refused]);
  await assert.rejects(transports.send({ integration, envelope, raw }), UntriedError);
  assert.equal(sink.messages.length, 1);
  assert.equal(transports.connections, 0);
});

test("a mail that waits too long for a connection is turned away, and the one before it is sent", async () => {
  await using sink = await openSmtpSink({
    script: ({ stage }) => stage === "dot" ? { delayMs: 2000 } : undefined,
  });
  await using transports = openPool({ waitMs: 100 });
  const integration = integrationOf(sink, { maxConnections: 1 });
  const sending = transports.send({ integration, envelope, raw });
  const waiting = transports.send({ integration, envelope, raw });
  await assert.rejects(waiting, UntriedError);
  assert.equal(sink.messages.length, 0);
  assert.equal((await sending).code, 250);
});

test("send() speaks one command at a time to a server that has mixed up its replies", async () => {
  await using faulty = await openFaultySmtp({
    plan: ({ stage, before }) =>
      stage === "mail" && before === 0 ? { do: "extra", reply: "250 2.0.0 OK" } : undefined,
  });
  await using transports = openPool();
  const base = { key: "1", host: "localhost", port: faulty.port, tls: "none", auth: null } as const;
  const mail = { integration: base, envelope, raw };
  await assert.rejects(transports.send(mail), { fault: "out_of_order", unknown: false });
  let awaited = 0;
  let most = 0;
  faulty.behave(({ stage }) => {
    if (["mail", "rcpt", "data"].includes(stage)) most = Math.max(most, ++awaited);
    setImmediate(() => setImmediate(() => awaited = 0));
    return undefined;
  });
  await transports.send(mail);
  assert.equal(most, 1, "commands in one flight");
  assert.equal(faulty.messages.length, 1);
});

test("send() puts mails behind the dots of others, and each is answered for itself", async () => {
  await using sink = await openSmtpSink({
    script: ({ stage, before }) =>
      (stage === "dot" && before % 7 === 3) || (stage === "rcpt" && before % 5 === 2)
        ? { reply: "550 5.7.1 no" }
        : undefined,
  });
  await using transports = openPool();
  const integration = integrationOf(sink, { maxConnections: 2 });
  const results = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => {
    const to = `u${index}@example.net`;
    return transports.send({ integration, envelope: { ...envelope, to }, raw });
  }));
  const sent = results.flatMap(({ status }, index) =>
    status === "fulfilled" ? [`u${index}@example.net`] : []
  );
  const taken = sink.messages.flatMap((message) => message.envelope.to);
  assert.deepEqual(taken.toSorted(), sent.toSorted());
  assert.ok(sent.length > 30 && sent.length < 60);
  for (const result of results) {
    if (result.status === "rejected") assert.equal(result.reason.code, 550);
  }
  assert.equal(transports.connections, 2);
});

/**
 * Opens a proxy that delays each byte, and counts how often a client waited for an answer.
 *
 * @param failsBehindDot Whether it ends a connection with a mail behind a dot that is not answered.
 */
async function openDelay(port: number, ms: number, failsBehindDot = false) {
  let roundTrips = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: "127.0.0.1", noDelay: true });
    let isAnswered = true;
    const forward = (from: Socket, to: Socket, onData: (bytes: Buffer) => void) => {
      from.on("data", (bytes: Buffer) => {
        onData(bytes);
        setTimeout(() => to.writable && to.write(bytes), ms);
      });
      from.on("error", () => {}).on("close", () => setTimeout(() => to.destroy(), ms));
    };
    forward(client, upstream, (bytes) => {
      const isBehindDot = !isAnswered || bytes.includes(".\r\nMAIL");
      if (failsBehindDot && isBehindDot && bytes.includes("MAIL FROM")) client.destroy();
      if (isAnswered) roundTrips++;
      isAnswered = false;
    });
    forward(upstream, client, () => isAnswered = true);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as { port: number }).port,
    roundTrips: () => roundTrips,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

test("send() needs one round trip for each mail of a queue where PIPELINING is offered", async () => {
  const mails = 40;
  const roundTripsOf = async (hide: readonly "PIPELINING"[], together: boolean) => {
    await using faulty = await openFaultySmtp({ hide });
    await using delay = await openDelay(faulty.port, 5);
    await using transports = openPool();
    const base = { key: "1", host: "localhost", tls: "none", auth: null } as const;
    const integration = { ...base, port: delay.port, maxConnections: 1 };
    const onDot = () => new Promise<void>((resolve) => setImmediate(resolve));
    const send = () => transports.send({ integration, envelope, raw, onDot });
    if (together) await Promise.all(Array.from({ length: mails }, send));
    else for (let sent = 0; sent < mails; sent++) await send();
    assert.equal(faulty.counts.accepted, mails);
    assert.deepEqual(faulty.counts.violations, []);
    return delay.roundTrips();
  };
  const [slow = 0, alone = 0, queued = 0] = await Promise.all([
    roundTripsOf(["PIPELINING"], true),
    roundTripsOf([], false),
    roundTripsOf([], true),
  ]);
  assert.ok(alone / queued >= 1.8, `${alone} round trips one by one, ${queued} in a queue`);
  assert.ok(slow / queued >= 3.5, `${slow} round trips without pipelining, ${queued} with it`);
});

test("send() puts no mail behind the dots of a server that answers slowly", async () => {
  await using faulty = await openFaultySmtp({
    // The second mail is sent by what the first one has shown, and no third one behind it.
    plan: ({ stage, before }) =>
      stage === "dot" && before === 0 ? { do: "delay", ms: 1_100 } : undefined,
  });
  await using delay = await openDelay(faulty.port, 5);
  await using transports = openPool();
  const base = { key: "1", host: "localhost", port: delay.port, tls: "none", auth: null } as const;
  const mail = { integration: { ...base, maxConnections: 1 }, envelope, raw };
  await Promise.all([1, 2, 3].map(() => transports.send(mail)));
  assert.equal(delay.roundTrips(), 7, "EHLO, and two for each mail");
});

test("send() leaves the outcome of at most one mail unknown at a server that ends with a mail behind a dot", async () => {
  await using faulty = await openFaultySmtp();
  await using delay = await openDelay(faulty.port, 5, true);
  await using transports = openPool();
  const base = { key: "1", host: "localhost", port: delay.port, tls: "none", auth: null } as const;
  const mail = { integration: { ...base, maxConnections: 4 }, envelope, raw };
  const onDot = () => new Promise<void>((resolve) => setImmediate(resolve));
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, () => transports.send({ ...mail, onDot })),
  );
  const failures = results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
  assert.deepEqual(failures.map(({ unknown, phase }) => [unknown, phase]), [[true, "dot"]]);
});

test("send() puts no mail behind the dots of Dovecot, which would end with it", async () => {
  const greeting = "220 mail.example.com Dovecot ready.";
  await using faulty = await openFaultySmtp({
    plan: ({ stage }) => stage === "greeting" ? { do: "reply", reply: greeting } : undefined,
  });
  await using delay = await openDelay(faulty.port, 5);
  await using transports = openPool();
  const base = { key: "1", host: "localhost", port: delay.port, tls: "none", auth: null } as const;
  const mail = { integration: { ...base, maxConnections: 1 }, envelope, raw };
  await Promise.all(Array.from({ length: 10 }, () => transports.send(mail)));
  assert.equal(delay.roundTrips(), 21, "EHLO, and two for each mail");
});

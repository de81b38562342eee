import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { freePort } from "@posthaste/embedded";
import {
  byDay,
  openFaultySmtp,
  openTestPostfix,
  takesLong,
  testCertificate,
  until,
  whyNoPostfix,
} from "@posthaste/kit";
import PostalMime from "postal-mime";
import { openTestResolver } from "./_test_resolver.ts";
import { composeMime, type MailContent } from "./compose_mime.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import { judgeSmtpFailure } from "./smtp_verdict.ts";
import { openTransportPool } from "./transport_pool.ts";

takesLong();

const MAILS = byDay(60, 200);

/** Independent servers: Postfix and its smtp-sink, if the machine has them. */
const noSink = spawnSync("smtp-sink", ["-h"]).error !== undefined && "no smtp-sink here";
const noPostfix = whyNoPostfix() ?? false;

const resolveHost = openTestResolver();

const subjects = [
  "Your invoice",
  "Grüße aus Köln: Ihre Rechnung №7",
  "🎉🎉🎉 全部の請求書 👩‍👩‍👧‍👦",
  `A long one ${"with words ".repeat(60)}`,
  `Ohne${"ü".repeat(300)}Leerzeichen`,
];
const texts = [
  "Hello",
  ".\r\n..\r\n.\n...\r\n.hidden\r\n.",
  `${"x".repeat(998)}\r\n${"y".repeat(999)}\r\n`,
  `${"ü".repeat(5_000)}\n${"z".repeat(5_000)}`,
  "From the start\r\nFrom: nobody\r\n\r\n\r\ntrailing space \r\ntab\t\r\n=3D=\r\n",
];
const recipients = [
  "ann@example.net",
  "ann@bücher.example",
  "jörg@bücher.example",
  `${"a".repeat(64)}@example.net`,
];
const names = ["Ann", 'Ann "The, Hammer" <x@y>', "安娜 🎈", ""];

/** Returns the n-th mail. Together they combine each text with each name and address; one has 20 MB. */
function mailOf(index: number): MailContent {
  const pick = (list: readonly string[], step: number) =>
    list[Math.floor(index / step) % list.length] ?? "";
  const text = pick(texts, 1);
  const name = pick(names, 3);
  const bytes = index === 50 ? 20_000_000 : index % 7 === 0 ? 3_000 : 0;
  const content = Buffer.alloc(bytes, `%PDF-1.7 ${index}\r\n.\r\n\0\xff`, "latin1");
  return {
    messageId: `<m${index}@example.com>`,
    date: new Date(index * 1_000),
    from: { name: "Bücher & Co.", email: "billing@example.com" },
    to: { email: pick(recipients, 2), ...(name === "" ? {} : { name }) },
    subject: pick(subjects, 5),
    html: `<p>${text}</p>`,
    text,
    attachments: bytes === 0
      ? []
      : [{ filename: `Rechnung ü ${index}.pdf`, content, contentType: "application/pdf" }],
  };
}

test(`Postfix accepts ${MAILS} malicious mails and forwards them byte for byte`, {
  skip: noPostfix,
}, async () => {
  await using faulty = await openFaultySmtp();
  const maxBytes = 35_000_000;
  await using postfix = await openTestPostfix({ relayPort: faulty.port, maxBytes });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost });
  const { port } = postfix;
  const common = { key: "1", host: "localhost", port, auth: null, ca: testCertificate.cert };
  const sent = new Map<string, { content: MailContent; raw: Buffer }>();
  const indexes = Array.from({ length: MAILS }, (_, index) => index);
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) {
      const content = mailOf(index);
      const { raw, envelope } = composeMime(content, { maxBytes });
      const tls = index % 2 === 0 ? "starttls" as const : "none" as const;
      await pool.send({ integration: { ...common, tls }, envelope, raw });
      sent.set(content.messageId, { content, raw });
    }
  }));
  await until(() => faulty.messages.length >= MAILS, { message: "all mails", timeoutMs: 60_000 });
  for (const { record, raw } of faulty.messages) {
    const mail = sent.get(record.messageId ?? "");
    assert.ok(mail, `nobody sent ${record.messageId}`);
    sent.delete(record.messageId ?? "");
    const { messageId, subject } = mail.content;
    assert.ok(afterReceived(raw).equals(mail.raw), `${messageId} was changed on its way`);
    if (raw.length > 1_000_000) continue;
    assert.equal((await PostalMime.parse(raw)).subject, subject.trim(), messageId);
  }
  assert.equal(sent.size, 0);
  assert.deepEqual(faulty.counts.violations, []);
});

test("Postfix accepts a queue of mails behind the dots of others, each once", {
  skip: noPostfix,
}, async () => {
  await using faulty = await openFaultySmtp();
  await using postfix = await openTestPostfix({ relayPort: faulty.port, maxBytes: 1_000_000 });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost });
  const { port } = postfix;
  const integration = {
    ...{ key: "1", host: "localhost", port, auth: null, ca: testCertificate.cert },
    ...{ tls: "starttls", maxConnections: 2 } as const,
  };
  const onDot = () => new Promise<void>((resolve) => setImmediate(resolve));
  const ids = Array.from({ length: MAILS }, (_, index) => `<q${index}@example.com>`);
  await Promise.all(ids.map((messageId) => {
    const { raw, envelope } = composeMime({ ...mailOf(1), messageId });
    return pool.send({ integration, envelope, raw, onDot });
  }));
  await until(() => faulty.messages.length >= ids.length, { message: "all mails" });
  const arrived = faulty.messages.map(({ record }) => record.messageId ?? "");
  assert.deepEqual(arrived.toSorted(), ids.toSorted());
});

test("send() fails a mail that is larger than Postfix accepts, and continues", {
  skip: noPostfix,
}, async () => {
  await using faulty = await openFaultySmtp();
  await using postfix = await openTestPostfix({ relayPort: faulty.port, maxBytes: 20_000 });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost });
  const { port } = postfix;
  const integration = { key: "1", host: "localhost", port, auth: null, tls: "none" } as const;
  const { envelope, raw } = composeMime({ ...mailOf(0), attachments: [] });
  const large = Buffer.concat([raw, Buffer.alloc(30_000, "large\r\n")]);
  for (const [content, kind] of [[raw, "sent"], [large, "fail"], [raw, "sent"]] as const) {
    const outcome = await pool.send({ integration, envelope, raw: content }).then(
      () => "sent",
      (failure) => judgeSmtpFailure(failure).kind,
    );
    assert.equal(outcome, kind);
  }
  await until(() => faulty.messages.length === 2, { message: "two mails" });
});

test("send() reports unknown each time that smtp-sink hangs up after the dot", {
  skip: noSink,
}, async () => {
  const { raw, envelope } = composeMime(mailOf(0));
  await using sink = await openSink(["-q", "."]);
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost });
  const { port } = sink;
  const integration = { key: "1", host: "127.0.0.1", port, auth: null, tls: "none" } as const;
  for (let count = 0; count < 100; count++) {
    const failure = await pool.send({ integration, envelope, raw }).catch((error) => error);
    assert.ok(failure instanceof SmtpFailure);
    assert.equal(judgeSmtpFailure(failure).kind, "unknown");
  }
  assert.equal(pool.connections, 0);
});

for (
  const [flags, kind] of [
    [["-r", "mail"], "defer"],
    [["-r", "rcpt"], "defer"],
    [["-r", "."], "defer"],
    [["-f", "mail"], "fail"],
    [["-f", "rcpt"], "fail"],
    [["-f", "."], "fail"],
    [["-q", "connect"], "defer"],
    [["-q", "rcpt"], "defer"],
    [["-q", "data"], "defer"],
    [["-Q", "mail"], "defer"],
    [["-Q", "."], "defer"],
  ] as const
) {
  test(`send() reports ${kind} for smtp-sink ${flags.join(" ")}`, { skip: noSink }, async () => {
    const { raw, envelope } = composeMime(mailOf(0));
    await using sink = await openSink(flags);
    await using pool = openTransportPool({ ehloName: "x.example", resolveHost });
    const { port } = sink;
    const integration = { key: "1", host: "127.0.0.1", port, auth: null, tls: "none" } as const;
    for (let count = 0; count < 3; count++) {
      const failure = await pool.send({ integration, envelope, raw }).catch((error) => error);
      assert.ok(failure instanceof SmtpFailure);
      assert.equal(judgeSmtpFailure(failure).kind, kind, failure.message);
    }
  });
}

/** Returns the mail after the header that a server added in front. */
function afterReceived(raw: Buffer): Buffer {
  assert.match(raw.toString("latin1", 0, 9), /^Received:/);
  for (let at = raw.indexOf("\r\n"); at !== -1; at = raw.indexOf("\r\n", at + 2)) {
    const next = raw[at + 2];
    if (next !== 0x20 && next !== 0x09) return raw.subarray(at + 2);
  }
  return raw.subarray(raw.length);
}

async function openSink(flags: readonly string[]) {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn("smtp-sink", [...user, ...flags, `127.0.0.1:${port}`, "100"], {
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  await until(() => listens(port), { message: "smtp-sink to listen" });
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function listens(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1");
  socket.on("connect", () => resolve(true));
  socket.on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { addressFault, messageIdOf, newSendId, sendRequestSchema } from "@posthaste/contracts";
import {
  INJECTED_DOMAIN,
  injectionStrings,
  inspectMail,
  openFaultySmtp,
  until,
} from "@posthaste/kit";
import { openTestResolver } from "./_test_resolver.ts";
import { composeMessage, type ReadyMessage } from "./compose_message.ts";
import { composeMime } from "./compose_mime.ts";
import { openTransportPool } from "./transport_pool.ts";
import { toWireAddress } from "./wire_address.ts";

const INJECTIONS = injectionStrings({ count: 600 });
const FROM = "shop@sender.example";
const HEADERS = ["from", "to", "subject", "message-id", "date", "mime-version", "content-type"];
const sendId = newSendId("acc_1");
const base64 = Buffer.from("JVBERi0=\r\n");
const contents = {
  loadAttachment: () => Promise.resolve(base64),
  loadFile: () => Promise.resolve(undefined),
  loadContent: () => Promise.resolve(undefined),
};

/** Returns a message with the text in each of its fields, as if none was validated. */
function messageOf(text: string, index: number): ReadyMessage {
  return {
    ...{ v: 2, sendId, accountId: "acc_1", priority: "bulk", integrationId: 4, index, attempt: 0 },
    acceptedAt: "2026-03-01T10:00:00.000Z",
    messageId: messageIdOf(sendId, index),
    from: { email: FROM, name: text },
    to: { email: `to${index}@example.net`, name: text },
    subject: text,
    html: { inline: `<p>${text}</p>` },
    text: { inline: text },
    attachments: [{ filename: text, key: "a", size: 8 }, {
      filename: `${text}.pdf`,
      key: "b",
      size: 8,
    }],
  };
}

test("a lenient server accepts a smuggled mail in raw bytes", async () => {
  await using faulty = await openFaultySmtp({ lenient: true });
  const socket = connect(faulty.port, faulty.host);
  const smuggled = "MAIL FROM:<x@evil.example>\nRCPT TO:<y@evil.example>\nDATA\nx\n.\n";
  const lines = ["EHLO x", "MAIL FROM:<a@a.example>", "RCPT TO:<b@b.example>", "DATA", ""];
  socket.write(`${lines.join("\r\n")}Subject: x\r\n\r\nx\n.\n${smuggled}\r\n.\r\n`);
  await until(() => faulty.messages.length === 2, { message: "the second mail" });
  assert.deepEqual(faulty.records.map(({ to }) => to), [["b@b.example"], ["y@evil.example"]]);
  socket.destroy();
});

test("no text in any field adds a header, a recipient, a part or a mail", async () => {
  await using faulty = await openFaultySmtp({ lenient: true });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost: openTestResolver() });
  const { host, port } = faulty;
  const integration = { key: "1", host, port, tls: "none", auth: null } as const;
  for (const [index, { kind, text }] of INJECTIONS.entries()) {
    const mail = await composeMessage(messageOf(text, index), contents, 1_000_000);
    assert.ok(typeof mail !== "string", `${kind}: ${mail}`);
    await pool.send({ integration, ...mail });
  }
  assert.equal(faulty.messages.length, INJECTIONS.length);
  assert.deepEqual(faulty.counts.violations, []);
  for (const [index, { record, raw }] of faulty.messages.entries()) {
    const { kind = "", text = "" } = INJECTIONS[index] ?? {};
    const to = `to${index}@example.net`;
    assert.deepEqual([record.from, record.to], [FROM, [to]], kind);
    const expected = { from: FROM, to, headers: HEADERS, attachments: 2 };
    const faults = await inspectMail(raw, { ...expected, html: `<p>${text}</p>`, text });
    assert.deepEqual(faults, [], `${kind}: ${JSON.stringify(text)}`);
  }
});

test("no text as an address reaches another recipient", async () => {
  await using faulty = await openFaultySmtp({ lenient: true });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost: openTestResolver() });
  const { host, port } = faulty;
  const integration = { key: "1", host, port, tls: "none", auth: null } as const;
  const addresses = INJECTIONS.flatMap(({ text }) => [text, `${text}@example.net`, `ann@${text}`]);
  const accepted: string[] = [];
  const request = sendRequestSchema();
  for (const email of addresses) {
    const body = { from: { email: FROM }, to: [{ email }] };
    if (!request.safeParse(body).success) {
      assert.notEqual(addressFault(email), undefined);
      // A second defence: it accepts one plain address or throws.
      if (wireOf(email) !== undefined) {
        assert.match(email, /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/);
      } else {
        const envelope = { from: FROM, to: email };
        await assert.rejects(pool.send({ integration, envelope, raw: base64 }), RangeError);
      }
      continue;
    }
    assert.ok(wireOf(email) !== undefined, `accepted, and never sent: ${JSON.stringify(email)}`);
    accepted.push(email);
    const message = messageOf("x", accepted.length);
    const mail = await composeMessage({ ...message, to: { email } }, contents, 1_000_000);
    assert.ok(typeof mail !== "string", `${mail}`);
    await pool.send({ integration, ...mail });
  }
  assert.equal(faulty.messages.length, accepted.length);
  assert.deepEqual(faulty.counts.violations, []);
  for (const [index, { record, raw }] of faulty.messages.entries()) {
    const to = wireOf(accepted[index] ?? "") ?? "";
    assert.deepEqual([record.from, record.to], [FROM, [to]]);
    assert.equal(to.split("@").length, 2);
    assert.doesNotMatch(to.split("@")[0]?.normalize("NFKC") ?? "", /[@<>,;:"()\s]/);
    const expected = { from: FROM, to, headers: HEADERS, attachments: 2 };
    assert.deepEqual(await inspectMail(raw, expected), [], accepted[index]);
  }
});

function wireOf(email: string): string | undefined {
  try {
    return toWireAddress(email).address;
  } catch {
    return undefined;
  }
}

test("composeMime() never puts an injected address outside of a name, a text or a file's name", () => {
  const { text } = INJECTIONS[0] ?? { text: "" };
  const { raw } = composeMime({
    messageId: "<m1@example.com>",
    date: new Date(0),
    from: { email: FROM, name: text },
    to: { email: "ann@example.net" },
    subject: "x",
    html: "",
    text: "",
    headers: { "X-Note": text },
    replyTo: [{ email: "help@example.net", name: text }],
  });
  const head = raw.toString("latin1").split("\r\n\r\n")[0] ?? "";
  assert.ok(head.includes(INJECTED_DOMAIN), "the injection is there");
  assert.doesNotMatch(head, /^(bcc|cc|resent-to|return-path):/im);
  assert.equal(head.match(/^reply-to:/gim)?.length, 1);
});

test("the mailer reads no file and no URL for a mail: of nodemailer it uses only a hash", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts"));
  const imports = files.flatMap((name) => {
    const source = readFileSync(`${import.meta.dirname}/${name}`, "utf8");
    return [...source.matchAll(/from "(nodemailer[^"]*)"/g)].map(([, specifier]) => specifier);
  });
  assert.deepEqual([...new Set(imports)], ["nodemailer/lib/dkim/relaxed-body"]);
  const { raw } = composeMime({
    messageId: "<m1@example.com>",
    date: new Date(0),
    from: { email: FROM },
    to: { email: "ann@example.net" },
    subject: "x",
    html: '<img src="file:///etc/passwd"><img src="http://127.0.0.1/">',
    text: "path: /etc/passwd",
  });
  assert.doesNotMatch(raw.toString(), /root:/);
});

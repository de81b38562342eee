import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { type Inbox, openInbox } from "./mod.ts";

const PDF = Buffer.from("%PDF-1.7\n%âãÏÓ\nnot much of one");
const SUBJECT = "Rechnung 42 für Zoë 🎉 <b>";
const dataDir = await mkdtemp(join(tmpdir(), "inbox-test-"));
after(() => rm(dataDir, { recursive: true }));

test("openInbox() catches a mail with an emoji subject and a PDF, byte for byte", async () => {
  await using inbox = await open();
  await send(inbox, mail());
  const [listed, ...rest] = await json(inbox, "/api/messages");
  assert.deepEqual(rest, []);
  assert.equal(inbox.count(), 1);
  assert.equal(listed.subject, SUBJECT);
  assert.deepEqual(listed.from, { name: "Zoë", address: "zoe@example.test" });
  assert.deepEqual(listed.to, [{ name: "", address: "ada@example.test" }]);
  assert.equal(listed.messageId, "<one@example.test>");
  assert.deepEqual(
    listed.attachments.filter((part: { inline: boolean }) => !part.inline),
    [{
      index: 1,
      filename: "Rechnung 🎉.pdf",
      contentType: "application/pdf",
      size: PDF.length,
      inline: false,
    }],
  );
  const opened = await json(inbox, `/api/messages/${listed.id}`);
  assert.match(opened.text, /Guten Tag/);
  assert.deepEqual(opened.headers[0], {
    name: "From",
    value: "Zoë <zoe@example.test>",
  });
  const raw = await get(inbox, `/api/messages/${listed.id}/raw`);
  assert.equal(raw.body.toString(), mail());
  const pdf = await get(inbox, `/api/messages/${listed.id}/attachments/1`);
  assert.deepEqual(pdf.body, PDF);
  assert.equal(pdf.headers["content-type"], "application/pdf");
  assert.match(`${pdf.headers["content-disposition"]}`, /^inline; .*Rechnung%20%F0%9F%8E%89\.pdf$/);
});

test("openInbox() still has the mails after a restart", async () => {
  {
    await using inbox = await open();
    await clear(inbox);
    await send(inbox, mail("kept"));
  }
  await using inbox = await open();
  const listed = await json(inbox, "/api/messages");
  assert.deepEqual(listed.map((one: { subject: string }) => one.subject), ["kept"]);
});

test("openInbox() drops the oldest mail over its limit, from the disk too", async () => {
  await using inbox = await open(2);
  await clear(inbox);
  for (const subject of ["one", "two", "three"]) await send(inbox, mail(subject));
  const listed = await json(inbox, "/api/messages");
  assert.deepEqual(listed.map((one: { subject: string }) => one.subject), ["three", "two"]);
  assert.equal((await readdir(dataDir)).length, 2);
});

test("GET html is sandboxed without scripts and network, its cid: images written in", async () => {
  await using inbox = await open();
  await clear(inbox);
  await send(inbox, mail());
  const [{ id }] = await json(inbox, "/api/messages");
  const { headers, body } = await get(inbox, `/api/messages/${id}/html`);
  const policy = `${headers["content-security-policy"]}`;
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /; sandbox allow-popups allow-popups-to-escape-sandbox$/);
  assert.doesNotMatch(policy, /allow-scripts|allow-same-origin|http/);
  assert.match(body.toString(), /<img src="data:image\/png;base64,iVBORw0KGgo=">/);
});

test("GET attachments never shows HTML of a mail as a page", async () => {
  await using inbox = await open();
  await clear(inbox);
  await send(inbox, mail().replaceAll("application/pdf", "text/html"));
  const [{ id }] = await json(inbox, "/api/messages");
  const { headers } = await get(inbox, `/api/messages/${id}/attachments/1`);
  assert.equal(headers["content-type"], "application/octet-stream");
  assert.match(`${headers["content-disposition"]}`, /^attachment;/);
});

test("the page answers local names only, against DNS rebinding", async () => {
  await using inbox = await open();
  const status = async (host: string) => (await get(inbox, "/api/messages", { host })).status;
  assert.equal(await status("localhost:8025"), 200);
  assert.equal(await status("[::1]"), 200);
  assert.equal(await status("rebind.example.test"), 403);
  assert.equal(await status("127.0.0.1.example.test"), 403);
});

test("ids that are not of the inbox answer 404", async () => {
  await using inbox = await open();
  for (const id of ["../../etc/passwd", "..%2f..%2fetc", "0000000000000000", "x"]) {
    assert.equal((await get(inbox, `/api/messages/${id}/raw`)).status, 404, id);
  }
});

test("DELETE removes one mail, and the events report it", async () => {
  await using inbox = await open();
  await clear(inbox);
  await send(inbox, mail("one"));
  await send(inbox, mail("two"));
  const [{ id }] = await json(inbox, "/api/messages");
  const events = await fetch(`${base(inbox)}/api/events`);
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  // What has just arrived may be reported once more.
  const untilCount = async (count: number) => {
    for (let text = ""; !text.includes(`event: changed\ndata: {"count":${count}}`);) {
      const { value, done } = await reader.read();
      assert.ok(!done, "the events end");
      text += value;
    }
  };
  await untilCount(2);
  assert.equal(
    (await fetch(`${base(inbox)}/api/messages/${id}`, { method: "DELETE" })).status,
    204,
  );
  await untilCount(1);
  assert.equal(inbox.count(), 1);
  assert.equal((await get(inbox, `/api/messages/${id}/raw`)).status, 404);
});

test("the SMTP server accepts any login", async () => {
  await using inbox = await open();
  const login = Buffer.from("\0anyone\0anything").toString("base64");
  await send(inbox, mail("with login"), [`AUTH PLAIN ${login}`]);
  assert.equal((await json(inbox, "/api/messages"))[0].subject, "with login");
});

test("the SMTP server accepts many mails on one connection without a login", async () => {
  await using inbox = await open();
  await clear(inbox);
  await send(inbox, mail("again"), [], 30);
  assert.equal(inbox.count(), 30);
});

function open(limit = 100): Promise<Inbox> {
  return openInbox({ dataDir, smtpPort: 0, webPort: 0, limit });
}

function base(inbox: Inbox): string {
  return `http://127.0.0.1:${inbox.webPort}`;
}

async function clear(inbox: Inbox): Promise<void> {
  await fetch(`${base(inbox)}/api/messages`, { method: "DELETE" });
}

// deno-lint-ignore no-explicit-any
async function json(inbox: Inbox, path: string): Promise<any> {
  return JSON.parse((await get(inbox, path)).body.toString());
}

/** As `fetch`, which neither sets a Host nor keeps the dots of a path. */
async function get(inbox: Inbox, path: string, headers: Record<string, string> = {}) {
  const sent = request({ host: "127.0.0.1", port: inbox.webPort, path, headers }).end();
  const [response] = await once(sent, "response");
  return {
    status: response.statusCode as number,
    headers: response.headers as Record<string, unknown>,
    body: Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)),
  };
}

async function send(inbox: Inbox, raw: string, before: string[] = [], times = 1): Promise<void> {
  const socket = connect(inbox.smtpPort, "127.0.0.1");
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const reply = async () => {
    for (;;) {
      const line = String((await lines.next()).value);
      assert.match(line, /^[23]/);
      if (line[3] === " ") return;
    }
  };
  await reply();
  const one = ["MAIL FROM:<zoe@example.test>", "RCPT TO:<ada@example.test>", "DATA", `${raw}.`];
  const all = Array.from({ length: times }, () => one).flat();
  for (const command of ["EHLO test", ...before, ...all, "QUIT"]) {
    socket.write(`${command}\r\n`);
    await reply();
  }
  socket.end();
}

function mail(subject = SUBJECT): string {
  return [
    "From: =?UTF-8?Q?Zo=C3=AB?= <zoe@example.test>",
    "To: ada@example.test",
    `Subject: =?UTF-8?B?${Buffer.from(subject).toString("base64")}?=`,
    "Message-ID: <one@example.test>",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="outer"',
    "",
    "--outer",
    'Content-Type: multipart/related; boundary="inner"',
    "",
    "--inner",
    'Content-Type: multipart/alternative; boundary="both"',
    "",
    "--both",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "Guten Tag",
    "--both",
    "Content-Type: text/html; charset=utf-8",
    "",
    '<html><head></head><body><script>alert(1)</script><img src="cid:logo@x"></body></html>',
    "--both--",
    "--inner",
    "Content-Type: image/png",
    "Content-ID: <logo@x>",
    "Content-Transfer-Encoding: base64",
    "",
    "iVBORw0KGgo=",
    "--inner--",
    "--outer",
    "Content-Type: application/pdf",
    "Content-Transfer-Encoding: base64",
    "Content-Disposition: attachment; filename*=UTF-8''Rechnung%20%F0%9F%8E%89.pdf",
    "",
    PDF.toString("base64"),
    "--outer--",
    "",
  ].join("\r\n");
}

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { openSmtpSink } from "@posthaste/kit";
import { openTestResolver } from "./_test_resolver.ts";
import { verifyDkim } from "./_verify_dkim.ts";
import { composeMime } from "./compose_mime.ts";
import { MAX_SIGNATURE_BYTES, signMail } from "./sign_mail.ts";
import { openTransportPool } from "./transport_pool.ts";

const pair = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const { privateKey, publicKey } = pair();
const published = publicKey.export({ type: "spki", format: "der" }).toString("base64");
const signer = { domain: "example.com", selector: "ph2026", privateKey };

function mailOf(changes: Partial<Parameters<typeof composeMime>[0]> = {}): Buffer {
  return composeMime({
    messageId: "<m1@example.com>",
    date: new Date(0),
    from: { name: "Jörg  Müller", email: "billing@example.com" },
    to: { name: "A very long name, that has to be folded, ".repeat(3), email: "ann@example.net" },
    subject: `${"Grüße und ein langer Betreff ".repeat(5)}`,
    html: "<p>Grüße</p>",
    text: "Grüße \t \n\n\n",
    attachments: [{
      ...{ filename: "Rechnung  Nr. 1.pdf", content: Buffer.alloc(700_000, "pdf ") },
      contentType: "application/pdf",
    }],
    ...changes,
  }).raw;
}

test("signMail() signs the visible headers and the body, as an independent verifier confirms", async () => {
  const raw = await signMail(mailOf(), signer);
  const tags = verifyDkim(raw, published);
  assert.ok(tags, raw.subarray(0, 900).toString());
  assert.deepEqual([tags.get("d"), tags.get("s")], ["example.com", "ph2026"]);
  const once = "from:to:subject:date:message-id:mime-version:content-type";
  const sealed = "from:to:cc:reply-to:subject:date:message-id:mime-version:content-type";
  assert.equal(tags.get("h"), `${once}:${sealed}`);
  assert.ok(raw.length - mailOf().length < MAX_SIGNATURE_BYTES);
  assert.ok(raw.toString().split("\r\n").every((line) => line.length <= 78));
});

test("signMail() signs Cc, Reply-To and how to unsubscribe if a mail has them (RFC 8058)", async () => {
  const listUnsubscribe = { url: "https://example.com/u", mailto: "u@example.com" };
  const replyTo = [{ email: "help@example.com" }];
  const cc = [{ email: "cy@example.com" }];
  const raw = await signMail(mailOf({ listUnsubscribe, replyTo, cc }), signer);
  const signed = verifyDkim(raw, published)?.get("h")?.split(":") ?? [];
  for (const name of ["cc", "reply-to", "list-unsubscribe", "list-unsubscribe-post"]) {
    assert.ok(signed.includes(name), name);
  }
  const text = raw.toString("latin1");
  for (
    const [from, to] of [["/u>", "/x>"], ["One-Click", "Two-Click"], ["help@", "evil@"], [
      "cy@",
      "di@",
    ]]
  ) {
    const changed = text.replace(from ?? "", to ?? "");
    assert.equal(verifyDkim(Buffer.from(changed, "latin1"), published), undefined, from);
  }
});

test("signMail() makes the same bytes on every attempt: it contains no time", async () => {
  const first = await signMail(mailOf(), signer);
  assert.ok(first.equals(await signMail(mailOf(), signer)));
  assert.equal(verifyDkim(first, published)?.has("t"), false);
});

test("signMail() signs so that nothing can be changed, and with this key alone", async () => {
  const raw = await signMail(mailOf(), signer);
  const text = raw.toString("latin1");
  const changes: [string, string | RegExp, string][] = [
    ["sender", "billing@example.com>", "mallory@example.com>"],
    ["recipient", "ann@example.net", "bob@example.net"],
    ["subject", /Subject: =\?UTF-8\?B\?R/, "Subject: =?UTF-8?B?S"],
    ["date", "Date: Thu", "Date: Fri"],
    ["type", "multipart/mixed;", "multipart/other;"],
    ["body", "Content-Type: text/plain", "Content-Type: text/html"],
    ["domain", "d=example.com", "d=example.org"],
  ];
  for (const [what, from, to] of changes) {
    const changed = text.replace(from, to);
    assert.notEqual(changed, text, what);
    assert.equal(verifyDkim(Buffer.from(changed, "latin1"), published), undefined, what);
  }
  const other = pair().publicKey.export({ type: "spki", format: "der" }).toString("base64");
  assert.equal(verifyDkim(raw, other), undefined);
  const folded = text.replace("Subject: ", "Subject:   ").replace("\r\n\r\n--", " \r\n\r\n--");
  assert.notEqual(folded, text);
  assert.ok(verifyDkim(Buffer.from(folded, "latin1"), published), "white space may change");
});

test("signMail() signs so that no second header of a kind can be added, which people would see", async () => {
  const replyTo = [{ email: "help@example.com" }];
  for (const changes of [{}, { replyTo }]) {
    const raw = await signMail(mailOf(changes), signer);
    assert.ok(verifyDkim(raw, published));
    for (
      const added of [
        ...["From: Your bank <billing@example.com>", "To: bob@example.net", "Cc: bob@example.net"],
        ...["Subject: Pay to another account", "Reply-To: mallory@example.com"],
        ...["Date: Thu, 26 Nov 2026 00:00:00 +0000", "Message-ID: <m2@example.com>"],
        ...["MIME-Version: 1.0", "Content-Type: text/html"],
      ]
    ) {
      const text = raw.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      const places = [`${added}\r\n${text}`, `${text.slice(0, end)}\r\n${added}${text.slice(end)}`];
      for (const changed of places) {
        assert.equal(verifyDkim(Buffer.from(changed, "latin1"), published), undefined, added);
      }
    }
    const received = Buffer.concat([Buffer.from("Received: by mx.example.net\r\n"), raw]);
    assert.ok(verifyDkim(received, published), "a server adds its own");
  }
});

test("signMail() refuses a key that cannot sign", async () => {
  const key = { ...signer, privateKey: publicKey };
  await assert.rejects(signMail(mailOf(), key), /its key cannot be used to sign/);
});

test("a signed mail arrives as it was signed", async () => {
  await using sink = await openSmtpSink();
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost: openTestResolver() });
  const integration = {
    ...{ key: "1", host: "localhost", port: sink.port, tls: "none" as const, auth: null },
  };
  const raw = await signMail(mailOf(), signer);
  const envelope = { from: "billing@example.com", to: "ann@example.net" };
  await pool.send({ integration, envelope, raw });
  const [message] = await sink.waitFor(1);
  assert.ok(message && verifyDkim(message.raw, published));
});

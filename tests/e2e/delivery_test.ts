import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { bindPassword, readMasterKeys, sealingKeyOf, sealSecret } from "@posthaste/storage";
import {
  byDay,
  openSmtpSink,
  type SmtpSink,
  type SunkMessage,
  testCertificate,
  until,
} from "@posthaste/kit";
import { keepFile } from "./keep_file.ts";
import { readMail } from "./read_mail.ts";
import { readPdf, readPdfByPoppler } from "./read_pdf.ts";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";
import { SENDER, type SendView } from "./system.ts";
import { openTimeTravel } from "./time_travel.ts";
import { openWebhookEndpoint } from "./webhook_endpoint.ts";

let system: JoinedSystem;
let sink: SmtpSink;
let integration: number;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  sink = stack.use(await openSmtpSink());
  system = stack.use(await joinSystem());
  integration = await system.connect(sink.port);
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** Returns the mails to one address, at a domain for this test alone. */
function mailsTo(address: string): SunkMessage[] {
  return sink.messages.filter(({ envelope }) => envelope.to.includes(address));
}

async function onlyMailTo(address: string): Promise<SunkMessage> {
  const mails = await until(() => mailsTo(address).length > 0 && mailsTo(address), {
    message: `a mail to "${address}"`,
  });
  assert.equal(mails.length, 1);
  return mails[0] as SunkMessage;
}

/** Returns the text of a PDF by PDF.js, after checking that poppler reads the same. */
async function textOf(pdf: Buffer): Promise<string> {
  const [byPdfJs, byPoppler] = await Promise.all([readPdf(pdf), readPdfByPoppler(pdf)]);
  const words = (pages: string[]) => pages.map((page) => page.replaceAll(/\s+/g, " ").trim());
  if (byPoppler !== undefined) {
    assert.equal(byPoppler.pages.length, byPdfJs.pages.length);
    assert.deepEqual(words(byPoppler.pages), words(byPdfJs.pages));
  }
  return words(byPdfJs.pages).join("\n");
}

test("a mail takes recipient over common variables, and a PDF its attachment's over both", async () => {
  const template = await system.publishEmail({
    subject: "Hello {{ name }}",
    html: "<p>Dear <b>{{ name }}</b></p>",
  });
  const pdf = await system.publishPdf({ html: "<h1>Invoice for {{ name }}</h1>" });
  await system.send({
    template,
    integration,
    variables: { name: "A" },
    to: [
      { email: "one@precedence.example", variables: { name: "B" }, attachments: [{ id: pdf }] },
      { email: "two@precedence.example", attachments: [{ id: pdf, variables: { name: "C" } }] },
    ],
  });
  const expected = { one: { mail: "B", pdf: "B" }, two: { mail: "A", pdf: "C" } };
  for (const [who, names] of Object.entries(expected)) {
    for (const read of await readMail(await onlyMailTo(`${who}@precedence.example`))) {
      assert.equal(read.subject, `Hello ${names.mail}`);
      assert.equal(read.html, `<p>Dear <b>${names.mail}</b></p>`);
      assert.equal(read.text, `Dear ${names.mail}`);
      assert.equal(read.attachments.length, 1);
      assert.equal(read.attachments[0]?.type, "application/pdf");
      const text = await textOf(read.attachments[0]?.bytes as Buffer);
      assert.equal(text, `Invoice for ${names.pdf}`);
    }
  }
});

test("recipients of one request get none, one or several PDFs, each from its own variables", async () => {
  const template = await system.publishEmail({
    subject: "Order",
    html: "<p>{{ who.name }}/{{ who.city }}</p>",
  });
  const invoice = await system.publishPdf({
    html: "<p>No {{ number }} for {{ who.name }}/{{ who.city }}.</p>",
    filename: "invoice-{{ number }}.pdf",
  });
  const terms = await system.publishPdf({ html: "<p>Terms of {{ year }}</p>" });
  await system.send({
    template,
    integration,
    variables: { who: { name: "Common", city: "Rome" }, year: 2026 },
    to: [
      { email: "none@order.example" },
      {
        email: "one@order.example",
        variables: { who: { name: "One" } },
        attachments: [{ id: invoice, variables: { number: 1 } }],
      },
      {
        email: "three@order.example",
        attachments: [
          { id: invoice, variables: { number: 2, who: { city: "Oslo" } } },
          { id: invoice, variables: { number: 3 }, filename: "third.pdf" },
          { id: terms, filename: "terms" },
        ],
      },
    ],
  });
  const read = async (who: string) => {
    const [mail] = await readMail(await onlyMailTo(`${who}@order.example`));
    const attachments = await Promise.all(
      mail.attachments.map(async ({ filename, bytes }) => [filename, await textOf(bytes)]),
    );
    return { text: mail.text, attachments };
  };
  assert.deepEqual(await read("none"), { text: "Common/Rome", attachments: [] });
  // A nested value is replaced as a whole: the city of the common one is gone.
  assert.deepEqual(await read("one"), {
    text: "One/",
    attachments: [["invoice-1.pdf", "No 1 for One/."]],
  });
  assert.deepEqual(await read("three"), {
    text: "Common/Rome",
    attachments: [
      ["invoice-2.pdf", "No 2 for /Oslo."],
      ["third.pdf", "No 3 for Common/Rome."],
      ["terms.pdf", "Terms of 2026"],
    ],
  });
});

test("any script of the world arrives unchanged in subjects, names, bodies, file names and PDFs", async () => {
  const words = "Grüße 日本語 한국어 Ελληνικά 🎉👩‍👩‍👧";
  const template = await system.publishEmail({
    subject: "{{ words }} & {{ words }} – {{ words }}",
    html: "<p>{{ words }} &amp; more</p>",
    text: "{{ words }} < & more",
  });
  const pdf = await system.publishPdf({
    html: "<p>{{ words }}</p>",
    filename: "{{ words }}.pdf",
  });
  await system.send({
    template,
    integration,
    from: { email: SENDER, name: 'Ærø "Shop" 店, Ltd.' },
    variables: { words },
    to: [{ email: "words@world.example", name: "Zoë 山田 (CEO)", attachments: [{ id: pdf }] }],
  });
  const mail = await onlyMailTo("words@world.example");
  for (const read of await readMail(mail)) {
    assert.equal(read.subject, `${words} & ${words} – ${words}`);
    assert.equal(read.html, `<p>${words} &amp; more</p>`);
    assert.equal(read.text, `${words} < & more`);
    assert.deepEqual(read.from, { name: 'Ærø "Shop" 店, Ltd.', email: SENDER });
    assert.deepEqual(read.to, [{ name: "Zoë 山田 (CEO)", email: "words@world.example" }]);
    assert.equal(read.attachments[0]?.filename, `${words}.pdf`);
    const { pages } = await readPdf(read.attachments[0]?.bytes as Buffer);
    // A glyph that a Kangxi radical shares is read back as that radical: the same by NFKC.
    assert.match(pages.join().normalize("NFKC"), /Grüße 日本語 한국어 Ελληνικά/);
  }
  const head = mail.raw.subarray(0, mail.raw.indexOf("\r\n\r\n")).toString("latin1");
  assert.match(head, /^[\x20-\x7e\r\n\t]*$/, "a header is ASCII");
  assert.ok(mail.raw.toString("latin1").split("\r\n").every((line) => line.length <= 998));
});

test("a PDF of three pages has its page numbers in header and footer", async () => {
  const template = await system.publishEmail({ subject: "Pages", html: "<p>See the PDF" });
  const pdf = await system.publishPdf({
    html: "{{#each parts}}<div style='break-after: page'>Part {{ this }}</div>{{/each}}<p>End",
    page: {
      margin: { top: "30mm", bottom: "30mm" },
      header: { center: "Statement" },
      footer: { right: "{page} of {pages}" },
    },
  });
  await system.send({
    template,
    integration,
    to: [{
      email: "pages@pages.example",
      attachments: [{ id: pdf, variables: { parts: ["one", "two"] } }],
    }],
  });
  const [mail] = await readMail(await onlyMailTo("pages@pages.example"));
  const bytes = mail.attachments[0]?.bytes as Buffer;
  const { pages } = await readPdf(bytes);
  assert.equal(pages.length, 3);
  assert.equal((await readPdfByPoppler(bytes))?.pages.length ?? 3, 3);
  for (const [index, body] of ["Part one", "Part two", "End"].entries()) {
    assert.match(pages[index] ?? "", new RegExp(body));
    assert.match(pages[index] ?? "", /Statement/);
    assert.match(pages[index] ?? "", new RegExp(`${index + 1} of 3`));
  }
});

test("each recipient has an SMTP transaction, a Message-ID and a header To alone", async () => {
  const template = await system.publishEmail({ subject: "Alone", html: "<p>Hi" });
  const to = ["a", "b", "c"].map((name) => ({ email: `${name}@alone.example` }));
  const accepted = await system.send({ template, integration, to });
  assert.equal(accepted.status, "success");
  assert.match(accepted.message, /put in the queue/);
  await system.untilDone(accepted.id);
  for (const [index, { email }] of to.entries()) {
    const mail = await onlyMailTo(email);
    assert.deepEqual(mail.envelope, { from: SENDER, to: [email] });
    for (const read of await readMail(mail)) {
      assert.deepEqual(read.to, [{ name: "", email }]);
      assert.equal(read.messageId, `<${messageIdOf(accepted.id, index)}@sender.example>`);
    }
    for (const other of to.filter((each) => each.email !== email)) {
      assert.equal(mail.raw.includes(other.email), false);
    }
  }
});

test("a mail with a file, an image in it, copies, Reply-To and List-Unsubscribe arrives once, whole", async () => {
  const template = await system.publishEmail({
    subject: "Everything",
    html: '<p>Hi <img src="cid:logo" alt="Logo"></p>',
  });
  const logo = Buffer.from("89504e470d0a1a0a0001", "hex");
  await keepFile(system, {
    ...{ name: "logo", filename: "logo.png", contentType: "image/png", bytes: logo },
  });
  const terms = Buffer.from("Terms\n");
  const [to, cc, bcc] = ["to", "cc", "bcc"].map((name) => `${name}@whole.example`);
  const mailbox = (email = "") => ({ name: "", email });
  const accepted = await system.send({
    ...{ template, integration, to: [{ email: to ?? "", cc: [{ email: cc ?? "" }] }] },
    ...{ bcc: [{ email: bcc ?? "" }], replyTo: [{ email: "help@sender.example" }] },
    headers: { "X-Order": "42" },
    listUnsubscribe: { url: "https://sender.example/u" },
    attachments: [
      { asset: "logo", contentId: "logo" },
      { content: terms.toString("base64"), filename: "terms.txt", contentType: "text/plain" },
    ],
  });
  await system.untilDone(accepted.id);
  const mail = await onlyMailTo(to ?? "");
  assert.deepEqual(mail.envelope.to, [to, cc, bcc]);
  assert.equal(mail.raw.includes(bcc ?? ""), false);
  assert.match(mail.raw.toString(), /^X-Order: 42\r$/m);
  assert.match(mail.raw.toString(), /^List-Unsubscribe: <https:\/\/sender.example\/u>\r$/m);
  assert.match(mail.raw.toString(), /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  for (const read of await readMail(mail)) {
    assert.deepEqual([read.to, read.cc], [[mailbox(to)], [mailbox(cc)]]);
    assert.deepEqual(read.replyTo, [mailbox("help@sender.example")]);
    assert.deepEqual(read.attachments, [
      { contentId: "logo", filename: "logo.png", type: "image/png", bytes: logo },
      { filename: "terms.txt", type: "text/plain", bytes: terms },
    ]);
  }
});

test("a message is reported from queued to sent with the server's reply", async () => {
  const template = await system.publishEmail({ subject: "State", html: "<p>Hi" });
  const pdf = await system.publishPdf({ html: "<p>PDF of {{ n }}" });
  const accepted = await system.send({
    template,
    integration,
    to: [
      { email: "plain@state.example" },
      { email: "printed@state.example", attachments: [{ id: pdf, variables: { n: 1 } }] },
    ],
  });
  const { states, messageCount } = await system.untilDone(accepted.id);
  assert.deepEqual({ states, messageCount }, { states: { sent: 2 }, messageCount: 2 });
  const stages = [["queued", "rendered", "sending", "sent"], [
    "queued",
    "rendered",
    "printed",
    "sending",
    "sent",
  ]];
  for (const [index, expected] of stages.entries()) {
    // Status events of earlier stages may be written after the mail is sent.
    const message = await until(async () => {
      const found = await system.message(accepted.messages[index]?.id ?? "");
      return found.timeline.length === expected.length && found;
    }, { message: `a timeline of ${expected.length} lines` });
    assert.deepEqual(message.timeline.map(({ type }) => type), expected);
    const times = message.timeline.map(({ at }) => at);
    assert.deepEqual(times, times.toSorted(), "the timeline is in the order of time");
    assert.equal(message.state, "sent");
    assert.equal(message.attempt, 1);
    assert.equal(message.reply?.code, 250);
    assert.match(message.reply?.response ?? "", /OK: message queued/);
    assert.equal(message.finishedAt, message.timeline.at(-1)?.at);
    const [read] = await readMail(await onlyMailTo(message.email));
    const acceptedAt = new Date(message.acceptedAt);
    assert.equal(read.date.getTime(), Math.floor(acceptedAt.getTime() / 1000) * 1000);
  }
  await using travel = openTimeTravel(system);
  await travel.reconcileNow();
  await until(async () => {
    return (await system.get<SendView>(`/sends/${accepted.id}`)).body.settled;
  }, { message: "the send to be settled" });
});

test("a login over STARTTLS and over TLS delivers once the password is right", async () => {
  const template = await system.publishEmail({ subject: "Login", html: "<p>{{ x }}" });
  const key = sealingKeyOf(readMasterKeys(system.stack.masterKey));
  const seal = (password: string, port: number) => (recordId: string) => ({
    user: "shop",
    password: sealSecret(password, {
      ...bindPassword({ accountId: system.accountId, recordId, host: "127.0.0.1", port }),
      key,
    }),
    method: null,
  });
  await Promise.all((["starttls", "implicit"] as const).map(async (tls) => {
    await using server = await openSmtpSink({ tls, users: { shop: "right" } });
    const ca = testCertificate.cert;
    const id = await system.connect(server.port, { tls, ca, auth: seal("wrong", server.port) });
    const to = [{ email: `${tls}@login.example` }];
    const accepted = await system.send({ template, integration: id, to });
    await system.untilResting(accepted.id);
    const messageId = accepted.messages[0]?.id ?? "";
    const refused = await system.message(messageId);
    assert.equal(refused.state, "deferred");
    const why = "The SMTP server refused the user name or the password";
    assert.equal(refused.reason, why);
    assert.equal(refused.reply?.code, 535);
    assert.equal(server.messages.length, 0);

    await system.store.integrations.update(system.accountId, id, {
      auth: seal("right", server.port),
    });
    // The change ends the suspension; the mailer knows the old integration for some seconds.
    await until(async () => (await system.message(messageId)).state === "sent", {
      message: "the mail to be sent with the new password",
    });
    assert.equal(server.messages.length, 1);
    assert.equal(server.messages[0]?.tls, true);
    assert.equal(server.messages[0]?.user, "shop");
  }));
});

test("all recipients of one request get their own mail exactly once", async () => {
  const count = byDay(100, 1000);
  const template = await system.publishEmail({
    subject: "No {{ n }}",
    html: "<p>You are {{ n }}</p>",
  });
  const to = Array.from({ length: count }, (_, n) => ({
    email: `n${n}@many.example`,
    variables: { n },
  }));
  const accepted = await system.send({ template, integration, to });
  assert.equal(accepted.messages.length, count);
  const { states } = await system.untilDone(accepted.id);
  assert.deepEqual(states, { sent: count });
  const mails = sink.messages.filter(({ envelope }) => envelope.to[0]?.endsWith("@many.example"));
  assert.equal(mails.length, count);
  for (const { envelope, raw } of mails) {
    const n = /^n(\d+)@/.exec(envelope.to[0] ?? "")?.[1];
    assert.match(raw.toString("latin1"), new RegExp(`\r\nSubject: No ${n}\r\n`));
  }
  assert.equal(new Set(mails.map(({ envelope }) => envelope.to[0])).size, count);
});

test("an endpoint gets the events of a send, signed, in the order of the feed", async () => {
  await using endpoint = await openWebhookEndpoint(system);
  const { heard, key } = endpoint;
  const template = await system.publishEmail({ subject: "Hi", html: "<p>Hi</p>" });
  const { id } = await system.send({
    ...{ template, integration },
    to: [{ email: "one@webhook.example" }, { email: "two@webhook.example" }],
  });
  const about = () =>
    heard.filter(({ body }) => body.includes(id)).map(({ body }) => JSON.parse(body));
  // Deliveries may overtake each other.
  await until(() => about().length >= 3, { message: "the events of both messages and the send" });
  const events = about().toSorted((a, b) => a.sequence - b.sequence);
  const types = events.map(({ type }) => type);
  assert.deepEqual(types, ["message.sent", "message.sent", "send.settled"]);
  const emails = events.flatMap(({ data }) => data.email ?? []);
  assert.deepEqual(emails.toSorted(), ["one@webhook.example", "two@webhook.example"]);
  for (const { headers, body } of heard) {
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const mac = createHmac("sha256", key).update(signed).digest("base64");
    assert.equal(headers["webhook-signature"], `v1,${mac}`);
  }
});

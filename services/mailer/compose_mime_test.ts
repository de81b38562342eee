import assert from "node:assert/strict";
import { test } from "node:test";
import { simpleParser } from "mailparser";
import PostalMime from "postal-mime";
import { encodeAttachment } from "./base64_lines.ts";
import { composeMime, type MailContent, MailTooLargeError } from "./compose_mime.ts";

const content: MailContent = {
  messageId: "<m1@mail.example.com>",
  date: new Date("2026-03-01T12:30:00Z"),
  from: { name: "Acme Billing", email: "billing@example.com" },
  to: { name: "Ann", email: "ann@example.net" },
  subject: "Your invoice",
  html: "<p>Grüße 🎉</p>\n<p>.</p>\r\n.\r\n",
  text: "Grüße 🎉\n.\nend",
};

const pdf = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 256));

function withFile(filename: string): MailContent {
  return {
    ...content,
    attachments: [{ filename, content: pdf, contentType: "application/pdf" }],
  };
}

/** Reads a message with two independent parsers. */
async function readTwice(raw: Buffer) {
  const postal = await PostalMime.parse(raw);
  const zone = await simpleParser(raw, { skipTextToHtml: true, skipImageLinks: true });
  const [from] = zone.from?.value ?? [];
  const [to] = zone.to === undefined || Array.isArray(zone.to) ? [] : zone.to.value;
  return [
    {
      subject: postal.subject,
      fromName: postal.from?.name,
      toName: postal.to?.[0]?.name,
      toAddress: postal.to?.[0]?.address,
      files: postal.attachments.map((file) => file.filename),
      bytes: postal.attachments.map((file) => Buffer.from(file.content as ArrayBuffer)),
      html: postal.html,
      text: postal.text,
      messageId: postal.messageId,
      date: new Date(postal.date ?? 0).toISOString(),
      fromAddress: postal.from?.address,
    },
    {
      subject: zone.subject,
      fromName: from?.name,
      toName: to?.name,
      toAddress: to?.address,
      files: zone.attachments.map((file) => file.filename),
      bytes: zone.attachments.map((file) => file.content),
      html: zone.html || undefined,
      text: zone.text,
      messageId: zone.messageId,
      date: zone.date?.toISOString(),
      fromAddress: from?.address,
    },
  ];
}

function newlines(text: string | undefined): string {
  return (text ?? "").replace(/\r\n/g, "\n").trim();
}

test("composeMime() writes mail that two parsers read back", async () => {
  for (const read of await readTwice(composeMime(withFile("invoice.pdf")).raw)) {
    assert.equal(read.subject, content.subject);
    assert.equal(read.fromName, "Acme Billing");
    assert.equal(read.fromAddress, "billing@example.com");
    assert.equal(read.toName, "Ann");
    assert.equal(read.toAddress, "ann@example.net");
    assert.equal(read.messageId, content.messageId);
    assert.equal(read.date, "2026-03-01T12:30:00.000Z");
    assert.equal(newlines(read.html), newlines(String(content.html)));
    assert.equal(newlines(read.text), newlines(String(content.text)));
    assert.deepEqual(read.files, ["invoice.pdf"]);
    assert.deepEqual(read.bytes, [pdf]);
  }
});

test("composeMime() makes the same mail of texts as strings and as bytes, however their lines end", () => {
  for (const text of ["", "ä\n", "\r", "a\rb\r\nc\n\rd\n\n", "€\r\n".repeat(77)]) {
    const given = composeMime({ ...content, html: text, text: `${text}x` }).raw;
    const bytes = { html: new TextEncoder().encode(text), text: Buffer.from(`${text}x`) };
    assert.deepEqual(composeMime({ ...content, ...bytes }).raw, given);
    const lines = Buffer.from(text.replace(/\r\n|\r|\n/g, "\r\n")).toString("base64");
    const wrapped = lines.replace(/.{1,76}/g, "$&\r\n");
    assert.ok(given.includes(`base64\r\n\r\n${wrapped}--`), JSON.stringify(text));
  }
});

const texts = {
  plain: "Order 42 has shipped",
  "emoji with joiners": "👩‍👩‍👧‍👦 family 🇪🇺 ❤️".repeat(3),
  "Chinese and Japanese": "請求書のお知らせ：二〇二六年三月分".repeat(8),
  "rare Chinese": "𠜎𠜱𠝹𠱓".repeat(20),
  "right to left": "فاتورتك الجديدة جاهزة للدفع — חשבונית חדשה",
  "quotes and backslashes": 'The "best" \\ deal, (now); <b>: @you',
  "300 letters": "x".repeat(300),
  "300 characters in words": "lorem ipsum dolor ".repeat(17).slice(0, 299) + ".",
  "300 letters with accents": "é".repeat(300),
  "accent only at the end": "Rendez-vous demain au café",
};

for (const [kind, text] of Object.entries(texts)) {
  test(`composeMime() keeps ${kind} in subject, names and file names`, async () => {
    const mail = {
      ...withFile(`${text}.pdf`),
      subject: text,
      from: { name: text, email: "billing@example.com" },
      to: { name: text, email: "ann@example.net" },
    };
    const { raw } = composeMime(mail);
    for (const line of raw.toString("latin1").split("\r\n")) assert.ok(line.length <= 78, line);
    for (const read of await readTwice(raw)) {
      assert.equal(read.subject, text);
      assert.equal(read.fromName, text);
      assert.equal(read.toName, text);
      assert.equal(read.toAddress, "ann@example.net");
      assert.deepEqual(read.files, [`${text}.pdf`]);
    }
  });
}

test("composeMime() keeps a subject that looks encoded", async () => {
  const subject = "=?UTF-8?B?aGk=?= stays";
  for (const read of await readTwice(composeMime({ ...content, subject }).raw)) {
    assert.equal(read.subject, subject);
  }
});

for (const filename of ['a "b".pdf', "a;b=c.pdf", "🧾 facture.pdf", "it's 100%.pdf", "a\\b.pdf"]) {
  test(`composeMime() keeps the file name ${filename}`, async () => {
    for (const read of await readTwice(composeMime(withFile(filename)).raw)) {
      assert.deepEqual(read.files, [filename]);
    }
  });
}

test("composeMime() returns the same bytes for the same content", () => {
  const again = composeMime(structuredCloneOf(withFile("é.pdf")));
  assert.ok(composeMime(withFile("é.pdf")).raw.equals(again.raw));
});

function structuredCloneOf(mail: MailContent): MailContent {
  return {
    ...mail,
    date: new Date(mail.date),
    attachments: (mail.attachments ?? []).map((file) => ({ ...file, content: Buffer.from(pdf) })),
  };
}

test("composeMime() writes a pre-encoded attachment as it writes the file", () => {
  const base64 = encodeAttachment(pdf);
  const cached = composeMime({
    ...content,
    attachments: [{ filename: "a.pdf", content: { base64 }, contentType: "application/pdf" }],
  });
  assert.ok(cached.raw.equals(composeMime(withFile("a.pdf")).raw));
});

test("composeMime() writes ASCII lines that end with CRLF and never start with a dot", () => {
  const text = composeMime(withFile("é.pdf")).raw.toString("latin1");
  assert.doesNotMatch(text, /[^\x20-\x7e\r\n]|\r(?!\n)|(?<!\r)\n|^\./m);
  assert.ok(text.endsWith("--\r\n"));
});

test("composeMime() prevents every value from adding a header or a part", async () => {
  const evil = "x\r\nBcc: evil@example.com\r\n\r\n--boundary\r\n\0";
  const { raw } = composeMime({
    ...withFile(evil),
    subject: evil,
    from: { name: evil, email: "billing@example.com" },
    headers: { "X-Note": evil, "References": evil },
    replyTo: [{ name: evil, email: "help@example.com" }],
    listUnsubscribe: { url: "https://example.com/u" },
  });
  const { headers } = await PostalMime.parse(raw);
  assert.deepEqual(headers.map(({ key }) => key), [
    "from",
    "to",
    "reply-to",
    "subject",
    "message-id",
    "date",
    "list-unsubscribe",
    "list-unsubscribe-post",
    "x-note",
    "references",
    "mime-version",
    "content-type",
  ]);
});

test("composeMime() returns the envelope with an international domain in ASCII", async () => {
  const mail = composeMime({ ...content, to: { email: "ann@bücher.example" } });
  assert.equal(mail.envelope.to, "ann@xn--bcher-kva.example");
  assert.equal(mail.needsSmtpUtf8, false);
  const [postal] = await readTwice(mail.raw);
  assert.equal(postal?.toAddress, "ann@xn--bcher-kva.example");
});

test("composeMime() returns that a local part needs SMTPUTF8", async () => {
  const mail = composeMime({ ...content, to: { email: "jörg@example.net" } });
  assert.equal(mail.needsSmtpUtf8, true);
  const [postal] = await readTwice(mail.raw);
  assert.equal(postal?.toAddress, "jörg@example.net");
});

test("composeMime() refuses a mail that is too large and reports its size", () => {
  const size = composeMime(withFile("a.pdf")).raw.length;
  composeMime(withFile("a.pdf"), { maxBytes: size });
  assert.throws(
    () => composeMime(withFile("a.pdf"), { maxBytes: size - 1 }),
    (error) => error instanceof MailTooLargeError && error.size === size,
  );
});

test("composeMime() refuses a malformed Message-ID, date or address", () => {
  for (
    const broken of [
      { messageId: "m1@example.com" },
      { messageId: "<a>\r\nBcc: <b>" },
      { date: new Date(Number.NaN) },
      { to: { email: "a@example.com, evil@example.com" } },
      { headers: { Bcc: "evil@example.com" } },
      { headers: { "X-A: b\r\nBcc": "evil@example.com" } },
      { replyTo: [{ email: "a@example.com, evil@example.com" }] },
      { listUnsubscribe: { url: "https://example.com/>,<mailto:evil@example.com" } },
    ]
  ) {
    assert.throws(() => composeMime({ ...content, ...broken }), RangeError);
  }
});

test("composeMime() writes Cc, Reply-To, further headers and how to unsubscribe, as two parsers read them", async () => {
  const references = Array.from({ length: 12 }, (_, at) => `<message-${at}@mail.example.com>`);
  const { raw, needsSmtpUtf8 } = composeMime({
    ...content,
    cc: [{ name: "Cy, Sales", email: "cy@example.com" }, { email: "di@bücher.example" }],
    replyTo: [{ name: "Hilfe, Büro", email: "help@bücher.example" }, { email: "b@example.com" }],
    headers: {
      References: references.join(" "),
      "X-Order": "42  double",
      "X-Place": "Köln",
      "X-Word": "=?utf-8?q?a?=",
    },
    listUnsubscribe: { url: "https://example.com/u?m=1", mailto: "u@example.com?subject=stop" },
  });
  assert.equal(needsSmtpUtf8, false);
  assert.ok(raw.toString().split("\r\n").every((line) => line.length <= 78));
  const { headers, cc, replyTo } = await PostalMime.parse(raw);
  const valueOf = (name: string) => headers.find(({ key }) => key === name)?.value;
  assert.deepEqual(cc, [
    { name: "Cy, Sales", address: "cy@example.com" },
    { name: "", address: "di@xn--bcher-kva.example" },
  ]);
  assert.deepEqual(replyTo, [
    { name: "Hilfe, Büro", address: "help@xn--bcher-kva.example" },
    { name: "", address: "b@example.com" },
  ]);
  assert.equal(valueOf("references"), references.join(" "));
  assert.equal(valueOf("x-order"), "42  double");
  // The parser leaves encoded words in headers that it does not know.
  const encoded = (text: string) => `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;
  assert.equal(valueOf("x-place"), encoded("Köln"));
  assert.equal(valueOf("x-word"), encoded("=?utf-8?q?a?="));
  assert.equal(
    valueOf("list-unsubscribe"),
    "<https://example.com/u?m=1>, <mailto:u@example.com?subject=stop>",
  );
  assert.equal(valueOf("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
});

test("composeMime() writes no one-click header if a page has to be opened", () => {
  const listUnsubscribe = { url: "http://example.com/u", oneClick: false };
  const text = composeMime({ ...content, listUnsubscribe }).raw.toString();
  assert.match(text, /^List-Unsubscribe: <http:\/\/example.com\/u>\r$/m);
  assert.doesNotMatch(text, /List-Unsubscribe-Post/);
});

test("composeMime() puts inline files beside the HTML, and the others beside the mail", async () => {
  const png = Buffer.from("89504e470d0a1a0a", "hex");
  const mail = (contentId?: string) => ({
    ...{ filename: "logo.png", content: png, contentType: "image/png", contentId },
  });
  const csv = {
    filename: "a.csv",
    content: Buffer.from("a;b"),
    contentType: "text/csv; charset=utf-8",
  };
  const { raw } = composeMime({
    ...content,
    html: '<img src="cid:logo">',
    attachments: [mail("logo"), csv],
  });
  const { attachments, html } = await PostalMime.parse(raw);
  assert.match(html ?? "", /cid:logo/);
  assert.deepEqual(
    attachments.map(({ filename, mimeType, disposition, contentId, related }) => ({
      ...{ filename, mimeType, disposition, contentId, related },
    })),
    [
      {
        ...{ filename: "logo.png", mimeType: "image/png", disposition: "inline" },
        ...{ contentId: "<logo>", related: true },
      },
      {
        ...{ filename: "a.csv", mimeType: "text/csv", disposition: "attachment" },
        ...{ contentId: undefined, related: undefined },
      },
    ],
  );
  const text = raw.toString();
  assert.match(
    text,
    /^Content-Type: multipart\/mixed;\r\n boundary="([^"]+)-m"[^]*multipart\/related;\r\n type="multipart\/alternative";\r\n boundary="\1-r"[^]*multipart\/alternative;\r\n boundary="\1-a"/m,
  );
  const related = composeMime({ ...content, attachments: [mail("logo")] }).raw.toString();
  assert.match(related, /^Content-Type: multipart\/related;/m);
  assert.doesNotMatch(related, /multipart\/mixed/);
  for (const evil of [{ contentId: "a>\r\nBcc: b" }, { contentType: "a/b\r\nBcc: c@d.example" }]) {
    assert.throws(
      () => composeMime({ ...content, attachments: [{ ...csv, ...evil }] }),
      RangeError,
    );
  }
});

import {
  type EventData,
  EVENTS,
  MAX_EVENT_BYTES,
  messageIdOf,
  newSendId,
  pageOptionsSchema,
  type PdfVersion,
} from "@posthaste/contracts";
import {
  jsonBytes,
  type MessageWithBytes,
  type Outgoing,
  readTail,
  runStep,
  statusEventsIn,
} from "@posthaste/messaging";
import { openSandbox, RenderError } from "@posthaste/templating";
import { minimalInvoice, testSend } from "@posthaste/kit";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { emailVersion, GERMAN_MAIL, GERMAN_PDF, pdfVersion } from "./_test_versions.ts";
import type { RemoteImages } from "./remote_images.ts";
import { type RenderDeps, renderStep } from "./render_step.ts";

const sendId = newSendId("acc_1");
const signal = new AbortController().signal;

const REQUESTED: EventData<"send.requested"> = {
  v: 2,
  sendId,
  accountId: "acc_1",
  priority: "transactional",
  acceptedAt: "2026-03-01T10:00:00.000Z",
  integrationId: 4,
  from: { email: "shop@example.com", name: "Shop" },
  template: { id: 1, version: 2 },
  pdfVersions: { 7: 3 },
  variables: { name: "A" },
  recipients: [{ index: 0, attempt: 0, email: "ann@example.com" }],
  subjectKey: "key",
};

const SEND = testSend({
  _id: sendId,
  acceptedAt: new Date(REQUESTED.acceptedAt),
  template: { id: 1, version: 2 },
  pdfVersions: { 7: 3 },
  integrationId: 4,
  request: {
    from: REQUESTED.from,
    to: [
      { email: "ann@example.com", variables: { name: "Ann" } },
      { email: "bob@example.com", name: "Bob" },
      { email: "cy@example.com", attachments: [{ id: 7, variables: { name: "C" } }] },
    ],
    variables: { name: "A" },
  },
  subjectKey: "key",
});

const sandbox = openSandbox({ workers: 1 });
after(() => sandbox[Symbol.asyncDispose]());

function depsOf(changes: Partial<RenderDeps> = {}): RenderDeps {
  return {
    kept: { embedded: () => Promise.resolve({}) },
    emailVersion: (_, id, version) =>
      Promise.resolve(id === 1 && version === 2 ? emailVersion() : null),
    pdfVersion: (_, id, version) =>
      Promise.resolve(id === 7 && version === 3 ? pdfVersion(7) : null),
    sends: {
      load: () => Promise.reject(new Error("not asked for")),
    },
    fill: sandbox.fill,
    isSlow: () => false,
    storeContent: () => Promise.reject(new Error("not asked for")),
    now: () => new Date("2026-03-01T10:00:01.000Z"),
    ...changes,
  };
}

function handle(changes: Partial<typeof REQUESTED> = {}, deps: Partial<RenderDeps> = {}) {
  const delivery = { type: "send.requested", data: { ...REQUESTED, ...changes } } as const;
  return runStep(renderStep(depsOf(deps)), delivery, { signal });
}

async function published(...args: Parameters<typeof handle>): Promise<Outgoing[]> {
  const verdict = await handle(...args);
  assert.equal(verdict.type, "done", JSON.stringify(verdict));
  const publish = verdict.type === "done" ? verdict.publish : [];
  for (const { type, data } of publish) EVENTS[type].parse(JSON.parse(JSON.stringify(data)));
  return publish;
}

/** Returns type, position and, for a failure, reason of each message in the events, by position. */
function reported(events: Outgoing[]): string[] {
  const of = (event: Outgoing) =>
    event.type === "messages.rendered"
      ? event.data.messages
      : statusEventsIn(event).map(({ data }) => data);
  return events.flatMap((event) => of(event).map((one) => ({ type: event.type, ...one })))
    .map(({ type, ...one }) => ({ type, index: 0, reason: "", ...one }))
    .toSorted((one, other) => one.index - other.index)
    .map(({ type, index, reason }) => `${type} ${index} ${reason}`.trim());
}

/** Removes the durations, which differ each time. */
function withoutTimeline(message: Rendered | undefined) {
  return { ...message, timeline: undefined };
}

/** A message with the fields of its event about its send. */
type Rendered =
  & Omit<EventData<"messages.rendered">, "messages">
  & MessageWithBytes<"messages.rendered">;

function messagesOf(events: Outgoing[]): Rendered[] {
  return events.flatMap(({ type, data, tail }) => {
    if (type !== "messages.rendered") return [];
    const { messages, ...head } = data;
    return readTail(messages, tail).map((message) => ({ ...head, ...message }));
  });
}

/** Returns a text as it travels in the tail of its event. */
function inTail(text: string) {
  return { bytes: Buffer.from(text) };
}

test("renderStep() renders each recipient with their variables, PDFs and file names", async () => {
  const events = await published({
    recipients: [
      { index: 0, attempt: 0, email: "ann@example.com", name: "Ann", variables: { name: "<B>" } },
      {
        index: 1,
        attempt: 2,
        email: "bob@example.com",
        attachments: [{ id: 7, variables: { name: "C/D" } }, { id: 7, filename: "Mine.pdf" }],
      },
    ],
  });
  assert.deepEqual(reported(events), [
    "messages.rendered 0",
    "messages.rendered 1",
  ]);
  const [ann, bob] = messagesOf(events).toSorted((one, other) => one.index - other.index);
  const [rendered] = ann?.timeline ?? [];
  assert.deepEqual([rendered?.type, rendered?.at], ["rendered", "2026-03-01T10:00:01.000Z"]);
  assert.ok(rendered?.durationMs && rendered.durationMs > 0);
  assert.deepEqual(withoutTimeline(ann), {
    v: 4,
    sendId,
    accountId: "acc_1",
    priority: "transactional",
    acceptedAt: REQUESTED.acceptedAt,
    integrationId: 4,
    ...{ from: REQUESTED.from, subjectKey: "key" },
    index: 0,
    attempt: 0,
    to: { email: "ann@example.com", name: "Ann" },
    subject: "Hello <B>",
    html: inTail("<p>&lt;B&gt; in Oslo</p>"),
    text: inTail("<B> in Oslo"),
    pdfs: [],
    timeline: undefined,
  });
  assert.deepEqual([bob?.attempt, bob?.to, bob?.subject], [
    2,
    { email: "bob@example.com" },
    "Hello A",
  ]);
  const { page } = pdfVersion(7);
  assert.deepEqual(bob?.pdfs, [
    {
      templateId: 7,
      filename: "invoice-C-D.pdf",
      html: { inline: "<h1>C/D</h1><p>7 NOK</p>" },
      page,
    },
    { templateId: 7, filename: "Mine.pdf", html: { inline: "<h1>A</h1><p>7 NOK</p>" }, page },
  ]);
});

test("renderStep() writes each recipient's mail and PDFs in the language that fits best", async () => {
  const attachments = [{ id: 7, variables: { name: "1" } }];
  const to = (index: number, locale?: string) => ({
    ...{ index, attempt: 0, email: `${index}@example.com`, attachments },
    ...(locale === undefined ? {} : { locale }),
  });
  const file = (name: string) => ({
    ...{ name, sha256: "a".repeat(64), size: 1, filename: `${name}.png`, contentType: "image/png" },
  });
  const variants = structuredClone(GERMAN_MAIL);
  const { de } = variants;
  assert.ok(de);
  de.parts.html += ' <img src="{{asset "logo-de"}}">';
  de.shows = ["logo-de"];
  const email = emailVersion({
    ...{ assets: [file("logo-en"), file("logo-de")], shows: ["logo-en"], variants },
  });
  const events = await published({
    recipients: [to(0), to(1, "de-AT"), to(2, "fr"), to(3, "de")],
  }, {
    emailVersion: () => Promise.resolve(email),
    pdfVersion: () => Promise.resolve(pdfVersion(7, { variants: GERMAN_PDF })),
  });
  const messages = messagesOf(events).toSorted((one, other) => one.index - other.index);
  const german = ["Hallo A", '<p>1,5 <img src="cid:logo-de">', "rechnung-1.pdf", "logo-de"];
  const english = ["Hello A", "<p>A in Oslo</p>", "invoice-1.pdf", "logo-en"];
  assert.deepEqual(
    messages.map(({ subject, html, pdfs, files }) => [
      ...[subject, "bytes" in html && String(html.bytes), pdfs[0]?.filename, files?.[0]?.contentId],
    ]),
    [english, german, english, german],
  );
  assert.ok(messages.every(({ files }) => files?.length === 1));
  assert.deepEqual(messages[1]?.pdfs[0]?.html, { inline: "<h1>Rechnung 1</h1>" });
});

test("renderStep() reports what fails in one language, and sends the others", async () => {
  const variants = structuredClone(GERMAN_MAIL);
  if (variants["de"]) variants["de"].parts.html = "{{ number name }}";
  const events = await published({
    recipients: [
      { index: 0, attempt: 0, email: "a@example.com" },
      { index: 1, attempt: 0, email: "b@example.com", locale: "de" },
    ],
  }, { emailVersion: () => Promise.resolve(emailVersion({ variants })) });
  assert.deepEqual(reported(events), [
    "messages.rendered 0",
    'status.message.failed 1 The template could not be filled: Cannot format number "A": it is not a number',
  ]);
});

test("renderStep() returns the same message each time, except for the durations", async () => {
  const [first, second] = await Promise.all([published(), published()]);
  assert.deepEqual(messagesOf(first).map(withoutTimeline), messagesOf(second).map(withoutTimeline));
});

test("renderStep() fails the recipient whose template fails and leaves the others", async () => {
  const recipients = [0, 1, 2].map((index) => ({
    index,
    attempt: 0,
    email: `person${index}@example.com`,
  }));
  const events = await published({ recipients }, {
    fill: async (request) => {
      const results = await sandbox.fill(request);
      results[1] = { ok: false, error: new RenderError("error", '"none" is no number') };
      return results;
    },
  });
  assert.deepEqual(reported(events), [
    "messages.rendered 0",
    'status.message.failed 1 The template could not be filled: "none" is no number',
    "messages.rendered 2",
  ]);
});

test("renderStep() fails all recipients where a pinned version is missing", async () => {
  assert.deepEqual(reported(await published({ template: { id: 1, version: 9 } })), [
    "status.message.failed 0 The template could not be filled: version 9 of template 1 is missing",
  ]);
  const recipients = [
    { index: 3, attempt: 0, email: "ann@example.com" },
    { index: 4, attempt: 0, email: "bob@example.com", attachments: [{ id: 8 }] },
  ];
  const reason =
    "The template could not be filled: the pinned version of PDF template 8 is missing";
  assert.deepEqual(reported(await published({ recipients })), [
    `status.message.failed 3 ${reason}`,
    `status.message.failed 4 ${reason}`,
  ]);
});

/** Returns a dispatch by reference. */
function resumed(again: { index: number; attempt: number }[]) {
  const data = { v: 2, sendId, accountId: "acc_1", priority: "bulk", again } as const;
  return { type: "send.resumed" as const, data: { ...data, again } };
}

test("renderStep() finds the messages of a dispatch by reference in the ledger", async () => {
  const again = [{ index: 2, attempt: 3 }, { index: 0, attempt: 1 }, { index: 99, attempt: 0 }];
  const step = renderStep(depsOf({
    sends: {
      load: (id) => Promise.resolve(id === sendId ? SEND : null),
    },
  }));
  const verdict = await step.handle(resumed(again), signal);
  const events = messagesOf(verdict.type === "done" ? verdict.publish : []);
  assert.deepEqual(
    events.map(({ index, attempt, subject, pdfs }) => [index, attempt, subject, pdfs.length]),
    [[2, 3, "Hello A", 1], [0, 1, "Hello Ann", 0]],
  );
  assert.deepEqual(events[0]?.pdfs[0]?.html, { inline: "<h1>C</h1><p>7 NOK</p>" });
});

test("renderStep() makes the same message of a send as of a reference to it, but for its priority", async () => {
  const [recipient] = SEND.request.to;
  assert.ok(recipient);
  const [carried] = messagesOf(
    await published({ recipients: [{ index: 0, attempt: 2, ...recipient }] }),
  );
  const step = renderStep(depsOf({
    sends: {
      load: () => Promise.resolve(SEND),
    },
  }));
  const verdict = await step.handle(resumed([{ index: 0, attempt: 2 }]), signal);
  const [named] = messagesOf(verdict.type === "done" ? verdict.publish : []);
  assert.deepEqual(withoutTimeline(named), { ...withoutTimeline(carried), priority: "bulk" });
});

test("renderStep() passes on the mail's fields beside its content, from every dispatcher", async () => {
  const envelope = { replyTo: [{ email: "help@example.com" }], headers: { "X-A": "1" } };
  const recipients = [{ index: 0, attempt: 0, email: "ann@example.com", envelope }];
  const [first] = messagesOf(await published({ v: 3, recipients }));
  assert.deepEqual([first?.v, first?.envelope], [4, envelope]);
  const request = { ...SEND.request, ...envelope };
  const step = renderStep(depsOf({
    sends: {
      load: () => Promise.resolve({ ...SEND, request, eventVersion: 3 }),
    },
  }));
  // An older tracker dispatches it.
  const verdict = await step.handle(resumed([{ index: 0, attempt: 2 }]), signal);
  assert.ok(verdict.type === "done");
  const [again] = messagesOf(verdict.publish);
  assert.deepEqual([again?.v, again?.envelope], [4, envelope]);
});

test("renderStep() does nothing for a reference to no recipient", async () => {
  const step = renderStep(depsOf({
    sends: {
      load: () => Promise.resolve(SEND),
    },
    fill: () => Promise.reject(new Error("there is nothing to fill")),
  }));
  assert.deepEqual(await step.handle(resumed([{ index: 99, attempt: 0 }]), signal), {
    type: "done",
    publish: [],
  });
});

test("renderStep() gives up a send that the ledger does not have", async () => {
  const step = renderStep(depsOf({
    sends: {
      load: () => Promise.resolve(null),
    },
  }));
  const delivery = resumed([{ index: 1, attempt: 2 }]);
  const verdict = await step.handle(delivery, signal);
  assert.deepEqual(verdict, { type: "fail", reason: "the send is not in the ledger" });
  const { publish } = step.giveUp(delivery, "no such send");
  assert.deepEqual(reported(publish), [
    "status.message.failed 1 The template could not be filled: no such send",
  ]);
});

test("renderStep() stores a text that is too large for its event", async () => {
  const stored = new Map<string, string>();
  const events = await published({
    variables: { name: "x".repeat(400_000) },
    recipients: [{
      index: 0,
      attempt: 0,
      email: "ann@example.com",
      variables: { name: "Ann" },
      attachments: [{ id: 7, variables: { name: "y".repeat(400_000) }, filename: "a.pdf" }],
    }],
  }, {
    storeContent: (key, text) => Promise.resolve(void stored.set(key, text)),
  });
  const [message] = messagesOf(events);
  const content = message?.pdfs[0]?.html;
  assert.ok(content && "key" in content);
  assert.match(stored.get(content.key) ?? "", /^<h1>y{400000}<\/h1>/);
  assert.deepEqual(message?.html, inTail("<p>Ann in Oslo</p>"));
});

test("renderStep() stores all texts of a message whose other fields leave no space in its event", async () => {
  // Each character takes six bytes of JSON.
  const long = (length: number) => "\u{1}".repeat(length);
  const margin = { left: long(200), center: long(200), right: long(200) };
  const page = pageOptionsSchema.parse({ header: margin, footer: margin });
  const boxes = Array.from({ length: 10 }, (_, at) => ({
    ...{ email: `${at}@example.com`, name: long(256) },
  }));
  const html = '"'.repeat(314_500);
  const stored = new Set<string>();
  const events = await published({
    v: 3,
    recipients: [{
      ...{ index: 0, attempt: 0, email: "ann@example.com", name: long(256) },
      variables: { subject: `S${long(9998)}S` },
      envelope: {
        replyTo: boxes,
        cc: boxes,
        bcc: boxes,
        headers: { "X-A": long(4000), "X-B": long(4000) },
      },
      attachments: Array.from({ length: 10 }, () => ({ id: 7 })),
    }],
  }, {
    emailVersion: () =>
      Promise.resolve(
        emailVersion({ parts: { subject: "{{subject}}", html, text: "t" }, variables: [] }),
      ),
    pdfVersion: () => Promise.resolve(pdfVersion(7, { page })),
    storeContent: (_, text) => Promise.resolve(void stored.add(text)),
  });
  const [event] = events;
  assert.ok(event !== undefined && events.length === 1);
  const bytes = jsonBytes(event.data) + (event.tail?.length ?? 0);
  assert.ok(bytes <= MAX_EVENT_BYTES, `${bytes} bytes`);
  const [message] = messagesOf(events);
  assert.ok(message !== undefined && "key" in message.html && "key" in message.text);
  assert.ok(stored.has(html) && stored.has("t"));
});

test("renderStep() holds no more text at the same time than its budget, and fails what alone is too large", async () => {
  const large = "x".repeat(4_500_000);
  const versions = {
    emailVersion: () =>
      Promise.resolve(emailVersion({ parts: { subject: "S", html: "{{name}}", text: "t" } })),
    pdfVersion: () =>
      Promise.resolve(pdfVersion(7, { parts: { html: "{{name}}", filename: "f.pdf" } })),
  };
  const recipients = [0, 1, 2, 3, 4, 5, 6].map((index) => ({
    index,
    attempt: 0,
    email: `person${index}@example.com`,
    variables: { name: large },
    ...index === 2 ? { attachments: [{ id: 7 }, { id: 7 }, { id: 7 }, { id: 7 }, { id: 7 }] } : {},
  }));
  const held: number[] = [];
  const events = await published({ recipients }, {
    ...versions,
    fill: async (request) => {
      const results = await sandbox.fill(request);
      const texts = results.flatMap((result) => result.ok ? Object.values(result.parts) : []);
      held.push(texts.reduce((sum, { length }) => sum + length, 0));
      return results;
    },
    storeContent: () => Promise.resolve(),
  });
  assert.deepEqual(
    reported(events),
    [0, 1, 2, 3, 4, 5, 6].map((index) =>
      index === 2
        ? "status.message.failed 2 The template could not be filled: the message's texts have more " +
          "than 20000000 characters"
        : `messages.rendered ${index}`
    ),
  );
  assert.ok(held.length > 1 && held.every((characters) => characters < 35e6), held.join());
});

test("renderStep() puts the single messages of a slow account into bulk priority", async () => {
  const events = await published({}, { isSlow: (owner) => owner === "acc_1" });
  assert.deepEqual(events, [{
    type: "send.resumed",
    data: {
      v: 2,
      sendId,
      accountId: "acc_1",
      priority: "bulk",
      again: [{ index: 0, attempt: 0 }],
    },
  }]);
  const bulk = await published({ priority: "bulk" }, { isSlow: () => true });
  assert.deepEqual(reported(bulk), ["messages.rendered 0"]);
});

test("renderStep() waits for an unavailable sandbox, and for an unavailable database", async () => {
  const closed = await handle({}, {
    fill: ({ fills }) =>
      Promise.resolve(fills.map(() => ({ ok: false, error: new RenderError("closed", "closed") }))),
  });
  assert.ok(closed.type === "retry" && closed.outage);
  const away = Object.assign(new Error("away"), { name: "MongoServerSelectionError" });
  const database = await handle({}, { emailVersion: () => Promise.reject(away) });
  assert.ok(database.type === "retry" && database.outage);
});

const PDF_WITH_IMAGE = pdfVersion(7, {
  parts: { html: `<img src="http://a/1">`, filename: "a.pdf" },
  page: pageOptionsSchema.parse({ images: "remote" }),
});
const WITH_PDF = {
  recipients: [
    { index: 0, attempt: 2, email: "ann@example.com", attachments: [{ id: 7 }] },
    { index: 1, attempt: 0, email: "bob@example.com" },
  ],
};

test("renderStep() puts remote images into a PDF whose template allows it", async () => {
  const images: RemoteImages = {
    inline: ({ html }) =>
      Promise.resolve({ type: "done", html: html.replace("http://a/1", "data:,") }),
  };
  const htmlOf = async (version: PdfVersion, deps: Partial<RenderDeps>) => {
    const pdfVersion = () => Promise.resolve(version);
    const [ann] = messagesOf(await published(WITH_PDF, { pdfVersion, ...deps }));
    return ann?.pdfs[0]?.html;
  };
  assert.deepEqual(await htmlOf(PDF_WITH_IMAGE, { images }), { inline: `<img src="data:,">` });
  const untouched = { inline: `<img src="http://a/1">` };
  const none = { ...PDF_WITH_IMAGE, page: pageOptionsSchema.parse({}) };
  assert.deepEqual(await htmlOf(none, { images }), untouched);
  assert.deepEqual(await htmlOf(PDF_WITH_IMAGE, {}), untouched);
});

test("renderStep() fails the message whose images failed, with the list", async () => {
  const images: RemoteImages = {
    inline: () => Promise.resolve({ type: "failed", reason: "its images could not be loaded: x" }),
  };
  const pdfVersion = () => Promise.resolve(PDF_WITH_IMAGE);
  assert.deepEqual(reported(await published(WITH_PDF, { pdfVersion, images })), [
    "status.message.failed 0 The template could not be filled: PDF template 7: its images could not be loaded: x",
    "messages.rendered 1",
  ]);
});

test("renderStep() retries only the message whose images may come later", async () => {
  const images: RemoteImages = {
    inline: () => Promise.resolve({ type: "later", afterMs: 15_000 }),
  };
  const pdfVersion = () => Promise.resolve(PDF_WITH_IMAGE);
  const events = await published(WITH_PDF, { pdfVersion, images });
  const again = events.find(({ type }) => type === "status.message.waiting");
  const others = events.filter((event) => event !== again);
  assert.deepEqual(again, {
    type: "status.message.waiting",
    data: {
      v: 3,
      outcomes: [{
        ...{ messageId: messageIdOf(sendId, 0), sendId, accountId: "acc_1", index: 0 },
        ...{ attempt: 2, at: "2026-03-01T10:00:01.000Z", nextAt: "2026-03-01T10:00:16.000Z" },
        reason: "The images of its PDFs are not loaded yet",
      }],
    },
  });
  assert.deepEqual(reported(others), ["messages.rendered 1"]);
});

test("renderStep() makes one event of up to 25 messages, within its bytes, and of 5 with PDFs", async () => {
  const recipients = Array.from({ length: 60 }, (_, index) => ({
    ...{ index, attempt: 0, email: `person${index}@example.com` },
    ...(index < 7 ? { attachments: [{ id: 7 }] } : {}),
  }));
  const sizesOf = (events: Outgoing[]) =>
    events.map(({ data }) => "messages" in data ? data.messages.length : 0);
  const events = await published({ recipients });
  assert.deepEqual(sizesOf(events), [5, 2, 25, 25, 3]);
  const long = recipients.slice(7, 27).map((recipient) => ({
    ...recipient,
    variables: { name: "x".repeat(40_000) },
  }));
  const version = emailVersion({ parts: { subject: "S", html: "{{name}}", text: "t" } });
  const large = await published({ recipients: long }, {
    emailVersion: () => Promise.resolve(version),
  });
  assert.equal(sizesOf(large).reduce((sum, size) => sum + size, 0), 20);
  assert.ok(large.length > 1);
  for (const { data, tail } of large) {
    assert.ok(jsonBytes(data) + (tail?.length ?? 0) <= MAX_EVENT_BYTES);
  }
});

test("renderStep() stores the HTML of a PDF for all once, and sends its messages together", async () => {
  const recipients = Array.from({ length: 30 }, (_, index) => ({
    ...{ index, attempt: 0, email: `person${index}@example.com`, variables: { name: "Ann" } },
    attachments: index < 27 ? [{ id: 7 }] : [{ id: 7, variables: { name: `${index}` } }],
  }));
  const stored = new Map<string, string>();
  const html = `<h1>{{ name }}</h1>${"<p>terms</p>".repeat(300)}`;
  const events = await published({ recipients }, {
    pdfVersion: () => Promise.resolve(pdfVersion(7, { parts: { html, filename: "a.pdf" } })),
    storeContent: (key, text) => Promise.resolve(void stored.set(key, text)),
  });
  assert.deepEqual(
    events.map(({ data }) => "messages" in data ? data.messages.length : 0),
    [3, 25, 2],
  );
  const [key = "", ...more] = stored.keys();
  assert.match(stored.get(key) ?? "", /^<h1>Ann<\/h1>/);
  assert.deepEqual(more, []);
  for (const { index, pdfs: [pdf] } of messagesOf(events)) {
    const isOwn = index >= 27;
    assert.ok(pdf);
    if (isOwn) {
      assert.match("inline" in pdf.html ? pdf.html.inline : "", RegExp(`<h1>${index}</h1>`));
    } else assert.deepEqual(pdf.html, { key });
  }
});

test("renderStep() gives a mail the images of its template as files, and its PDFs the images themselves", async () => {
  const sha256 = "a".repeat(64);
  const file = { sha256, size: 3, filename: "logo.png", contentType: "image/png" };
  const assets = [{ ...file, name: "logo" }];
  const html = '<img src="{{asset "logo"}}">{{ name }}';
  const versions = {
    emailVersion: () =>
      Promise.resolve(emailVersion({ assets, parts: { subject: "S", html, text: "t" } })),
    pdfVersion: () =>
      Promise.resolve(pdfVersion(7, { assets, parts: { html, filename: "f.pdf" } })),
    kept: {
      embedded: (accountId: string, wanted: readonly { name: string }[]) =>
        Promise.resolve(
          Object.fromEntries(wanted.map(({ name }) => [name, `data:${accountId}`])),
        ),
    },
  };
  const recipients = [{ index: 0, attempt: 0, email: "ann@example.com", attachments: [{ id: 7 }] }];
  const events = await published({ recipients }, versions);
  const [message] = messagesOf(events);
  assert.deepEqual(message?.files, [{ ...file, contentId: "logo" }]);
  assert.deepEqual(message?.html, inTail('<img src="cid:logo">A'));
  assert.deepEqual(message?.pdfs[0]?.html, { inline: '<img src="data:acc_1">A' });
  assert.deepEqual(events.map(({ data }) => "v" in data && data.v), [4]);

  const gone = { ...versions, kept: { embedded: () => Promise.resolve({}) } };
  const failure = (await published({ recipients }, gone)).flatMap(statusEventsIn);
  assert.match(
    JSON.stringify(failure),
    /stored file \\"logo\\" of PDF template 7 is no longer stored/,
  );
});

test("renderStep() sends an invoice with its PDF, or fails the message alone", async () => {
  const page = pageOptionsSchema.parse({ conformance: "pdf/a-3b", invoice: "minimum" });
  const parts = {
    html: "<p>",
    filename: "a.pdf",
    invoice: minimalInvoice("{{name}}", "{{total}}"),
  };
  const deps = { pdfVersion: () => Promise.resolve(pdfVersion(7, { parts, page })) };
  const attachments = (total: string) => [{ id: 7, variables: { total } }];
  const recipients = [
    { index: 0, attempt: 0, email: "a@example.com", attachments: attachments("7.00") },
    { index: 1, attempt: 0, email: "b@example.com", attachments: attachments("7,00") },
  ];
  const events = await published({ recipients }, deps);
  const [sent, failed, ...others] = reported(events);
  assert.deepEqual([sent, others], ["messages.rendered 0", []]);
  assert.match(failed ?? "", /^status\.\S+ 1 .*GrandTotalAmount is "7,00", not a number/);
  const [rendered] = events.flatMap(({ type, data }) => type === "messages.rendered" ? data : []);
  assert.deepEqual(rendered?.messages[0]?.pdfs[0]?.invoice, {
    xml: { inline: minimalInvoice("A", "7.00") },
    ...{ profile: "minimum", grandTotal: "7.00", duePayable: "7.00" },
  });
});

import {
  type EventData,
  EVENTS,
  MAX_EVENT_BYTES,
  messageIdOf,
  newSendId,
  pageOptionsSchema,
  type PrintErrorCode,
} from "@posthaste/contracts";
import { readTail, runStep, statusEventsIn, type Verdict } from "@posthaste/messaging";
import assert from "node:assert/strict";
import { test } from "node:test";
import { PrintError } from "./print_error.ts";
import { printKey } from "./print_key.ts";
import { type PrintDeps, printStep } from "./print_step.ts";

const ENGINE = "chromium 1";
const PAGE = pageOptionsSchema.parse({});
/** The hour of the event's acceptance. */
const MADE_AT = new Date("2026-03-01T10:00:00Z");
const NOW = new Date("2026-03-01T10:00:01Z");
const sendId = newSendId("acc_1");
const signal = new AbortController().signal;

function messageWith(
  ...pdfs: { html: string | { key: string }; filename: string }[]
): EventData<"messages.rendered"> {
  return {
    v: 2,
    sendId,
    accountId: "acc_1",
    priority: "bulk",
    acceptedAt: "2026-03-01T10:00:00.000Z",
    integrationId: 4,
    from: { email: "shop@example.com" },
    messages: [{
      index: 5,
      attempt: 2,
      to: { email: "ann@example.com" },
      subject: "Hello",
      html: { inline: "<p>Hello</p>" },
      text: { inline: "Hello" },
      pdfs: pdfs.map(({ html, filename }) => ({
        templateId: 7,
        filename,
        html: typeof html === "string" ? { inline: html } : html,
        page: PAGE,
      })),
    }],
  };
}

/** Returns the same event before any attempt. */
function firstAttempt(event: EventData<"messages.rendered">): EventData<"messages.rendered"> {
  return { ...event, messages: event.messages.map((message) => ({ ...message, attempt: 0 })) };
}

/** Returns one event with the messages of all. */
function together(...events: EventData<"messages.rendered">[]): EventData<"messages.rendered"> {
  const [first] = events;
  assert.ok(first);
  const messages = events.flatMap(({ messages }) => messages);
  return { ...first, messages: messages.map((message, index) => ({ ...message, index })) };
}

/** Returns the messages that a verdict sends on, and the failures that it reports. */
function resultsOf(verdict: Verdict) {
  const publish = verdict.type === "done" ? verdict.publish : [];
  return {
    messages: publish.flatMap(({ type, data }) => type === "messages.printed" ? data.messages : []),
    failures: publish.flatMap(statusEventsIn).map(({ data }) =>
      "reason" in data ? [data.index, data.reason, "stage" in data && data.stage] : []
    ),
  };
}

function keyOf(html: string, accountId = "acc_1"): string {
  return printKey({ accountId, html, page: PAGE, madeAt: MADE_AT, engine: ENGINE });
}

/** Opens a step whose printer "prints" the HTML itself, into a map. */
function openStep(print: PrintDeps["browser"]["print"] = echo) {
  const store = new Map<string, Uint8Array>();
  const printed: string[] = [];
  const askers: unknown[] = [];
  const step = printStep({
    browser: {
      engine: ENGINE,
      print: (job, options) => {
        printed.push(job.html);
        askers.push(options?.asker);
        return print(job, options);
      },
    },
    pdfs: {
      sizeOf: (key) => Promise.resolve(store.get(key)?.length),
      get: (key) => Promise.resolve(store.get(key)),
      put: (key, bytes) => Promise.resolve(void store.set(key, bytes)),
    },
    loadContent: (key) => Promise.resolve(key === "stored" ? "<h1>stored</h1>" : undefined),
    now: () => NOW,
    transactionalPlaces: 4,
  });
  const run = (data: EventData<"messages.rendered">, { isAgain = false } = {}) =>
    runStep(step, { type: "messages.rendered", data, isAgain }, { signal });
  return { step, run, store, printed, askers };
}

async function echo({ html }: { html: string }) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  const blocked = html.match(/https?:[^"]+/g) ?? [];
  return { pdf: Buffer.from(html), pages: 1, blocked: [...blocked] };
}

function failing(code: PrintErrorCode) {
  return () => Promise.reject(new PrintError({ name: "a.pdf", code, reason: `it is ${code}` }));
}

/** Returns the same message at its first attempt. */
function fresh(event: EventData<"messages.rendered">): EventData<"messages.rendered"> {
  return { ...event, messages: event.messages.map((message) => ({ ...message, attempt: 0 })) };
}

/** Returns the PDFs of the messages that a verdict sends on: their bytes, or their keys. */
function pdfsOf(verdict: Verdict): string[][] {
  assert.ok(verdict.type === "done");
  return verdict.publish.flatMap((event) => {
    if (event.type !== "messages.printed") return [];
    EVENTS["messages.printed"].parse(event.data);
    return event.data.messages.map(({ attachments }) =>
      attachments.map((one) =>
        "key" in one
          ? one.key
          : String(Buffer.from(event.tail ?? []).subarray(one.offset, one.offset + one.size))
      )
    );
  });
}

test("printStep() sends each recipient's own PDFs behind their event, and stores nothing", async () => {
  const { run, store, printed } = openStep();
  const event = fresh(together(
    messageWith({ html: "one", filename: "a.pdf" }, { html: "three", filename: "b.pdf" }),
    messageWith({ html: "two", filename: "a.pdf" }),
  ));
  assert.deepEqual(pdfsOf(await run(event)), [["one", "three"], ["two"]]);
  assert.equal(store.size, 0);
  assert.deepEqual(printed, ["one", "three", "two"]);
});

test("printStep() carries the texts of the mails beside their PDFs", async () => {
  const { step } = openStep();
  const event = together(
    messageWith({ html: "pdf", filename: "a.pdf" }),
    messageWith({ html: "more", filename: "b.pdf" }),
  );
  const places = [{ offset: 0, size: 3 }, { offset: 3, size: 4 }];
  const messages = fresh(event).messages.map((message, position) => ({
    ...message,
    html: places[position] ?? { inline: "" },
  }));
  const data = { ...event, v: 4 as const, messages };
  const tail = Buffer.from("onetwo2");
  const verdict = await runStep(step, { type: "messages.rendered", data, tail }, { signal });
  assert.ok(verdict.type === "done");
  const [printed] = verdict.publish;
  assert.ok(printed?.type === "messages.printed");
  const [first, second] = readTail(printed.data.messages, printed.tail);
  const bytes = (text: string) => ({ bytes: Buffer.from(text) });
  assert.deepEqual([first?.html, second?.html], [bytes("one"), bytes("two2")]);
  assert.deepEqual(first?.attachments, [{ filename: "a.pdf", ...bytes("pdf") }]);
  assert.deepEqual([second?.text, printed.data.v], [{ inline: "Hello" }, 4]);
});

test("printStep() stores once what several messages share, in one event or one after the other", async () => {
  const { run, store, printed } = openStep();
  const wanted = (own: string) =>
    messageWith({ html: "terms", filename: "t.pdf" }, { html: own, filename: "i.pdf" });
  const terms = keyOf("terms");
  assert.deepEqual(pdfsOf(await run(fresh(together(wanted("1"), wanted("2"))))), [
    [terms, "1"],
    [terms, "2"],
  ]);
  assert.deepEqual(pdfsOf(await run(fresh(wanted("3")))), [[terms, "3"]]);
  // It was one recipient's own at first.
  assert.deepEqual(pdfsOf(await run(fresh(messageWith({ html: "3", filename: "c.pdf" })))), [
    [keyOf("3")],
  ]);
  assert.deepEqual([...store.keys()].toSorted(), [terms, keyOf("3")].toSorted());
  assert.deepEqual(printed.toSorted(), ["1", "2", "3", "terms"]);
});

test("printStep() stores a PDF that is too large for an event", async () => {
  const { run, store, printed } = openStep();
  const large = "x".repeat(MAX_EVENT_BYTES - 5000);
  const message = messageWith({ html: large, filename: "a.pdf" }, { html: "b", filename: "b" });
  assert.deepEqual(pdfsOf(await run(fresh(message))), [[keyOf(large), keyOf("b")]]);
  assert.deepEqual([store.size, printed.length], [2, 2]);
});

test("printStep() splits PDFs that are too large for one event over several", async () => {
  const { run } = openStep();
  const sources = ["1", "2", "3", "4", "5"].map((one) => one.repeat(150_000));
  const event = fresh(
    together(...sources.map((html) => messageWith({ html, filename: "a.pdf" }))),
  );
  const verdict = await run(event);
  assert.deepEqual(pdfsOf(verdict).flat().map((pdf) => pdf[0]), ["1", "2", "3", "4", "5"]);
  assert.ok(verdict.type === "done");
  assert.deepEqual(verdict.publish.map(({ tail }) => tail?.length), [450_000, 300_000]);
});

test("printStep() looks for the PDF of a redelivered message in the store, and keeps it there", async () => {
  const message = messageWith({ html: "x", filename: "a.pdf" });
  for (
    const [event, options] of [
      [message, {}],
      [{ ...fresh(message), redelivered: true }, {}],
      [fresh(message), { isAgain: true }],
    ] as const
  ) {
    const { run, store, printed } = openStep();
    assert.deepEqual(pdfsOf(await run(event, options)), [[keyOf("x")]]);
    assert.deepEqual(pdfsOf(await run(event, options)), [[keyOf("x")]]);
    assert.deepEqual(printed, ["x"]);
    // A PDF that is lost from the store is printed again.
    store.clear();
    await run(event, options);
    assert.equal(store.size, 1);
  }
});

test("printStep() prints into the store and sends the message on without its HTML", async () => {
  const { run, store } = openStep();
  const message = messageWith({ html: "<h1>1</h1>", filename: "a.pdf" });
  const verdict = await run(message);
  assert.ok(verdict.type === "done");
  const [printed] = verdict.publish;
  assert.ok(printed?.type === "messages.printed");
  const { messages: [before], ...head } = message;
  const { messages: [after], ...headAfter } = printed.data;
  assert.deepEqual(headAfter, head);
  const { pdfs: _pdfs, ...rest } = before ?? {};
  const { timeline = [], ...data } = after ?? {};
  assert.deepEqual(timeline.map(({ type }) => type), ["printed"]);
  assert.deepEqual(data, {
    ...rest,
    attachments: [{ filename: "a.pdf", key: keyOf("<h1>1</h1>"), size: 10 }],
  });
  EVENTS["messages.printed"].parse(printed.data);
  assert.equal(Buffer.from(store.get(keyOf("<h1>1</h1>")) ?? "").toString(), "<h1>1</h1>");
});

test("printStep() does not print what the store has, whatever its file name", async () => {
  const { run, printed } = openStep();
  await run(messageWith({ html: "same", filename: "a.pdf" }));
  const verdict = await run(messageWith({ html: "same", filename: "b.pdf" }));
  assert.deepEqual(printed, ["same"]);
  const [message] = resultsOf(verdict).messages;
  assert.deepEqual(message?.attachments, [{ filename: "b.pdf", key: keyOf("same"), size: 4 }]);
});

test("printStep() prints concurrent duplicates once, in one message and across messages", async () => {
  const { run, printed } = openStep();
  const twice = messageWith(
    { html: "duplicate", filename: "a.pdf" },
    { html: "duplicate", filename: "b.pdf" },
    { html: "other", filename: "c.pdf" },
  );
  const verdicts = await Promise.all([run(twice), run(twice), run(twice)]);
  assert.deepEqual(printed.toSorted(), ["duplicate", "other"]);
  for (const verdict of verdicts) {
    const [first] = resultsOf(verdict).messages;
    assert.deepEqual(first?.attachments.map((one) => [one.filename, "key" in one && one.key]), [
      ["a.pdf", keyOf("duplicate")],
      ["b.pdf", keyOf("duplicate")],
      ["c.pdf", keyOf("other")],
    ]);
  }
});

test("printStep() prints again after a failure, which its concurrent duplicates share", async () => {
  let tries = 0;
  const { run, printed } = openStep((job) => tries++ === 0 ? failing("crashed")() : echo(job));
  const message = messageWith({ html: "x", filename: "a.pdf" });
  const types = (await Promise.all([run(message), run(message)])).map(({ type }) => type);
  assert.deepEqual(types, ["retry", "retry"]);
  assert.equal((await run(message)).type, "done");
  assert.equal(printed.length, 2);
});

test("printStep() fails a message whose PDF will never print, with the reason", async () => {
  for (const code of ["timeout", "too_large", "invalid", "blocked"] as const) {
    const { run } = openStep(failing(code));
    const verdict = await run(messageWith({ html: "x", filename: "a.pdf" }));
    assert.deepEqual(resultsOf(verdict), {
      messages: [],
      failures: [[5, `A PDF could not be printed: it is ${code}`, "pdf"]],
    });
  }
});

test("printStep() fails a message whose PDF requests blocked addresses, with the list", async () => {
  const { run, store } = openStep();
  const html = `<img src="http://a/1"><img src="https://b/2">`;
  const message = messageWith({ html, filename: "a.pdf" });
  const verdict = await run(message);
  assert.equal(
    resultsOf(verdict).failures[0]?.[1],
    "A PDF could not be printed: it loads resources that are not allowed: http://a/1, https://b/2",
  );
  assert.equal(store.size, 0);
  const page = pageOptionsSchema.parse({ missing: "leave_out" });
  const messages = message.messages.map((one) => ({
    ...one,
    pdfs: one.pdfs.map((pdf) => ({ ...pdf, page })),
  }));
  assert.equal(resultsOf(await run({ ...message, messages })).messages.length, 1);
});

test("printStep() retries after a crash and waits for an unavailable browser", async () => {
  const outages = { crashed: false, unavailable: true, aborted: true } as const;
  for (const [code, outage] of Object.entries(outages)) {
    const { run } = openStep(failing(code as PrintErrorCode));
    const verdict = await run(messageWith({ html: "x", filename: "a.pdf" }));
    assert.ok(verdict.type === "retry", code);
    assert.equal(verdict.outage, outage, code);
  }
});

test("printStep() prints a text from the store", async () => {
  const { run, printed } = openStep();
  await run(messageWith({ html: { key: "stored" }, filename: "a.pdf" }));
  assert.deepEqual(printed, ["<h1>stored</h1>"]);
});

test("printStep() leaves a message whose text is gone to the reconciler", async () => {
  const { run, printed } = openStep();
  const message = messageWith({ html: { key: "lost" }, filename: "a.pdf" });
  assert.deepEqual(await run(message), { type: "done", publish: [] });
  assert.deepEqual(printed, []);
});

test("printStep() reports a failure when it gives up", () => {
  const { step } = openStep();
  const { publish } = step.giveUp({ type: "messages.rendered", data: messageWith() }, "5 tries");
  assert.deepEqual(resultsOf({ type: "done", publish }).failures, [
    [5, "A PDF could not be printed: 5 tries", "pdf"],
  ]);
});

test("printStep() prints the same HTML for each account, and shares no PDF between accounts", async () => {
  const { run, store, printed } = openStep();
  for (const accountId of ["acc_1", "acc_2", "acc_1"]) {
    await run({ ...messageWith({ html: "terms", filename: "a.pdf" }), accountId });
  }
  assert.deepEqual(printed, ["terms", "terms"]);
  assert.deepEqual([...store.keys()], [keyOf("terms"), keyOf("terms", "acc_2")]);
});

test("printStep() prints for the account and priority of the message", async () => {
  const { run, askers } = openStep();
  await run(messageWith({ html: "x", filename: "a.pdf" }));
  assert.deepEqual(askers, [{ accountId: "acc_1", priority: "bulk" }]);
});

test("printStep() returns one account's excess to the scheduler, and no other account's", async () => {
  const { run, printed } = openStep();
  const event = (accountId: string, priority: "transactional" | "bulk", html: string) => ({
    ...firstAttempt(messageWith({ html, filename: "a.pdf" })),
    accountId,
    priority,
  });
  const noisy = ["1", "2", "3"].map((html) => event("noisy", "transactional", html));
  const verdicts = await Promise.all([
    ...noisy.map((event) => run(event)),
    run(event("quiet", "transactional", "4")),
    run(event("noisy", "bulk", "5")),
  ]);
  assert.deepEqual(printed.toSorted(), ["1", "2", "4", "5"]);
  const excess = verdicts[2];
  assert.ok(excess?.type === "done");
  assert.deepEqual(excess.publish.flatMap(statusEventsIn), [{
    type: "status.message.returned",
    data: {
      ...{ messageId: messageIdOf(sendId, 5), sendId, accountId: "noisy", index: 5, attempt: 0 },
      ...{ at: NOW.toISOString(), integrationId: 4, acceptedAt: "2026-03-01T10:00:00.000Z" },
      stage: "pdf",
    },
  }]);
  const next = await run(event("noisy", "transactional", "6"));
  assert.equal(resultsOf(next).messages.length, 1);
});

test("printStep() prints every later attempt, which the scheduler has bounded", async () => {
  const { run, printed } = openStep();
  const later = ["1", "2", "3", "4"].map((html): EventData<"messages.rendered"> => ({
    ...messageWith({ html, filename: "a.pdf" }),
    priority: "transactional",
  }));
  await Promise.all(later.map((event) => run(event)));
  assert.equal(printed.length, 4);
});

test("printStep() does not make transactional priority wait for a duplicate with bulk priority", async () => {
  const { run, printed } = openStep();
  const message = messageWith({ html: "same", filename: "a.pdf" });
  await Promise.all([run(message), run({ ...message, priority: "transactional" })]);
  assert.deepEqual(printed, ["same", "same"]);
});

test("printStep() reports the crash when it gives up a document that crashes the browser", async () => {
  const { step, run } = openStep(failing("crashed"));
  const message = messageWith({ html: "x", filename: "a.pdf" });
  await run(message);
  const { publish } = step.giveUp({ type: "messages.rendered", data: message }, "5 tries");
  assert.deepEqual(resultsOf({ type: "done", publish }).failures, [
    [5, "A PDF could not be printed: it is crashed, 5 tries", "pdf"],
  ]);
});

test("printStep() fails one message of an event, and sends the others on", async () => {
  const { run } = openStep((job) => job.html === "bad" ? failing("invalid")() : echo(job));
  const [good, bad, lost] = ["good", "bad", { key: "lost" }].map((html) =>
    messageWith({ html, filename: "a.pdf" })
  );
  assert.ok(good && bad && lost);
  const { messages, failures } = resultsOf(await run(together(good, bad, lost, good)));
  assert.deepEqual(messages.map(({ index }) => index), [0, 3]);
  assert.deepEqual(failures, [[1, "A PDF could not be printed: it is invalid", "pdf"]]);
});

test("printStep() retries an event only after all of its messages have ended", async () => {
  let ended = 0;
  const { run } = openStep(async (job) => {
    if (job.html === "bad") return await failing("crashed")();
    const printed = await echo(job);
    ended++;
    return printed;
  });
  const [good, bad] = ["good", "bad"].map((html) => messageWith({ html, filename: "a.pdf" }));
  assert.ok(good && bad);
  assert.equal((await run(together(bad, good))).type, "retry");
  assert.equal(ended, 1);
});

test("printStep() loads an invoice, and prints equal pages with different invoices apart", async () => {
  const jobs: unknown[] = [];
  const { run, store } = openStep((job) => {
    jobs.push(job.invoice);
    return Promise.resolve({ pdf: Buffer.from(job.invoice?.xml ?? ""), pages: 1, blocked: [] });
  });
  const event = fresh(
    messageWith({ html: "a", filename: "a.pdf" }, { html: "a", filename: "b.pdf" }),
  );
  const sums = { profile: "minimum" as const, grandTotal: "1", duePayable: "1" };
  const [one, other] = event.messages[0]?.pdfs ?? [];
  assert.ok(one && other);
  one.invoice = { xml: { key: "stored" }, ...sums };
  other.invoice = { xml: { inline: "<b/>" }, ...sums };
  assert.deepEqual(pdfsOf(await run(event)), [["<h1>stored</h1>", "<b/>"]]);
  assert.equal(store.size, 0);
  assert.deepEqual(jobs, [{ xml: "<h1>stored</h1>", ...sums }, { xml: "<b/>", ...sums }]);
});

test("printStep() renders a message again if its invoice has expired", async () => {
  const { run, printed } = openStep();
  const event = fresh(messageWith({ html: "a", filename: "a.pdf" }));
  const [pdf] = event.messages[0]?.pdfs ?? [];
  assert.ok(pdf);
  const sums = { profile: "minimum" as const, grandTotal: "1", duePayable: "1" };
  pdf.invoice = { xml: { key: "gone" }, ...sums };
  assert.deepEqual(resultsOf(await run(event)), { messages: [], failures: [] });
  assert.deepEqual(printed, []);
});

test("printStep() marks messages whose PDFs lack glyphs, also if the PDF comes from the store", async () => {
  // Like Chromium's: a font of two bytes a glyph, and a page with a character that is glyph 0.
  const boxed = "\n1 0 obj\n<</Type /Font\n/Subtype /Type0\n>>\nendobj\n2 0 obj\n" +
    "<</Length 78>> stream\n/Span<</ActualText <FEFFE123>>> BDC\n/F1 12 Tf\n<0000> Tj\nEMC" +
    " ".repeat(100);
  const print: PrintDeps["browser"]["print"] = ({ html, listsMissingGlyphs }) => {
    assert.equal(listsMissingGlyphs, true);
    const missing = html.includes("fine") ? {} : { missingGlyphs: ['U+E123 in "x"'] };
    return Promise.resolve({ pdf: Buffer.from(boxed), pages: 1, blocked: [], ...missing });
  };
  const data = together(
    messageWith({ html: "<p>fine", filename: "a.pdf" }, { html: "<p>bad", filename: "b.pdf" }),
    messageWith({ html: "<p>fine", filename: "a.pdf" }),
  );
  for (const { pdfs } of data.messages) {
    for (const pdf of pdfs) pdf.page = { ...PAGE, missingGlyphs: "mark" };
  }
  const first = openStep(print);
  const linesOf = (verdict: Verdict) =>
    resultsOf(verdict).messages.map(({ timeline = [] }) => {
      const { type, warning, detail } = timeline.at(-1) ?? {};
      return { type, ...(warning && { warning, detail }) };
    });
  const detail = 'No font has a glyph (missing_glyphs). PDF 2: U+E123 in "x"';
  const marked = { type: "printed", warning: "missing_glyphs", detail };
  assert.deepEqual(linesOf(await first.run(data)), [marked, { type: "printed" }]);
  assert.deepEqual(linesOf(await first.run(data)), [marked, { type: "printed" }]);

  // Another process: it finds the PDFs, and does not print them.
  const other = openStep(() => Promise.reject(new Error("printed again")));
  for (const { pdfs } of data.messages) {
    for (const { html, page } of pdfs) {
      const key = printKey({
        ...{
          accountId: "acc_1",
          html: "inline" in html ? html.inline : "",
          page,
          madeAt: MADE_AT,
          engine: ENGINE,
        },
      });
      other.store.set(key, Buffer.from(boxed));
    }
  }
  const [one] = linesOf(await other.run(data, { isAgain: true }));
  assert.equal(one?.warning, "missing_glyphs");
  assert.match(
    one?.detail ?? "",
    /^No font has a glyph \(missing_glyphs\)\. PDF 1: U\+E123; PDF 2:/,
  );
});

test("printStep() prints again what it cannot search: PDFs from the store that are encrypted, or have pages of others", async () => {
  const text = (length: number) => Buffer.alloc(length).toString("base64");
  const encryption = { key: text(32), u: text(48), ue: text(32), o: text(48), oe: text(32) };
  // In the first, a page of another PDF draws glyph 0. The other cannot be unpacked without its key.
  const stored = "\n1 0 obj\n<</Type /Font\n/Subtype /Type0\n>>\nendobj\n2 0 obj\n" +
    "<</Length 78>> stream\n/Span<</ActualText <FEFFE123>>> BDC\n/F1 12 Tf\n<0000> Tj\nEMC" +
    " ".repeat(100);
  const sealed = `\n2 0 obj\n<</Filter /FlateDecode\n/Length 16>> stream\n${"x".repeat(16)}`;
  const cases = [
    { bytes: stored, append: [{ inline: Buffer.from("terms").toString("base64") }] },
    { bytes: sealed, encryption },
  ];
  for (const { bytes, ...own } of cases) {
    for (const lacking of [[], ['U+E124 in "x"']]) {
      const data = messageWith({ html: "<p>own", filename: "a.pdf" });
      const page = { ...PAGE, missingGlyphs: "mark" as const };
      const [pdf] = data.messages[0]?.pdfs ?? [];
      assert.ok(pdf);
      Object.assign(pdf, { page, ...own });
      const missing = lacking.length === 0 ? {} : { missingGlyphs: lacking };
      const { run, store, printed } = openStep(() =>
        Promise.resolve({ pdf: Buffer.from(bytes), pages: 1, blocked: [], ...missing })
      );
      const source = { accountId: "acc_1", html: "<p>own", page, madeAt: MADE_AT, engine: ENGINE };
      const append = own.append === undefined ? {} : { append: [Buffer.from("terms")] };
      const { encryption: sealing } = own;
      store.set(
        printKey({ ...source, ...append, ...(sealing && { encryption: sealing }) }),
        Buffer.from(bytes),
      );
      const { messages } = resultsOf(await run(data, { isAgain: true }));
      const [{ timeline = [] } = {}] = messages;
      assert.equal(timeline.at(-1)?.warning, lacking.length === 0 ? undefined : "missing_glyphs");
      assert.deepEqual(printed, ["<p>own"]);
    }
  }
});

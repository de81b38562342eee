import { type EventData, pageOptionsSchema, printReplySchema } from "@posthaste/contracts";
import { PRINT_BOMBS } from "@posthaste/kit";
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { NO_CHROMIUM, openTestBrowser, textOf } from "./_test_browser.ts";
import type { PdfBrowser } from "./browser.ts";
import { interactivePrintStep } from "./interactive_print_step.ts";
import type { PrintedPdf } from "./print_job.ts";
import { PrintError } from "./print_error.ts";
import { creationTime } from "./neutral_pdf.ts";
import { printKey, type PrintSource } from "./print_key.ts";

suite("interactivePrintStep()", { skip: NO_CHROMIUM }, () => {
  let browser: PdfBrowser;
  before(async () => {
    browser = await openTestBrowser({ concurrency: 1 });
    await browser.warm();
  });
  after(() => browser[Symbol.asyncDispose]());

  const store = new Map<string, Buffer>();

  async function reply(
    html: EventData<"print.requested">["html"],
    { page = {}, timeLimitMs }: { page?: object; timeLimitMs?: number } = {},
  ) {
    const step = interactivePrintStep({
      browser,
      pdfs: {
        sizeOf: (key) => Promise.resolve(store.get(key)?.length),
        put: (key, bytes) => Promise.resolve(void store.set(key, Buffer.from(bytes))),
      },
      loadContent: (key) => Promise.resolve(key === "stored" ? "<p>stored" : undefined),
      ...(timeLimitMs === undefined ? {} : { timeLimitMs }),
    });
    const data = {
      ...{ v: 2 as const, accountId: "acc_1", name: "a.pdf", html },
      page: pageOptionsSchema.parse(page),
    };
    const delivery = { type: "print.requested", data } as const;
    const verdict = await step.handle(delivery, new AbortController().signal);
    assert.ok(verdict.type === "done" && verdict.publish.length === 0);
    return printReplySchema.parse(verdict.replies?.[0]);
  }

  /** Returns the keys of documents printed now, or in the hour that has just ended. */
  function keysNow(source: Pick<PrintSource, "html" | "page">): string[] {
    return [0, 3_600_000].map((ago) =>
      printKey({
        ...source,
        accountId: "acc_1",
        madeAt: creationTime(new Date(Date.now() - ago)),
        engine: browser.engine,
      })
    );
  }

  test("prints the same PDF as for a mail, under the same key", async () => {
    const page = pageOptionsSchema.parse({ missingGlyphs: "fail" });
    const answer = await reply({ key: "stored" }, { page });
    const { key } = answer.ok ? answer : { key: "" };
    assert.ok(keysNow({ html: "<p>stored", page }).includes(key));
    assert.deepEqual(answer, { ok: true, key, size: store.get(key)?.length, blocked: [] });
    assert.deepEqual(await textOf(store.get(key) ?? Buffer.alloc(0)), ["stored"]);
    const { printed } = browser.stats();
    assert.deepEqual(await reply({ key: "stored" }, { page }), answer);
    assert.equal(browser.stats().printed, printed);
    assert.deepEqual(await reply({ key: "gone" }), {
      ok: false,
      code: "unavailable",
      reason: "the content to print has expired",
    });
  });

  test("stores a PDF that a mail could not have where no mail finds it", async () => {
    const html = '<p>here<img src="https://i.example/a.png">';
    const answer = await reply({ inline: html });
    assert.ok(answer.ok);
    assert.deepEqual(answer.blocked, ["https://i.example/a.png"]);
    assert.deepEqual(await textOf(store.get(answer.key) ?? Buffer.alloc(0)), ["here"]);
    const keysOf = (missing: string) =>
      keysNow({ html, page: pageOptionsSchema.parse({ missing }) });
    assert.equal(keysOf("fail").some((key) => store.has(key)), false);
    assert.ok(keysOf("leave_out").includes(answer.key));
    // Refused addresses are reported again, although the PDF is stored.
    assert.deepEqual(await reply({ inline: html }, { page: { missing: "leave_out" } }), answer);
  });

  test("lists characters without a glyph, and stores the PDF where no mail finds it", async () => {
    const html = "<p>Dear \u{E123}vane";
    const missingGlyphs = ['U+E123 in "Dear \u{E123}vane"'];
    for (const choice of ["fail", "ignore", undefined] as const) {
      const page = pageOptionsSchema.parse({ missingGlyphs: choice });
      // They are listed again, although the PDF is stored.
      for (const again of [false, true]) {
        const answer = await reply({ inline: html }, { page });
        assert.ok(answer.ok, String(again));
        assert.deepEqual(answer.missingGlyphs, missingGlyphs);
        assert.equal(keysNow({ html, page }).includes(answer.key), choice !== "fail");
      }
    }
  });

  test("ends an endless document at its short time limit, and prints the next one", async () => {
    const bomb = PRINT_BOMBS.find(({ name }) => name === "50,000 pages")?.html() ?? "";
    const answers = await Promise.all([
      reply({ inline: bomb }, { timeLimitMs: 1000 }),
      reply({ inline: "<p>beside" }, { timeLimitMs: 20_000 }),
    ]);
    assert.deepEqual(answers[0], {
      ok: false,
      code: "timeout",
      reason: "it took longer than 1 s, including the wait",
      timedOut: true,
    });
    assert.equal(answers[1].ok, true, JSON.stringify(answers[1]));
    assert.equal((await reply({ inline: "<p>next" })).ok, true);
  });

  test("returns why a document cannot be printed", async () => {
    const margin = { left: "200mm", right: "200mm" };
    const answer = await reply({ inline: "x" }, { page: { margin } });
    assert.ok(!answer.ok && /margin/.test(answer.reason), JSON.stringify(answer));
    assert.equal(answer.code, "invalid");
  });
});

test("interactivePrintStep() does not report waiting as a long print", async () => {
  const step = interactivePrintStep({
    browser: {
      engine: "none",
      print: (job, { signal } = {}) =>
        new Promise((_, reject) =>
          signal?.addEventListener(
            "abort",
            () => reject(new PrintError({ name: job.name, code: "aborted", reason: "ended" })),
          )
        ),
    },
    pdfs: { sizeOf: () => Promise.resolve(undefined), put: () => Promise.resolve() },
    loadContent: () => Promise.resolve(undefined),
    timeLimitMs: 50,
  });
  const page = pageOptionsSchema.parse({});
  const data = { v: 2 as const, accountId: "a", name: "x", html: { inline: "x" }, page };
  const verdict = await step.handle(
    { type: "print.requested", data },
    new AbortController().signal,
  );
  assert.deepEqual(verdict, {
    type: "done",
    publish: [],
    replies: [{
      ok: false,
      code: "unavailable",
      reason: "the printer was busy for 0.05 s; try again",
      timedOut: true,
    }],
  });
});

test("interactivePrintStep() prints for one account in turn, also after a failure", async () => {
  const seen: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const step = interactivePrintStep({
    browser: {
      engine: "none",
      async print({ name }) {
        seen.push(name);
        const end = Promise.withResolvers<void>();
        ends.push(end);
        await end.promise;
        return { pdf: Buffer.alloc(1), blocked: [] } as unknown as PrintedPdf;
      },
    },
    pdfs: { sizeOf: () => Promise.resolve(undefined), put: () => Promise.resolve() },
    loadContent: () => Promise.resolve(undefined),
  });
  const asked = [["acc_1", "a"], ["acc_1", "b"], ["acc_2", "c"]].map(
    ([accountId = "", name = ""]) => {
      const page = pageOptionsSchema.parse({});
      const data = { v: 2 as const, accountId, name, html: { inline: "" }, page };
      return step.handle({ type: "print.requested", data }, new AbortController().signal);
    },
  );
  const done = Promise.allSettled(asked);
  await turn();
  assert.deepEqual(seen, ["a", "c"]);
  ends[0]?.reject(new Error("broken"));
  await turn();
  assert.deepEqual(seen, ["a", "c", "b"]);
  for (const end of ends) end.resolve();
  assert.deepEqual((await done).map(({ status }) => status), [
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
});

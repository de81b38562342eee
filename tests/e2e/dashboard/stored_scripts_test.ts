import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pageOptionsSchema } from "@posthaste/contracts";
import { type Canary, nightly, openCanary, openSmtpSink } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { keepFile } from "../keep_file.ts";
import { pngOf } from "../png_of.ts";
import { SENDER } from "../system.ts";
import {
  type DashboardFixture,
  type Look,
  openDashboardFixture,
  untilShown,
} from "./dashboard_fixture.ts";
import { attackTexts, MARK } from "./attack_texts.ts";
import { PAGES, pathOf } from "./pages.ts";
import { openBatches, type SeedIds, suppressSome } from "./seed.ts";

nightly("tests/e2e/dashboard/pages_test.ts");

let fixture: DashboardFixture;
let canary: Canary;
let seed: SeedIds;
let opened: AsyncDisposableStack;

const TABS = 3;
/** Free windows: a page loads faster where the application was loaded before. */
const looks: (Look & { dialogs: string[] })[] = [];

before(async () => {
  await using stack = new AsyncDisposableStack();
  canary = stack.use(await openCanary());
  fixture = stack.use(await openDashboardFixture());
  const texts = attackTexts(`127.0.0.1:${canary.port}`);
  seed = stack.use(await plantAttackSeed(fixture, texts));
  opened = stack.move();
});
after(() => opened?.disposeAsync());

test("the texts run, and send requests, in a page that does not escape them", async () => {
  await using control = await openCanary();
  const waiting = attackTexts(`127.0.0.1:${control.port}`);
  let marks = 0;
  await Promise.all(Array.from({ length: TABS }, async () => {
    const page = await fixture.browser.newPage();
    for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
      // One of them navigates the page away, at any moment.
      await again(() => page.setContent(`<body>${text}`, { waitUntil: "commit" }));
      await page.waitForTimeout(30);
      const found = await again(() => findMarkup(page));
      if (found.length > 0) marks++;
    }
    await page.close();
  }));
  const { requests } = control.take();
  const scripts = requests.filter((request) => request === "script").length;
  const asked = new Set(requests);
  assert.ok(scripts > 15, `${scripts} scripts`);
  assert.ok(asked.size > 8, [...asked].join());
  assert.ok(marks > 45, `${marks} marks`);
});

describe("texts of customers that are scripts", { concurrency: TABS }, () => {
  // All texts at one address are checked in one visit, several addresses at the same time.
  const there = PAGES.filter(({ who }) => who === undefined);
  for (const entries of Map.groupBy(there, ({ path }) => path).values()) {
    test(`run nowhere and send no request on ${entries.map(({ name }) => name).join(", ")}`, async () => {
      const look = looks.pop() ?? await openWatched();
      const { page, faults, dialogs } = look;
      const [first] = entries;
      assert.ok(first);
      await page.goto(`${fixture.url}${pathOf(first, seed)}`);
      for (const { name, open } of entries) {
        await untilShown(page);
        await open?.(page);
        await untilShown(page);
        // Work that waits for an idle moment, or for the next frame, has run by then.
        await page.waitForTimeout(150);
        assert.deepEqual(dialogs, [], name);
        assert.equal(await page.evaluate(() => Reflect.get(globalThis, "__ran")), undefined, name);
        assert.deepEqual(await findMarkup(page), [], name);
        const nothing = { connections: 0, requests: [], udp: 0, names: [] };
        assert.deepEqual(canary.take(), nothing, name);
        assert.deepEqual(faults.filter((fault) => !fault.startsWith("a breach")), [], name);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
      looks.push(look);
    });
  }
});

/** Opens a window that records each dialog that a script opens. */
async function openWatched(): Promise<Look & { dialogs: string[] }> {
  const look = await fixture.look("/no-such-page");
  const dialogs: string[] = [];
  look.page.on("dialog", (dialog) => {
    // A form that was changed asks before its page is left.
    if (dialog.type() === "beforeunload") return void dialog.accept();
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  return { ...look, dialogs };
}

/** Repeats an action if the page navigated away meanwhile. */
async function again<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!/navigat/.test(String(error))) throw error;
    return await act();
  }
}

/** Lists the texts that are more than text in the dashboard's own document. */
function findMarkup(page: Page): Promise<string[]> {
  return page.evaluate((mark) => {
    const wrong = [
      ...document.querySelectorAll(
        `${mark}, [onerror], [onload], [onfocus], meta[http-equiv], base`,
      ),
      ...[...document.querySelectorAll<HTMLAnchorElement>("a[href], area[href]")]
        .filter(({ protocol }) => !/^(https?|mailto|blob):$/.test(protocol)),
      // Customers' HTML is shown in frames without scripts, and without this origin's rights unless its texts
      // can be edited: nothing in it is active then.
      ...[...document.querySelectorAll("iframe")].filter(({ sandbox, contentDocument }) =>
        ["allow-scripts", "allow-top-navigation"].some((right) => sandbox.contains(right)) ||
        sandbox.contains("allow-same-origin") &&
          contentDocument?.querySelector(
              "script, iframe, object, embed, link, meta[http-equiv], [onerror], [onload], [onfocus], " +
                "[onclick], [href^='javascript:' i]",
            ) !== null
      ),
      ...document.querySelectorAll("iframe:not([sandbox]), object, embed, frame"),
    ];
    return wrong.map(({ outerHTML }) => outerHTML.slice(0, 300));
  }, MARK);
}

/** Removes template syntax from a text. */
function asTemplate(text: string): string {
  return text.replaceAll(/[{}\0]/g, "");
}

/** Writes the texts everywhere where a person, or a server, can write data that the dashboard shows. */
async function plantAttackSeed(
  { system: { store, accountId, ...system }, people }: Pick<DashboardFixture, "system" | "people">,
  texts: readonly string[],
): Promise<SeedIds & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const sink = opened.use(
    await openSmtpSink({
      script: ({ stage, address }) => {
        const text = texts[Number(/^r(\d+)@/.exec(address)?.[1])];
        return stage === "rcpt" && text !== undefined && !address.startsWith("r0@")
          ? { reply: `550 5.1.1 ${text.replace(/[\0\r\n\t]/g, " ")}` }
          : undefined;
      },
    }),
  );
  const all = texts.join("\n");
  const html = `<p>{{ text }}</p><pre>{{ all }}</pre>${asTemplate(all)}`;
  const common = {
    accountId,
    variables: [{ name: "text", required: false }, { name: "all", required: false }],
    sourceHash: "malicious",
  };
  const [text = ""] = texts;
  const at = new Date();
  const ids: { email: number[]; pdf: number[]; integration: number[] } = {
    email: [],
    pdf: [],
    integration: [],
  };
  for (const [index, text] of texts.entries()) {
    const name = text.slice(0, 200);
    await keepFile({ store, accountId }, {
      ...{ name: `image-${index}`, filename: name, contentType: "image/png", alt: name },
      ...{ width: 4, height: 3, bytes: pngOf(4, 3) },
    });
    const email = await store.templates.publish({
      ...common,
      kind: "email",
      name,
      variables: [{ name: "text", required: false, description: text.slice(0, 200) }],
      source: { subject: `{{ text }} ${asTemplate(text)}`, html },
      parts: { subject: "{{ text }}", html, text: html },
    });
    ids.email.push(email.template.id);
    await store.tokens.create({ accountId, name, scopes: ["send"] });
    const integration = await store.integrations.create({
      ...{ accountId, name, host: "127.0.0.1", port: sink.port, tls: "none", auth: null },
      senders: [SENDER],
    });
    ids.integration.push(integration.id);
    const user = await store.people.create({
      email: `u${index}@x.example`,
      name,
      passwordHash: null,
    });
    await store.people.setMember({ accountId, userId: user._id, role: "viewer" });
    await store.audit.note({
      ...{ accountId, at, userId: user._id, userEmail: user.email },
      ...{ action: text.slice(0, 100), target: text, details: { text } },
    });
  }
  await people.editor.ask("PUT", "/partials/footer/draft", { revision: 0, source: html });
  await suppressSome({ store, accountId });
  const suppressed = texts.map((text, index) => ({
    ...{ email: `s${index}@gone.example`, reason: "hard_refusal" as const, at },
    reply: { code: 550, enhanced: text },
  }));
  await store.suppressions.add(accountId, suppressed, { max: 1000 });
  const pdf = await store.templates.publish({
    ...common,
    kind: "pdf",
    name: text.slice(0, 200),
    source: { html },
    parts: { html, filename: `{{ text }}.pdf` },
    // A PDF with blocked addresses would not be printed.
    page: pageOptionsSchema.parse({ missing: "leave_out" }),
  });
  // The history shows changes, and publishing shows findings.
  const path = `/templates/email/${ids.email[0]}`;
  const { owner } = people;
  const { revision, draft } = await owner.ask<{ revision: number; draft: { html: string } }>(
    "GET",
    path,
  );
  const source = {
    ...draft,
    html: `<p>{{ text }}</p><pre>{{ all }}</pre>${asTemplate(texts.toReversed().join("\n"))}<p>`,
    sample: { text, all },
  };
  await owner.ask("PUT", `${path}/draft`, { revision, source });
  const { webhook } = await owner.ask<{ webhook: { id: string } }>("POST", "/webhooks", {
    ...{ url: "https://hooks.shop.invalid/posthaste", description: text.slice(0, 200) },
  });
  const suspended = await store.integrations.find(accountId, ids.integration[1] ?? 0);
  if (suspended) await store.integrations.suspend(suspended, { at, reason: texts.join(" ") });
  const good = ids.integration[0] ?? 0;
  const emailId = ids.email[0] ?? 0;
  const { id: sendId, messages } = await system.send({
    template: emailId,
    integration: good,
    from: { email: SENDER, name: "<img src=x onerror=alert(1)>" },
    to: texts.map((text, index) => ({
      email: `r${index}@reader.example`,
      name: text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").slice(0, 100),
      variables: index === 0 ? { text, all } : { text },
      ...(index === 0 ? { attachments: [{ id: pdf.template.id, variables: { text } }] } : {}),
    })),
  });
  await system.untilResting(sendId);
  const toSuppressed = await system.send({
    ...{ template: emailId, integration: good, to: [{ email: "s0@gone.example" }] },
  });
  await system.untilResting(toSuppressed.id);
  const batches = await openBatches(
    { ...system, store, accountId },
    { template: emailId, integration: good },
  );
  const [first, second] = await store.messages.list(accountId, sendId) ?? [];
  // Else pages would show that nothing could be filled, and none of the texts.
  assert.deepEqual([first?.state, second?.state], ["sent", "failed"], `${first?.reason}`);
  assert.match(second?.reply?.response ?? "", /x-mark/);
  const parts = opened.move();
  return {
    emailId,
    pdfId: pdf.template.id,
    integrations: { good, unreachable: good, failing: good, suspended: suspended?.id ?? good },
    sendId,
    sentId: messages[0]?.id ?? "",
    failedId: messages[1]?.id ?? "",
    deferredId: messages[2]?.id ?? "",
    suppressedId: toSuppressed.messages[0]?.id ?? "",
    batches,
    webhookId: webhook.id,
    invitation: "none",
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

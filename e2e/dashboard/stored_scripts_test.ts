import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pageOptionsSchema } from "@posthaste/contracts";
import { type Canary, openCanary, openSmtpSink } from "@posthaste/testing";
import type { Page } from "playwright-core";
import { SENDER } from "../system.ts";
import { type Desk, openDesk, untilShown } from "./desk.ts";
import { hostileTexts, MARK } from "./hostile_texts.ts";
import { PAGES, pathOf } from "./pages.ts";
import type { SeedIds } from "./seed.ts";

let desk: Desk;
let canary: Canary;
let seed: SeedIds;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  canary = stack.use(await openCanary());
  desk = stack.use(await openDesk());
  const texts = hostileTexts(`127.0.0.1:${canary.port}`);
  seed = stack.use(await plantHostileSeed(desk, texts));
  opened = stack.move();
});
after(() => opened?.disposeAsync());

test("the texts run, and ask, in a page that does not write them as text", async () => {
  await using control = await openCanary();
  const page = await desk.browser.newPage();
  let scripts = 0;
  let marks = 0;
  const asked = new Set<string>();
  for (const text of hostileTexts(`127.0.0.1:${control.port}`)) {
    await page.setContent(`<body>${text}`, { waitUntil: "commit" });
    await page.waitForTimeout(30);
    marks += Number((await findMarkup(page)).length > 0);
    for (const request of control.take().requests) {
      asked.add(request);
      scripts += Number(request === "script");
    }
  }
  assert.ok(scripts > 15, `${scripts} scripts`);
  assert.ok(asked.size > 8, [...asked].join());
  assert.ok(marks > 45, `${marks} marks`);
  await page.close();
});

// Looks at a mail that was filled: a template of such texts alone is none that could be.
const NOT_THERE = /^(message-(text|source)|email-preview-\w+)$/;

describe("texts of customers that are scripts", { concurrency: 2 }, () => {
  const there = PAGES.filter(({ who, name }) => who === undefined && !NOT_THERE.test(name));
  for (const entry of there) {
    test(`run nowhere and ask nobody on ${entry.name}`, async () => {
      await using look = await desk.look("/no-such-page");
      const { page } = look;
      const dialogs: string[] = [];
      page.on("dialog", (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await page.goto(`${desk.url}${pathOf(entry, seed)}`);
      await untilShown(page);
      await entry.open?.(page);
      await untilShown(page);
      // What waits for a moment of rest, or for the next frame, has run then.
      await page.waitForTimeout(300);
      assert.deepEqual(dialogs, []);
      assert.equal(await page.evaluate(() => Reflect.get(globalThis, "__ran")), undefined);
      assert.deepEqual(await findMarkup(page), []);
      assert.deepEqual(canary.take(), { connections: 0, requests: [], udp: 0, names: [] });
      assert.deepEqual(look.faults.filter((fault) => !fault.startsWith("a breach")), []);
    });
  }
});

/** Lists what of the texts stands in the dashboard's own document as more than text. */
function findMarkup(page: Page): Promise<string[]> {
  return page.evaluate((mark) => {
    const wrong = [
      ...document.querySelectorAll(
        `${mark}, [onerror], [onload], [onfocus], meta[http-equiv], base`,
      ),
      ...[...document.querySelectorAll<HTMLAnchorElement>("a[href], area[href]")]
        .filter(({ protocol }) => !/^(https?|mailto|blob):$/.test(protocol)),
      // What customers wrote is shown in frames without scripts, and without this origin's rights.
      ...[...document.querySelectorAll("iframe")].filter(({ sandbox }) =>
        ["allow-scripts", "allow-same-origin", "allow-top-navigation"]
          .some((right) => sandbox.contains(right))
      ),
      ...document.querySelectorAll("iframe:not([sandbox]), object, embed, frame"),
    ];
    return wrong.map(({ outerHTML }) => outerHTML.slice(0, 300));
  }, MARK);
}

/** Puts the texts wherever somebody, or somebody's server, can write what the dashboard shows. */
async function plantHostileSeed(
  { system: { store, accountId, ...system }, people }: Pick<Desk, "system" | "people">,
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
  const html = `<p>{{ text }}</p>${texts.join("\n").replaceAll(/[{}]/g, "")}`;
  const common = {
    accountId,
    variables: [{ name: "text", required: false }],
    sourceHash: "hostile",
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
    const email = await store.publishVersion({
      ...common,
      kind: "email",
      name,
      variables: [{ name: "text", required: false, description: text.slice(0, 200) }],
      source: { subject: `{{ text }} ${text.replaceAll(/[{}]/g, "")}`, html },
      parts: { subject: "{{ text }}", html, text: html },
    });
    ids.email.push(email.template.id);
    await store.createToken({ accountId, name, scopes: ["send"] });
    const integration = await store.createIntegration({
      ...{ accountId, name, host: "127.0.0.1", port: sink.port, tls: "none", auth: null },
      senders: [SENDER],
    });
    ids.integration.push(integration.id);
    const user = await store.createUser({ email: `u${index}@x.example`, name, passwordHash: null });
    await store.setMember({ accountId, userId: user._id, role: "viewer" });
    await store.noteAudit({
      ...{ accountId, at, userId: user._id, userEmail: user.email },
      ...{ action: text.slice(0, 100), target: text, details: { text } },
    });
  }
  const pdf = await store.publishVersion({
    ...common,
    kind: "pdf",
    name: text.slice(0, 200),
    source: { html },
    parts: { html, filename: `{{ text }}.pdf` },
    page: pageOptionsSchema.parse({}),
  });
  // The history shows what has changed, and publishing what was found in it.
  const path = `/templates/email/${ids.email[0]}`;
  const { owner } = people;
  const { revision, draft } = await owner.ask<{ revision: number; draft: { html: string } }>(
    "GET",
    path,
  );
  const source = { ...draft, html: `${texts.toReversed().join("\n").replaceAll(/[{}]/g, "")}<p>` };
  await owner.ask("PUT", `${path}/draft`, { revision, source });
  const suspended = await store.findIntegration(accountId, ids.integration[1] ?? 0);
  if (suspended) await store.suspendIntegration(suspended, { at, reason: texts.join(" ") });
  const good = ids.integration[0] ?? 0;
  const emailId = ids.email[0] ?? 0;
  const { id: sendId, messages } = await system.send({
    template: emailId,
    integration: good,
    from: { email: SENDER, name: "<img src=x onerror=alert(1)>" },
    to: texts.map((text, index) => ({
      email: `r${index}@reader.example`,
      name: text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").slice(0, 100),
      variables: { text },
      ...(index === 0 ? { attachments: [{ id: pdf.template.id, variables: { text } }] } : {}),
    })),
  });
  await system.untilResting(sendId, 30_000);
  const parts = opened.move();
  return {
    emailId,
    pdfId: pdf.template.id,
    integrations: { good, unreachable: good, suspended: suspended?.id ?? good },
    sendId,
    sentId: messages[0]?.id ?? "",
    failedId: messages[1]?.id ?? "",
    deferredId: messages[2]?.id ?? "",
    invitation: "none",
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type EventData,
  type GivenMessage,
  pageOptionsSchema,
  type TemplateRead,
} from "@posthaste/contracts";
import { type LedgerApp, openLedgerApp } from "./_test_ledger_app.ts";

const rendered: EventData<"render.requested">[] = [];
const asked: EventData<"content.requested">[] = [];

const bus = {
  ask(type: string, data: EventData<"content.requested">) {
    if (type !== "content.requested") return Promise.resolve({ ok: false, reason: "no printer" });
    asked.push(data);
    const page = pageOptionsSchema.parse({});
    return Promise.resolve({
      ok: true,
      parts: { subject: "Hi", html: { inline: "" }, text: { inline: "" } },
      pdfs: [{ templateId: 2, filename: "a.pdf", html: { inline: "x" }, page }],
    });
  },
  objects: () => ({ get: () => Promise.resolve(undefined) }),
};

let app: LedgerApp;
before(async () => {
  app = await openLedgerApp({
    bus: bus as never,
    render: (data) => {
      rendered.push(data);
      return Promise.resolve({ ok: true, subject: "Hi", html: "", text: "" });
    },
  });
  await publishMany(app);
});
after(() => app[Symbol.asyncDispose]());

const PARTS = { subject: "Hi", html: "<p>Hi</p>", text: "Hi" };

function printed(path: string): TemplateRead {
  return { path, uses: ["printed"], always: true };
}

/** Publishes email template 2 (`many`) and PDF template 2 (`bill`), each in English and German. */
async function publishMany({ store, accountId }: LedgerApp): Promise<void> {
  await store.templates.publish({
    ...{ accountId, kind: "email", alias: "many", name: "Many", sourceHash: "x", parts: PARTS },
    source: PARTS,
    variables: [{ name: "must", required: true }, { name: "nur", required: false }],
    reads: [printed("must")],
    variants: { de: { source: PARTS, parts: PARTS, reads: [printed("must"), printed("nur")] } },
  });
  const pdf = { source: { html: "x" }, parts: { html: "x", filename: "a.pdf" } };
  await store.templates.publish({
    ...{ accountId, kind: "pdf", alias: "bill", name: "Bill", sourceHash: "x", variables: [] },
    ...{ ...pdf, page: pageOptionsSchema.parse({}), variants: { de: pdf } },
  });
}

const FROM = { email: "shop@example.com" };
const PATH = "/v1/templates/many/send/1";
const variables = { must: "x" };

function send(body: Record<string, unknown>, path = PATH) {
  return app.ask(path, { method: "POST", body: { from: FROM, ...body } });
}

test("a send keeps the locale of its recipients and its own, and refuses what is no language tag", async () => {
  const to = [{ email: "a@example.net", locale: "de-AT" }, { email: "b@example.net" }];
  const { status, body } = await send({ to, variables, locale: "fr" });
  assert.equal(status, 200, JSON.stringify(body));
  const stored = await app.store.sends.find(app.accountId, body.id);
  assert.deepEqual([stored?.request.locale, stored?.request.to.map(({ locale }) => locale)], [
    "fr",
    ["de-AT", undefined],
  ]);
  for (const locale of ["de_AT", "", 7, "deutsch und englisch", "x".repeat(200), ["de"]]) {
    const refused = await send({ to: [{ email: "a@example.net", locale }], variables, locale });
    assert.equal(refused.status, 400, String(locale));
    const paths = refused.body.issues.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths.toSorted(), ["locale", "to.0.locale"]);
  }
  const without = await send({ to: [{ email: "a@example.net", locale: null }], variables });
  assert.equal(without.status, 200);
});

test("a send is checked by what the body in each recipient's language reads", async () => {
  const nur = { ...variables, nur: { an: "object" } };
  const to = (locale?: string) => [{ email: "a@example.net", locale, variables: nur }];
  assert.equal((await send({ to: to() })).status, 200);
  assert.equal((await send({ to: to("fr"), locale: "de" })).status, 200);
  for (const body of [{ to: to("de-CH") }, { to: to(), locale: "DE" }]) {
    const { status, body: { issues } } = await send(body);
    assert.deepEqual([status, issues[0].path, issues[0].code], [
      ...[400, "to.0.variables.nur", "unprintable_variable"],
    ]);
  }
  // Declarations hold for all languages.
  assert.equal((await send({ to: [{ email: "a@example.net", locale: "de" }] })).status, 400);
});

test("explanations, dry runs and contents name the variant that a message has", async () => {
  const attachments = [{ id: "bill" }, { id: 1 }];
  const to = [
    { email: "a@example.net", locale: "de-AT", attachments },
    { email: "b@example.net", attachments },
  ];
  const tried = await send({ to, variables }, `${PATH}/dry-run?recipients=0,1`);
  assert.equal(tried.status, 200, JSON.stringify(tried.body));
  const variants = (body: typeof tried.body) => [
    body.variant,
    ...body.attachments.map((one: typeof body) => one.variant),
  ];
  assert.deepEqual(tried.body.messages.map(variants), [["de", "de", null], [null, null, null]]);
  const given = asked.map(({ given }) => (given as GivenMessage).recipient.locale);
  assert.deepEqual(given, ["de-AT", undefined]);
  const { body: { messages } } = await send({ to, variables });
  for (const [index, wanted] of [["de", "de", null], [null, null, null]].entries()) {
    const path = `/v1/messages/${messages[index].id}`;
    assert.deepEqual(variants((await app.ask(`${path}/explain`)).body), wanted);
    assert.equal((await app.ask(`${path}/content`)).body.variant, wanted[0]);
  }
});

test("rendering takes the locale of its query, and leaves a variable of that name alone", async () => {
  const render = (query: string, body: unknown) =>
    app.ask(`/v1/templates/many/render${query}`, { method: "POST", body });
  rendered.length = 0;
  assert.equal((await render("?locale=de-AT", variables)).status, 200);
  assert.equal((await render("?locale=fr", variables)).status, 200);
  assert.equal((await render("?other=1", { ...variables, locale: "de" })).status, 200);
  assert.deepEqual(rendered.map(({ locale }) => locale), ["de", undefined, undefined]);
  assert.equal(rendered[2]?.variables["locale"], "de");
  const refused = await render("?locale=de_AT", variables);
  assert.deepEqual([refused.status, refused.body.issues[0].path], [400, "locale"]);
  const nur = { ...variables, nur: [] };
  assert.equal((await render("?locale=de", nur)).status, 400);
  assert.equal((await render("?locale=en", nur)).status, 200);
  asked.length = 0;
  await app.ask("/v1/pdf-templates/bill/render?locale=de", { method: "POST", body: {} });
  assert.equal(asked[0]?.pdf?.locale, "de");
  const no = await app.ask("/v1/pdf-templates/bill/render?locale=-", { method: "POST", body: {} });
  assert.equal(no.status, 400);
});

test("lists name the languages of a template, and its schema has the variables of all of them", async () => {
  const { body } = await app.ask("/v1/templates/many");
  assert.deepEqual([body.locale, body.variants], ["en", ["de"]]);
  const { body: { data } } = await app.ask("/v1/pdf-templates");
  assert.deepEqual(data.map(({ variants }: { variants: string[] }) => variants), [[], ["de"]]);
  const { body: schema } = await app.ask("/v1/templates/many/schema");
  assert.deepEqual(Object.keys(schema.properties), ["must", "nur"]);
  assert.deepEqual(schema.required, ["must"]);
});

test("the account's language stands in for that of a request, and is pinned with it", async () => {
  await using other = await openLedgerApp({
    render: (data) => {
      rendered.push(data);
      return Promise.resolve({ ok: true, subject: "Hi", html: "", text: "" });
    },
  });
  await publishMany(other);
  await other.store.accounts.update(other.accountId, { locale: "de" });
  const localeOf = async (body: Record<string, unknown>) => {
    const { id } = (await other.ask(PATH, {
      method: "POST",
      body: { from: FROM, to: [{ email: "a@example.net" }], variables, ...body },
    })).body;
    return (await other.store.sends.find(other.accountId, id))?.request.locale;
  };
  assert.deepEqual([await localeOf({}), await localeOf({ locale: "fr" })], ["de", "fr"]);
  rendered.length = 0;
  await other.ask("/v1/templates/many/render", { method: "POST", body: variables });
  await other.ask("/v1/templates/many/render?locale=en", { method: "POST", body: variables });
  assert.deepEqual(rendered.map(({ locale }) => locale), ["de", undefined]);
  const shared = { templateId: "many", integrationId: 1, from: FROM, variables };
  const { body: batch } = await other.ask("/v1/batches", { method: "POST", body: shared });
  await other.store.accounts.update(other.accountId, { locale: null });
  const part = await other.ask(`/v1/batches/${batch.id}/recipients`, {
    ...{ method: "POST", headers: { "idempotency-key": "k" } },
    body: { to: [{ email: "a@example.net" }] },
  });
  assert.equal(part.status, 200, JSON.stringify(part.body));
  const stored = await other.store.sends.find(other.accountId, part.body.id);
  assert.equal(stored?.request.locale, "de");
});

test("a message names the variant that it has, also without its content", async () => {
  const to = [{ email: "a@example.net", locale: "de-AT" }, { email: "b@example.net" }];
  const { body: { id, messages } } = await send({ to, variables, locale: "fr" });
  const variants = async (options = {}) => {
    const answers = await Promise.all(
      messages.map((message: { id: string }) => app.ask(`/v1/messages/${message.id}`, options)),
    );
    return answers.map(({ body }) => body.variant);
  };
  assert.deepEqual(await variants(), ["de", null]);
  for (const index of [0, 1]) await app.end(id, index, "sent");
  const now = new Date();
  await app.store.sends.settle([{ _id: id }], now);
  const before = new Date(now.getTime() + 1000);
  const removal = { accountId: app.accountId, before, limit: 1000, now };
  assert.ok((await app.store.retention.removeContents(removal)).removed > 0);
  assert.deepEqual(await variants(), ["de", null]);
  assert.deepEqual(await variants({ isOther: true }), [undefined, undefined]);
});

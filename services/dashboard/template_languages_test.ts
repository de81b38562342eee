import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MAX_VARIANT_BYTES, MAX_VARIANTS } from "@posthaste/contracts";
import { LIMITS, openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { openTestStages, type TestStages } from "./_test_stages.ts";

let stages: TestStages;
let dashboard: TestDashboard;
before(async () => {
  stages = openTestStages();
  const limits = { ...LIMITS, rateLimit: 0 };
  dashboard = await openTestDashboard({ bus: stages.bus as never, options: { limits } });
});
after(async () => {
  await dashboard?.[Symbol.asyncDispose]();
  await stages[Symbol.asyncDispose]();
});

const BASE = "/manage/v1";
const MJML = "<mjml><mj-body><mj-section><mj-column><mj-text>";
const MJML_END = "</mj-text></mj-column></mj-section></mj-body></mjml>";

/** A body of an email template, as a draft has it. */
function body(subject: string, html = `<html><p>${subject}</p></html>`, more: object = {}) {
  return { subject, html, text: "", filename: "", ...more };
}

/** Opens a program with an account of its own. */
async function openProgram() {
  const { store, program } = dashboard;
  const { _id: accountId } = await store.accounts.create({ name: `Shop ${Math.random()}` });
  const scopes = ["manage:templates" as const, "manage:account" as const, "send" as const];
  const { token } = await store.tokens.create({ accountId, name: "CI", scopes });
  const asked = program(token);
  async function make(name: string, changes: object, kind: "email" | "pdf" = "email") {
    const { body: { id, revision, draft } } = await asked.post(`${BASE}/templates/${kind}`, {
      name,
    });
    const path = `${BASE}/templates/${kind}/${id}`;
    const source = { ...draft, variables: [], sample: {}, ...changes };
    const saved = await asked.put(`${path}/draft`, { revision, source });
    assert.equal(saved.status, 200, saved.text);
    return { id, path, view: saved.body };
  }
  const publish = (path: string, { revision }: { revision: number }) =>
    asked.post(`${path}/publish`, { revision });
  const version = (id: number, number: number) =>
    store.templates.findVersion(accountId, "email", id, number);
  return { accountId, asked, make, publish, version };
}

test("a template is published, rolled back and compared with all its languages", async () => {
  const { asked, make, publish, version } = await openProgram();
  const arabic = body("مرحبا {{name}}", `${MJML}مرحبا${MJML_END}`);
  const variants = { ar: arabic, "pt-br": body("Olá {{name}}") };
  const { id, path, view } = await make("Hi", { ...body("Hi {{name}}"), variants });
  assert.deepEqual(Object.keys(view.draft.variants), ["ar", "pt-BR"]);
  const { body: first } = await publish(path, view);
  assert.deepEqual([first.publishedVersion, first.hasChanges], [1, false]);
  const stored = await version(id, 1);
  assert.match(stored?.variants?.["ar"]?.parts.html ?? "", /<html lang="ar" dir="rtl"/);
  assert.match(stored?.variants?.["pt-BR"]?.parts.html ?? "", /<html lang="pt-BR">/);
  assert.match(stored?.parts.html ?? "", /<html lang="en">/);
  assert.equal(stored?.variants?.["ar"]?.parts.text.trim(), "مرحبا");

  const changed = { ...first.draft, variants: { ...variants, "pt-br": body("Oi {{name}}") } };
  const { body: saved } = await asked.put(`${path}/draft`, {
    ...{ revision: first.revision, source: changed },
  });
  assert.equal(saved.hasChanges, true);
  assert.equal((await publish(path, saved)).body.publishedVersion, 2);
  assert.equal((await version(id, 2))?.variants?.["pt-BR"]?.parts.subject, "Oi {{name}}");
  const { body: rolled } = await asked.post(`${path}/roll-back`, { version: 1 });
  assert.equal(rolled.publishedVersion, 3);
  assert.equal(rolled.draft.variants["pt-BR"].subject, "Olá {{name}}");
  assert.deepEqual((await version(id, 3))?.variants, stored?.variants);
  const { body: second } = await asked.get(`${path}/versions/2`);
  assert.equal(second.source.variants["pt-BR"].subject, "Oi {{name}}");
  const back = await asked.put(`${path}/draft`, {
    ...{ revision: rolled.revision, source: { ...rolled.draft, variants: {} } },
  });
  assert.deepEqual([back.body.draft.variants, back.body.hasChanges], [undefined, true]);
});

test("saving refuses languages that are no tags, repeated, too many or too large", async () => {
  const { asked, make } = await openProgram();
  const { path, view } = await make("Hi", body("Hi"));
  const refused = async (changes: object) => {
    const source = { ...view.draft, ...changes };
    const answer = await asked.put(`${path}/draft`, { revision: view.revision, source });
    assert.equal(answer.status, 400, JSON.stringify(changes).slice(0, 200));
    return answer.body.issues?.map(({ path }: { path: string }) => path);
  };
  const one = body("Hi");
  assert.deepEqual(await refused({ variants: { de_AT: one } }), ["source.variants.de_AT"]);
  assert.deepEqual(await refused({ variants: { "de-u-nu-latn": one } }), [
    "source.variants.de-u-nu-latn",
  ]);
  await refused({ variants: { "de-AT": one, "de-at": one } });
  await refused({ variants: { en: one } });
  await refused({ variants: { de: one }, locale: "de" });
  await refused({ variants: { de: { ...one, html: 1 } } });
  await refused({ variants: { de: { ...one, locale: "fr" } } });
  await refused(JSON.parse('{"variants":{"__proto__":{}}}'));
  const tags = Array.from({ length: MAX_VARIANTS + 1 }, (_, index) => `es-${100 + index}`);
  await refused({ variants: Object.fromEntries(tags.map((tag) => [tag, one])) });
  const html = "x".repeat(MAX_VARIANT_BYTES / 5);
  const many = ["de", "fr", "it", "pt", "nl"].map((tag) => [tag, { ...one, html }]);
  assert.deepEqual(await refused({ variants: Object.fromEntries(many) }), ["source.variants"]);
});

test("publishing names the language of a fault, and needs none of them to be without", async () => {
  const { asked, make, publish } = await openProgram();
  const variants = { de: body("Hallo", "<p>\n{{#iff x}}y{{/iff}}"), fr: body("Salut") };
  const { path, view } = await make("Faulty", { ...body("Hi"), variants });
  const faulty = await publish(path, view);
  assert.deepEqual([faulty.status, faulty.body.code], [422, "template_failed"]);
  assert.equal(faulty.body.issues[0].path, "variants/de/html:2:1");
  assert.match(faulty.body.error, /"de"/);
  const script = { ...view.draft, variants: { fr: body("Salut", "<p>\n<script>1</script>") } };
  const { body: saved } = await asked.put(`${path}/draft`, {
    ...{ revision: view.revision, source: script },
  });
  const forbidden = await publish(path, saved);
  assert.equal(forbidden.status, 422);
  assert.equal(forbidden.body.issues[0].path, "variants/fr/html:2:1");
});

test("a first publication requires what the bodies in all languages print", async () => {
  const { make, publish } = await openProgram();
  const variants = { de: body("{{a}} {{c}}") };
  const { path, view } = await make("New", { ...body("{{a}} {{b}}"), variants });
  const { body: published } = await publish(path, view);
  assert.deepEqual(published.draft.variables, [{ name: "a", required: true }]);
});

test("a preview shows the language that fits best, and misses no variable of another one", async () => {
  const { asked, make } = await openProgram();
  const variables = [{ name: "n", required: false }, { name: "nur", required: false }];
  const german = body("Hallo {{number n}} {{nur}}", "<html><p>Hallo</p></html>");
  const { view } = await make("Hi", {
    ...{ ...body("Hi {{number n}}"), variants: { de: german } },
    ...{ variables, sample: { n: 1.5, nur: "!" } },
  });
  const preview = async (locale?: string) => {
    const { body: shown } = await asked.post(`${BASE}/templates/email/preview`, {
      ...{ source: view.draft, locale },
    });
    assert.ok(!shown.findings.some(({ rule }: { rule: string }) => rule === "unused_variable"));
    return [shown.variant, shown.output.subject, /lang="(\w+)"/.exec(shown.output.html)?.[1]];
  };
  assert.deepEqual(await preview("de-AT"), ["de", "Hallo 1,5 !", "de"]);
  assert.deepEqual(await preview("fr"), [null, "Hi 1.5", "en"]);
  assert.deepEqual(await preview(), [null, "Hi 1.5", "en"]);
  const wrong = await asked.post(`${BASE}/templates/email/preview`, {
    ...{ source: view.draft, locale: "de_AT" },
  });
  assert.equal(wrong.status, 400);
});

test("a PDF template has file names and invoices of its languages, and no subjects", async () => {
  const { accountId, make, publish } = await openProgram();
  const german = body("weg", "<p>Rechnung</p>", { filename: "rechnung.pdf", text: "weg" });
  const { id, path, view } = await make("Bill", {
    ...{ html: "<p>Bill</p>", filename: "bill.pdf", variants: { de: german } },
  }, "pdf");
  assert.deepEqual(
    view.draft.variants.de,
    body("", "<p>Rechnung</p>", {
      filename: "rechnung.pdf",
    }),
  );
  assert.equal((await publish(path, view)).status, 200);
  const stored = await dashboard.store.templates.findVersion(accountId, "pdf", id, 1);
  assert.deepEqual(stored?.variants?.["de"]?.parts, {
    ...{ html: "<p>Rechnung</p>", filename: "rechnung.pdf" },
  });
});

test("a partial is published with the languages of templates that include it there alone", async () => {
  const { asked, make, publish, version } = await openProgram();
  const write = async (source: string, revision: number) => {
    const path = `${BASE}/partials/gruss`;
    await asked.put(`${path}/draft`, { revision, source });
    return await asked.post(`${path}/publish`, { revision: revision + 1 });
  };
  await write("Mit Gruß", 0);
  const { id, path, view } = await make("Letter", {
    ...{ ...body("Hi"), variants: { de: body("Hallo", "<p>{{> gruss}}</p>") } },
  });
  assert.equal((await publish(path, view)).status, 200);
  assert.deepEqual((await version(id, 1))?.includes?.map(({ name }) => name), ["gruss"]);
  const { body: { templates } } = await write("Viele Grüße", 1);
  assert.deepEqual(templates.map((one: { version: number }) => one.version), [2]);
  const stored = await version(id, 2);
  assert.match(stored?.variants?.["de"]?.parts.html ?? "", /Viele Grüße/);
  assert.equal(stored?.parts.subject, "Hi");
});

test("lists say which languages other templates have and one lacks", async () => {
  const { asked, make, publish } = await openProgram();
  const german = await make("A", { ...body("Hi"), variants: { de: body("Hallo") } });
  await publish(german.path, german.view);
  const french = await make("B", { html: "<p>", locale: "fr-FR" }, "pdf");
  await publish(french.path, french.view);
  await make("C", body("Draft"));
  const { body: rows } = await asked.get(`${BASE}/templates/email`);
  const said = ({ languages, missingLanguages }: Record<string, string[]>) => [
    languages,
    missingLanguages,
  ];
  assert.deepEqual(rows.map(said), [
    [["en", "de"], ["fr-FR"]],
    [[], ["de", "en", "fr-FR"]],
  ]);
  const { body: view } = await asked.get(french.path);
  assert.deepEqual(said(view), [["fr-FR"], ["de", "en"]]);
});

test("a test mail is of the wanted language alone, whatever the others are like", async () => {
  const { accountId, asked, make } = await openProgram();
  await dashboard.store.integrations.create({
    ...{ accountId, name: "main", host: "smtp.example.com", port: 25, tls: "none", auth: null },
    senders: ["shop@example.com"],
  });
  const variants = { de: body("Hallo"), fr: body("Salut", "<p>{{#iff}}{{/iff}}") };
  const { id, path, view } = await make("Hi", { ...body("Hi"), variants });
  const { status, body: sent, text } = await asked.post(`${path}/test`, {
    ...{ revision: view.revision, integrationId: 1, sender: "shop@example.com" },
    ...{ to: "me@example.com", variables: {}, locale: "de-AT" },
  });
  assert.equal(status, 200, text);
  const send = await dashboard.store.sends.find(accountId, sent.sendId);
  assert.equal(send?.request.to[0]?.locale, "de-AT");
  const stored = await dashboard.store.templates.findVersion(accountId, "email", id, 1);
  assert.deepEqual([stored?.parts.subject, stored?.locale, stored?.isTest, stored?.variants], [
    ...["Hallo", "de", true, undefined],
  ]);
});

test("PUT /account/language sets the language of mails, for owners only", async () => {
  const { asked } = await openProgram();
  const read = async () => (await asked.get(`${BASE}/account`)).body.locale;
  assert.equal(await read(), null);
  assert.equal((await asked.put(`${BASE}/account/language`, { locale: "de-at" })).status, 200);
  assert.equal(await read(), "de-AT");
  assert.equal((await asked.put(`${BASE}/account/language`, { locale: "de_AT" })).status, 400);
  assert.equal((await asked.put(`${BASE}/account/language`, {})).status, 400);
  await asked.put(`${BASE}/account/language`, { locale: null });
  assert.equal(await read(), null);
  const { editor, owner } = dashboard.own;
  assert.equal((await editor.put("/api/account/language", { locale: "de" })).status, 403);
  assert.equal((await owner.put("/api/account/language", { locale: "de" })).status, 200);
  const [entry] = await dashboard.store.audit.list(dashboard.own.accountId, { limit: 1 });
  assert.deepEqual([entry?.action, entry?.details], [
    ...["language.changed", { from: null, to: "de" }],
  ]);
});

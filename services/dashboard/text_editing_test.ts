import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { openTestStages, type TestStages } from "./_test_stages.ts";
import { readMarks, WHOLE } from "./texts/read_marks.ts";

let stages: TestStages;
let dashboard: TestDashboard;
before(async () => {
  stages = openTestStages();
  dashboard = await openTestDashboard({ bus: stages.bus as never });
});
after(async () => {
  await dashboard?.[Symbol.asyncDispose]();
  await stages[Symbol.asyncDispose]();
});

const MAIL = "/api/templates/email";
const PDF = "/api/templates/pdf";
const HTML = '<p>Hello {{ name }},</p><img src="a.png"><p>Pay <b>{{ sum }}</b>.</p>';

async function makeTemplate(path: string, content: Record<string, unknown> = { html: HTML }) {
  const { editor } = dashboard.own;
  const { body } = await editor.post(path, { name: "Invoice" });
  const source = { ...body.draft, variables: [], sample: { name: "Ada", sum: 5 }, ...content };
  const saved = await editor.put(`${path}/${body.id}/draft`, { revision: 1, source });
  assert.equal(saved.status, 200, saved.text);
  return saved.body;
}

test("a marked preview has the places of texts and their values, and nothing of it is stored", async () => {
  const view = await makeTemplate(MAIL, { html: HTML, subject: "For {{ name }}" });
  const { body, status, text } = await dashboard.own.texts.post(`${MAIL}/preview/texts`, {
    source: view.draft,
  });
  assert.equal(status, 200, text);
  const { values, texts } = readMarks(body.html);
  assert.deepEqual([...values], [[0, ["Ada"]], [1, ["5"]]]);
  assert.equal(texts.length, 2);
  assert.deepEqual(readMarks(body.subject).values.get(WHOLE), ["Ada"]);
  assert.equal(body.pdf, null);
  const stored = await dashboard.own.editor.get(`${MAIL}/${view.id}`);
  assert.deepEqual(stored.body.draft, view.draft);
});

test("a marked PDF has its texts as links, and only its account can read it", async () => {
  const view = await makeTemplate(PDF);
  const { own, foreign } = dashboard;
  const { body } = await own.texts.post(`${PDF}/preview/texts`, { source: view.draft });
  assert.equal(body.pdf, "a-pdf");
  const printed = stages.asked.findLast(({ type }) => type === "print.requested")?.data as {
    html: { inline: string };
  };
  assert.match(
    printed.html.inline,
    /<a href="https:\/\/posthaste\.invalid\/text\/0\/0"[^>]*>Hello Ada,<\/a>/,
  );
  assert.equal((await own.texts.get(`${PDF}/preview/a-pdf`)).status, 200);
  assert.equal((await foreign.texts.get(`${PDF}/preview/a-pdf`)).status, 404);
});

test("a marked preview of a source with faults is empty", async () => {
  const view = await makeTemplate(MAIL);
  const source = { ...view.draft, html: "<p>{{#if a}}</p>" };
  const { body } = await dashboard.own.editor.post(`${MAIL}/preview/texts`, { source });
  const nothing = { subject: null, html: null, text: null, pdf: null, partials: [] };
  assert.deepEqual(body, nothing);
});

test("a marked preview has the text part if it is written by hand, and whose texts are in partials", async () => {
  const { own: { accountId, texts, editor }, store } = dashboard;
  const write = async (name: string, source: string) => {
    const edit = { name, source, revision: 0, updatedAt: new Date(), updatedBy: null };
    await store.partials.change({ ...edit, accountId });
    const { status, text } = await editor.post(`/api/partials/${name}/publish`, { revision: 1 });
    assert.equal(status, 200, text);
  };
  await write("color", "#0a5");
  await write("foot", "<p>Acme, {{ city }}</p>");
  await write("@brand", '{"name":"Acme"}');
  const view = await makeTemplate(MAIL, {
    html: '<p style="color:{{> color}}">{{@brand.name}}</p>{{> foot}}',
    sample: { name: "Ada", sum: 5, city: "" },
    text: "Hi {{ name }}\n\n{{#if sum}}\nPay {{ sum }}\n{{/if}}\n{{#if city}}\nNo\n{{/if}}",
  });
  const { body } = await texts.post(`${MAIL}/preview/texts`, { source: view.draft });
  assert.deepEqual(body.partials, ["foot"]);
  const page = readMarks(body.html.replace(/<[^>]*>/g, ""));
  const seen = page.texts.map(({ type, number, start, end }) =>
    `${type} ${number} ${page.text.slice(start, end)}`
  );
  assert.deepEqual(seen, ["text 0 Acme", "partial 0 Acme, "]);
  const { text, texts: written, values } = readMarks(body.text);
  assert.deepEqual(written.map(({ start, end }) => text.slice(start, end)), ["Hi Ada", "Pay 5"]);
  assert.deepEqual([...values], [[0, ["Ada"]], [1, ["5"]]]);
  const generated = { ...view.draft, text: " " };
  const { body: other } = await texts.post(`${MAIL}/preview/texts`, { source: generated });
  assert.equal(other.text, null);
  const published = await editor.post(`${MAIL}/${view.id}/publish`, { revision: view.revision });
  assert.equal(published.status, 200, published.text);
  const users = await texts.get("/api/partials/foot/templates");
  assert.deepEqual(users.body.map(({ id }: { id: number }) => id), [view.id], users.text);
  assert.equal((await texts.get("/api/partials/foot")).status, 403);
});

test("a member for texts changes texts of a draft, and nothing else", async () => {
  const { texts } = dashboard.own;
  const view = await makeTemplate(MAIL, {
    html: HTML,
    subject: "For {{ name }}",
    text: "Hi {{ name }}",
  });
  const path = `${MAIL}/${view.id}/draft`;
  const { draft } = view;
  const changes = [
    { html: HTML.replace("a.png", "b.png") },
    { html: `<img src="a.png" alt="">\n${HTML}` },
    { html: HTML.replace("Hello", "<script>alert(1)</script>") },
    { html: HTML.replace("Hello", '<a href="https://evil.example">Hello</a>') },
    { html: HTML.replace("{{ name }}", "{{ secret }}") },
    { html: HTML.replace("{{ name }}", "{{{ name }}}") },
    { subject: "{{#if name}}Hi{{/if}}" },
    { text: "{{> footer }}" },
    { text: "Hi {{ secret }}" },
    { text: "Hi {{{ name }}}" },
    { text: "Hi \\{{ name }}" },
    { text: "Hi {{ name }}}" },
    { text: "Hi {{#if name}}{{ name }}{{/if}}" },
    { text: "Hi {{ name }} {{!" },
    { text: "Hi \ufdda\ufdd0\ufddc{{ name }}" },
    { html: HTML.replace("Hello", "&#123;&#123;{{ secret }}") },
    { sample: { name: "Bob" } },
    { variables: [{ name: "name", required: true }] },
    { locale: "de" },
  ];
  for (const change of changes) {
    const source = { ...draft, ...change };
    const { status, body } = await texts.put(path, { revision: view.revision, source });
    assert.deepEqual([status, body.code], [403, "not_allowed"], JSON.stringify(change));
  }
  const source = {
    ...draft,
    subject: "{{ sum }} from {{ name }}",
    text: "Good morning\n\n{{ name }}, <b> &#123;&#123; secret }}",
    html: HTML.replace("Hello", "Good morning<br>dear").replace("Pay", "1 &lt; 2"),
  };
  const saved = await texts.put(path, { revision: view.revision, source });
  assert.equal(saved.status, 200, saved.text);
  assert.deepEqual(saved.body.draft, source);
  assert.equal(saved.body.revision, view.revision + 1);
  const stale = await texts.put(path, { revision: view.revision, source: draft });
  assert.deepEqual([stale.status, stale.body.code], [409, "conflict"]);
});

test("a member for texts changes texts in each language of a draft, and no language", async () => {
  const { texts } = dashboard.own;
  const body = { subject: "Für {{ name }}", html: HTML, text: "", filename: "" };
  const view = await makeTemplate(MAIL, { html: HTML, variants: { de: body } });
  const put = async (variants: unknown) => {
    const source = { ...view.draft, variants };
    return await texts.put(`${MAIL}/${view.id}/draft`, { revision: view.revision, source });
  };
  const changes = [
    undefined,
    { fr: body },
    { de: body, fr: body },
    { de: { ...body, html: HTML.replace("a.png", "b.png") } },
    { de: { ...body, subject: "{{#if name}}Hi{{/if}}" } },
  ];
  for (const change of changes) {
    assert.equal((await put(change)).status, 403, JSON.stringify(change));
  }
  const german = { ...body, subject: "Hallo {{ name }}", html: HTML.replace("Hello", "Guten Tag") };
  const saved = await put({ de: german });
  assert.equal(saved.status, 200, saved.text);
  const source = saved.body.draft;
  const shown = await texts.post(`${MAIL}/preview/texts`, { source, locale: "de-AT" });
  assert.match(shown.body.html, /Guten Tag/);
});

test("a member for texts changes texts of a PDF whose page was stored without later defaults", async () => {
  const { own: { texts, accountId }, store } = dashboard;
  const view = await makeTemplate(PDF);
  const template = await store.templates.find(accountId, "pdf", view.id);
  const draft = template && await store.drafts.find(template);
  assert.ok(draft?.source.page);
  const { missingGlyphs: _, ...page } = draft.source.page;
  await store.drafts.change({ ...draft, source: { ...draft.source, page: page as never } });
  const { body: { draft: source, revision } } = await texts.get(`${PDF}/${view.id}`);
  const html = HTML.replace("Hello", "Hi");
  const change = { revision, source: { ...source, html } };
  const saved = await texts.put(`${PDF}/${view.id}/draft`, change);
  assert.equal(saved.status, 200, saved.text);
});

test("a member for texts reads templates, and nothing of messages, integrations, tokens and people", async () => {
  const { texts } = dashboard.own;
  const view = await makeTemplate(MAIL);
  const { body } = await texts.get(`${MAIL}/${view.id}`);
  assert.deepEqual(body.example, { integrationId: null, sender: null, mailedWith: null });
  for (const path of ["", `/${view.id}`]) assert.equal((await texts.get(MAIL + path)).status, 200);
  const closed = [
    "messages",
    "integrations",
    "tokens",
    "webhooks",
    "members",
    "overview",
    "account",
    "assets",
  ];
  for (const path of closed) {
    const { status, body } = await texts.get(`/api/${path}`);
    assert.deepEqual([status, body.code], [403, "not_allowed"], path);
  }
  const publish = await texts.post(`${MAIL}/${view.id}/publish`, { revision: view.revision });
  assert.equal(publish.status, 403);
  assert.match(
    publish.body.error,
    /Requires the editor role; you are a member who changes texts only/,
  );
});

test("a viewer changes no texts", async () => {
  const view = await makeTemplate(MAIL);
  const { viewer } = dashboard.own;
  const body = { revision: view.revision, source: view.draft };
  assert.equal((await viewer.put(`${MAIL}/${view.id}/draft`, body)).status, 403);
  assert.equal((await viewer.post(`${MAIL}/preview/texts`, { source: view.draft })).status, 403);
});

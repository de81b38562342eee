import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LIMITS, openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { openTestStages, type TestStages } from "./_test_stages.ts";

let stages: TestStages;
let dashboard: TestDashboard;
before(async () => {
  stages = openTestStages();
  const limits = { ...LIMITS, rateLimit: 0 };
  dashboard = await openTestDashboard({ bus: stages.bus as never, options: { limits } });
  const { store } = dashboard;
  stages.findAsset = async (accountId, name) => {
    const found = await store.assets.findName(accountId, name);
    if (found === null) return null;
    const { sha256, size, filename, contentType } = found;
    return { name, sha256, size, filename, contentType };
  };
});
after(async () => {
  await dashboard?.[Symbol.asyncDispose]();
  await stages[Symbol.asyncDispose]();
});

const BASE = "/manage/v1";

/** Opens a program with an account of its own. */
async function openProgram() {
  const { store, program } = dashboard;
  const account = await store.accounts.create({ name: `Shop ${Math.random()}` });
  const scopes = ["manage:templates" as const];
  const { token } = await store.tokens.create({ accountId: account._id, name: "CI", scopes });
  const asked = program(token);
  const write = (name: string, source: string, revision = 0) =>
    asked.put(`${BASE}/partials/${name}/draft`, { revision, source });
  const publish = (name: string, revision = 1) =>
    asked.post(`${BASE}/partials/${name}/publish`, { revision });
  async function template(name: string, html: string) {
    const { body: { id, revision, draft } } = await asked.post(`${BASE}/templates/email`, { name });
    const path = `${BASE}/templates/email/${id}`;
    const source = { ...draft, subject: "Hi", html };
    const saved = await asked.put(`${path}/draft`, { revision, source });
    return { id, path, draft: saved.body, published: await publishTemplate(path, saved.body) };
  }
  const publishTemplate = (path: string, { revision }: { revision: number }) =>
    asked.post(`${path}/publish`, { revision });
  const version = (id: number, number: number) =>
    store.templates.findVersion(account._id, "email", id, number);
  return { accountId: account._id, asked, write, publish, template, version };
}

test("publishing a template pins the partials and the brand that it reaches", async () => {
  const { write, publish, template, version } = await openProgram();
  await write("city", "Rome");
  await publish("city");
  await write("@brand", '{"color":"#0a5"}');
  await publish("@brand");
  await write("foot", "<p style='color:{{@brand.color}}'>{{> city}}</p>");
  await publish("foot");
  await write("other", "not called");
  await publish("other");
  const { id, published } = await template("Letter", "{{> foot}}");
  assert.equal(published.status, 200, published.text);
  const stored = await version(id, 1);
  assert.match(stored?.parts.html ?? "", /color:#0a5.*Rome/);
  assert.deepEqual(stored?.includes?.map(({ name, version }) => `${name} ${version}`).sort(), [
    "@brand 1",
    "city 1",
    "foot 1",
  ]);
  const { published: unknown } = await template("Typo", "\n{{> fot}}");
  assert.deepEqual([unknown.status, unknown.body.issues[0].path], [422, "html:2:1"]);
});

test("the file name of a PDF and a layout may include partials, which the draft keeps", async () => {
  const { accountId, asked, write, publish } = await openProgram();
  await write("base", "<main>{{> @partial-block}}</main>");
  await publish("base");
  const { body } = await asked.post(`${BASE}/templates/pdf`, { name: "Bill" });
  const path = `${BASE}/templates/pdf/${body.id}`;
  const html = "{{#> base}}<p>Bill</p>{{/base}}";
  const source = { ...body.draft, html, filename: "{{#*inline 'a'}}bill{{/inline}}{{> a}}.pdf" };
  const { revision } = (await asked.put(`${path}/draft`, { revision: 1, source })).body;
  const published = await asked.post(`${path}/publish`, { revision });
  assert.equal(published.status, 200, published.text);
  const stored = await dashboard.store.templates.findVersion(accountId, "pdf", body.id, 1);
  assert.equal(stored?.parts.html, "<main><p>Bill</p></main>");
  assert.equal(stored?.parts.filename, "bill.pdf");
  assert.equal(published.body.draft.filename, source.filename);
  await write("base", "<div>{{> @partial-block}}</div>", 1);
  await publish("base", 2);
  const again = await dashboard.store.templates.findVersion(accountId, "pdf", body.id, 2);
  assert.deepEqual(again?.parts, { html: "<div><p>Bill</p></div>", filename: "bill.pdf" });
  assert.equal((await asked.get(path)).body.draft.filename, source.filename);
});

test("publishing a partial publishes all templates that have it, and keeps their drafts", async () => {
  const { accountId, asked, write, publish, template, version } = await openProgram();
  await write("city", "Rome");
  await publish("city");
  await write("foot", "in {{> city}}");
  await publish("foot");
  const one = await template("One", "<p>1 {{> foot}}</p>");
  const two = await template("Two", "<p>2 {{> city}}</p>");
  const three = await template("Three", "<p>3</p>");
  const { revision, draft } = (await asked.get(one.path)).body;
  await asked.put(`${one.path}/draft`, { revision, source: { ...draft, html: "mine" } });
  await write("city", "Pisa", 1);
  const listed = await asked.get(`${BASE}/partials/city/templates`);
  const shown = listed.body.map(({ id, hasDraft }: { id: number; hasDraft: boolean }) => [
    id,
    hasDraft,
  ]);
  assert.deepEqual(shown, [[one.id, true], [two.id, false]]);
  const { status, body, text } = await publish("city", 2);
  assert.deepEqual([status, body.version, body.templates.length], [200, 2, 2], text);
  assert.match((await version(one.id, 2))?.parts.html ?? "", /1 in Pisa/);
  assert.match((await version(two.id, 2))?.parts.html ?? "", /2 Pisa/);
  assert.match((await version(one.id, 1))?.parts.html ?? "", /1 in Rome/);
  const after = (await asked.get(one.path)).body;
  assert.deepEqual([after.draft.html, after.publishedVersion], ["mine", 2]);
  assert.equal((await asked.get(three.path)).body.publishedVersion, 1);
  const lines = await dashboard.store.audit.list(accountId, { limit: 3 });
  assert.deepEqual(lines.map(({ action }) => action).sort(), [
    "partial.published",
    "template.published",
    "template.published",
  ]);
});

test("a partial that breaks one of its templates is not published, nor any of them", async () => {
  const { asked, write, publish, template } = await openProgram();
  await write("foot", "It is fine");
  await publish("foot");
  const one = await template("One", "{{> foot}}");
  const two = await template("Two", "<b>{{> foot}}</b>{{> foot}}");
  await write("foot", "a\n{{> @partial-block}}", 1);
  const { status, body } = await publish("foot", 2);
  assert.deepEqual([status, body.code], [422, "template_failed"]);
  assert.match(body.issues[0].path, /^email\/\d:partials\/foot:2:1$/);
  assert.match(body.issues[0].message, /has no content/);
  for (const { path } of [one, two]) {
    assert.equal((await asked.get(path)).body.publishedVersion, 1);
  }
  assert.equal((await asked.get(`${BASE}/partials/foot`)).body.publishedVersion, 1);
});

test("partials have revisions, names and limits, and stay while they are used", async () => {
  const { asked, write, publish, template } = await openProgram();
  assert.equal((await write("foot", "x")).status, 200);
  assert.equal((await write("foot", "y")).body.code, "conflict");
  assert.equal((await publish("foot", 2)).body.code, "conflict");
  assert.equal((await write("Foot", "x")).status, 400);
  assert.equal((await write("long", "x".repeat(100_001))).status, 400);
  assert.equal((await write("@brand", '{"a":"}}"}')).status, 400);
  assert.equal((await write("@brand", "{")).status, 400);
  await publish("foot");
  const { path } = await template("One", "{{> foot}}");
  const used = await asked.delete(`${BASE}/partials/foot`);
  assert.deepEqual([used.status, used.body.issues[0].path], [409, "email/1"]);
  await asked.delete(path);
  assert.equal((await asked.delete(`${BASE}/partials/foot`)).status, 200);
  assert.deepEqual((await asked.get(`${BASE}/partials`)).body, []);
  const other = await openProgram();
  assert.equal((await other.asked.get(`${BASE}/partials/foot`)).status, 404);
});

test("a partial with a fault, an unknown name or a circle is not published", async () => {
  const { write, publish } = await openProgram();
  await write("a", "a\n{{curency x}}");
  const fault = await publish("a");
  assert.deepEqual([fault.status, fault.body.issues[0].path], [422, "partials/a:2:1"]);
  await write("a", "{{> b}}", 1);
  assert.match((await publish("a", 2)).body.issues[0].message, /"b" is not known/);
  await write("b", "b");
  await publish("b");
  assert.equal((await publish("a", 2)).status, 200);
  await write("b", "{{#if x}}{{> a}}{{/if}}", 1);
  const circle = await publish("b", 2);
  assert.equal(circle.status, 422);
  assert.match(circle.body.issues[0].message, /include each other: b → a → b/);
  await write("self", "{{> self}}");
  assert.match((await publish("self")).body.issues[0].message, /self → self/);
});

test("two partials that would include each other are not both published at the same time", async () => {
  const { asked, write, publish } = await openProgram();
  for (const name of ["a", "b"]) {
    await write(name, "x");
    await publish(name);
  }
  await write("a", "{{> b}}", 1);
  await write("b", "{{> a}}", 1);
  const answers = await Promise.all([publish("a", 2), publish("b", 2)]);
  const statuses = answers.map(({ status }) => status).sort();
  assert.ok(statuses[0] === 200 && [409, 422].includes(statuses[1] ?? 0), String(statuses));
  const versions = (await asked.get(`${BASE}/partials`)).body
    .map(({ publishedVersion }: { publishedVersion: number }) => publishedVersion);
  assert.deepEqual(versions.sort(), [1, 2]);
});

test("a partial of another account is never reached", async () => {
  const one = await openProgram();
  const two = await openProgram();
  await one.write("secret", "hidden words");
  await one.publish("secret");
  const { published } = await two.template("Thief", "{{> secret}}");
  assert.equal(published.status, 422);
  const seen = await two.asked.post(`${BASE}/partials/mine/preview`, { source: "{{> secret}}" });
  assert.equal(seen.status, 200);
  assert.match(seen.body.errors[0].message, /"secret" is not known/);
  assert.equal(JSON.stringify(seen.body).includes("hidden words"), false);
  const { id } = await one.template("Own", "{{> secret}}");
  const template = { kind: "email", id: id + 100 };
  const other = await two.asked.post(`${BASE}/partials/secret/preview`, { source: "", template });
  assert.equal(other.status, 404);
});

test("the preview of a partial shows its draft alone, and in a template", async () => {
  const { asked, write, publish, template } = await openProgram();
  await write("foot", "old");
  await publish("foot");
  const { id } = await template("Letter", "<p>Dear reader, {{> foot}}</p>");
  const preview = (source: string, wish = {}) =>
    asked.post(`${BASE}/partials/foot/preview`, { source, ...wish });
  assert.equal((await preview("<b>new</b>")).body.output.html, "<b>new</b>");
  const column = await preview("<mj-column><mj-text>new</mj-text></mj-column>");
  assert.match(column.body.output.html, /<html[\s\S]*new/);
  const layout = await preview("<mjml><mj-body>{{> @partial-block}}</mj-body></mjml>");
  assert.match(layout.body.output.html, /The content of the template/);
  const inTemplate = await preview("<b>new</b>", { template: { kind: "email", id } });
  assert.equal(inTemplate.body.output.html, "<p>Dear reader, <b>new</b></p>");
});

test("{{asset}} takes the name of the brand's logo, and the version pins the file", async () => {
  const { asked, write, publish, template, version } = await openProgram();
  const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  const { body: { sha256 } } = await asked.put(`${BASE}/assets/mark`, gif, {
    "content-type": "image/gif",
  });
  await write("@brand", '{"logo":"mark"}');
  await publish("@brand");
  const { id, published } = await template("Letter", '<img src="{{asset @brand.logo}}" alt="x">');
  assert.equal(published.status, 200, published.text);
  const pinned = await version(id, 1);
  assert.deepEqual(pinned?.assets?.map((asset) => [asset.name, asset.sha256]), [["mark", sha256]]);
  assert.match(pinned?.parts.html ?? "", /\{\{asset "mark"\}\}/);
});

test("a partial with an image that does not exist is not published into templates", async () => {
  const { write, publish, template, asked } = await openProgram();
  await write("head", "Hi");
  await publish("head");
  const { id, path } = await template("Letter", "{{> head}}");
  await write("head", '<img src="{{asset "none"}}" alt="x">', 1);
  const { status, body } = await publish("head", 2);
  assert.deepEqual([status, body.issues?.[0].path], [422, `email/${id}:partials/head:1:11`]);
  assert.equal((await asked.get(path)).body.publishedVersion, 1);
});

test("rules judge the partials of a template that is published", async () => {
  const { write, publish, template, asked } = await openProgram();
  await write("head", "<p>Hi</p>\n<script>1</script>");
  assert.equal((await publish("head")).status, 200);
  const { published, path, draft } = await template("Letter", "{{> head}}");
  assert.deepEqual([published.status, published.body.issues], [422, [{
    path: "partials/head:2:1",
    message: "Scripts do not run in mail and PDFs. Remove the script",
  }]]);
  const variants = { de: { subject: "Hallo", html: "{{> head}}", text: "", filename: "" } };
  const both = await asked.put(`${path}/draft`, {
    revision: draft.revision,
    source: { ...draft.draft, variants },
  });
  const again = await asked.post(`${path}/publish`, { revision: both.body.revision });
  assert.deepEqual([again.status, again.body.issues.length], [422, 1]);
});

test("a partial that breaks a rule is not published into templates; what others broke before stays", async () => {
  const { write, publish, template, asked, accountId } = await openProgram();
  await write("foot", "Rome");
  await publish("foot");
  const { id, path } = await template("Letter", "{{> foot}}");
  const place = `email/${id}:partials/foot`;
  await write("foot", '<p>x</p>\n<img src="logo.png" alt="">', 1);
  const relative = await publish("foot", 2);
  assert.deepEqual([relative.status, relative.body.issues?.[0].path], [422, `${place}:2:1`]);
  const { body: { draft, revision } } = await asked.get(path);
  const source = { ...draft, sample: { number: 7 } };
  await asked.put(`${path}/draft`, { revision, source });
  await write("foot", "<p>{{ nummber }}</p>", 2);
  const unknown = await publish("foot", 3);
  assert.equal(unknown.status, 422, unknown.text);
  assert.match(unknown.body.issues[0].message, /"nummber" is not known: did you mean "number"\?/);
  assert.equal((await asked.get(path)).body.publishedVersion, 1);

  // Published before there was the rule.
  const { store } = dashboard;
  const version = await store.templates.findVersion(accountId, "email", id, 1);
  assert.ok(version?.kind === "email");
  const html = "<form></form>{{> foot}}";
  await store.templates.publish({
    ...version,
    ...{ sourceHash: "before", source: { ...version.source, html }, includes: version.includes },
  });
  await write("foot", "Pisa", 3);
  const { status, text } = await publish("foot", 4);
  assert.equal(status, 200, text);
});

test("a partial that makes a PDF request what it may not load is not published", async () => {
  const { write, publish, asked } = await openProgram();
  await write("style", "<style>p{color:red}</style>");
  await publish("style");
  const { body: { id, draft } } = await asked.post(`${BASE}/templates/pdf`, { name: "Bill" });
  const path = `${BASE}/templates/pdf/${id}`;
  const source = { ...draft, html: "{{> style}}<p>Hi</p>" };
  const { body: saved } = await asked.put(`${path}/draft`, { revision: 1, source });
  const first = await asked.post(`${path}/publish`, { revision: saved.revision });
  assert.equal(first.body.publishedVersion, 1, first.text);
  const { printed } = stages;
  const blocked = ["https://shop.example/bill.css"];
  try {
    stages.printed = () => ({ ok: true, key: "a-pdf", size: 3, blocked });
    await write("style", '<link rel="stylesheet" href="https://shop.example/bill.css">', 1);
    const { status, body } = await publish("style", 2);
    assert.deepEqual([status, body.code, body.issues?.[0].path], [
      ...[422, "template_failed", `pdf/${id}:html`],
    ]);
    stages.printed = () => ({ ok: false, code: "invalid", reason: "the margins leave no room" });
    const broken = await publish("style", 2);
    assert.deepEqual([broken.status, broken.body.issues?.[0].path], [422, `pdf/${id}:html`]);
    assert.equal((await asked.get(path)).body.publishedVersion, 1);
    stages.printed = () => ({ ok: false, code: "timeout", reason: "it took longer than 10 s" });
    const slow = await publish("style", 2);
    assert.deepEqual(slow.body.warnings, [
      `pdf/${id}: The PDF was not checked: it took longer than 10 s`,
    ]);
  } finally {
    stages.printed = printed;
  }
});

test("the PDFs of a partial are printed one by one: waiting for each other would count as their time", async () => {
  const { write, publish, asked } = await openProgram();
  await write("style", "<style>p{color:red}</style>");
  await publish("style");
  for (const name of ["A", "B", "C"]) {
    const { body: { id, draft } } = await asked.post(`${BASE}/templates/pdf`, { name });
    const path = `${BASE}/templates/pdf/${id}`;
    const source = { ...draft, html: "{{> style}}<p>Hi</p>" };
    const { body: saved } = await asked.put(`${path}/draft`, { revision: 1, source });
    assert.equal((await asked.post(`${path}/publish`, { revision: saved.revision })).status, 200);
  }
  await write("style", "<style>p{color:blue}</style>", 1);
  let [printing, most] = [0, 0];
  stages.before = async (type) => {
    if (type !== "print.requested") return;
    most = Math.max(most, ++printing);
    await new Promise((resolve) => setTimeout(resolve, 20));
    printing--;
  };
  try {
    const { status, body } = await publish("style", 2);
    assert.deepEqual([status, body.templates.length, body.warnings], [200, 3, []]);
    assert.equal(most, 1);
  } finally {
    stages.before = () => Promise.resolve();
  }
});

test("a template that is published while its partial is says so, and is right after the next time", async () => {
  const { write, publish, template, asked, version } = await openProgram();
  await write("foot", "old");
  await publish("foot");
  await write("foot", "new", 1);
  let isFirst = true;
  stages.before = async () => {
    if (!isFirst) return;
    isFirst = false;
    assert.equal((await publish("foot", 2)).status, 200);
  };
  try {
    const { id, path, published } = await template("Letter", "{{> foot}}");
    assert.deepEqual([published.status, published.body.code], [409, "conflict"]);
    assert.match(published.body.error, /with the old "foot"/);
    const { revision } = (await asked.get(path)).body;
    assert.equal((await asked.post(`${path}/publish`, { revision })).status, 200);
    assert.equal((await version(id, 2))?.parts.html, "new");
  } finally {
    stages.before = () => Promise.resolve();
  }
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { openTestStages, type TestStages } from "./_test_stages.ts";

let stages: TestStages;
let dashboard: TestDashboard;
// Today: the database removes expired sessions by its own clock.
let now = new Date();

/** Returns a later time at each call, so that the order of events is visible. */
function tick(): Date {
  now = new Date(now.getTime() + 1);
  return now;
}

before(async () => {
  stages = openTestStages();
  dashboard = await openTestDashboard({ bus: stages.bus as never, now: tick });
});
after(async () => {
  await dashboard?.[Symbol.asyncDispose]();
  await stages[Symbol.asyncDispose]();
});

const MAIL = "/api/templates/email";
const PDF = "/api/templates/pdf";

async function make(path: string, body: object) {
  const { status, body: view, text } = await dashboard.own.editor.post(path, body);
  assert.equal(status, 200, text);
  return view;
}

/** Saves a change of a template's draft, and returns its new state. */
async function save(view: { id: number; revision: number; draft: object }, changes: object) {
  const { status, body, text } = await dashboard.own.editor.put(`${MAIL}/${view.id}/draft`, {
    revision: view.revision,
    source: { ...view.draft, ...changes },
  });
  assert.equal(status, 200, text);
  return body;
}

async function publish(view: { id: number; revision: number }) {
  const { revision } = view;
  const answer = await dashboard.own.editor.post(`${MAIL}/${view.id}/publish`, { revision });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

test("a template goes from an example to a draft, a version, the next, and back", async () => {
  const { editor, viewer } = dashboard.own;
  const made = await make(MAIL, { name: "Welcome", alias: "welcome", example: "welcome" });
  assert.deepEqual([made.id, made.kind, made.revision, made.hasChanges], [1, "email", 1, true]);
  assert.deepEqual([made.publishedVersion, made.updatedBy], [null, "Own editor"]);
  const first = await publish(made);
  assert.deepEqual([first.publishedVersion, first.hasChanges, first.revision], [1, false, 1]);
  // Publishing again without a change creates no second version.
  assert.equal((await publish(first)).publishedVersion, 1);

  const changed = await save(first, { subject: "Hello {{ name }}" });
  assert.deepEqual([changed.hasChanges, changed.revision], [true, 2]);
  const back = await save(changed, { subject: first.draft.subject });
  assert.equal(back.hasChanges, false);
  const sampled = await save(back, { sample: { ...first.draft.sample, name: "Bob" } });
  assert.equal(sampled.hasChanges, false);
  const second = await publish(await save(sampled, { subject: "Hello {{ name }}" }));
  assert.deepEqual([second.publishedVersion, second.hasChanges], [2, false]);

  const rolled = await editor.post(`${MAIL}/1/roll-back`, { version: 1 });
  assert.deepEqual([rolled.body.publishedVersion, rolled.body.hasChanges], [3, false]);
  assert.equal(rolled.body.draft.subject, first.draft.subject);
  assert.equal(rolled.body.draft.sample.name, "Bob");
  const { body: versions } = await viewer.get(`${MAIL}/1/versions`);
  assert.deepEqual(
    versions.map((row: Record<string, unknown>) => [row["version"], row["isCurrent"]]),
    [[3, true], [2, false], [1, false]],
  );
  assert.equal(versions[0].publishedBy, "Own editor");
  const { body: version } = await viewer.get(`${MAIL}/1/versions/2`);
  assert.equal(version.source.subject, "Hello {{ name }}");
  assert.equal((await viewer.get(`${MAIL}/1/versions/9`)).status, 404);
  const stored = await dashboard.store.templates.findVersion(
    dashboard.own.accountId,
    "email",
    1,
    3,
  );
  assert.equal(stored?.publishedBy, editor.user._id);

  const edited = await save(rolled.body, { subject: "Never" });
  const { revision } = edited;
  const { body: discarded } = await editor.post(`${MAIL}/1/discard`, { revision });
  assert.deepEqual([discarded.draft.subject, discarded.hasChanges], [first.draft.subject, false]);
  const audit = await dashboard.store.audit.list(dashboard.own.accountId, { limit: 20 });
  assert.deepEqual(audit.map(({ action }) => action), [
    ...["template.discarded", "template.rolled_back", "template.published", "template.published"],
    "template.created",
  ]);
});

test("of two concurrent editors the slower gets a conflict, and publishing is bound to the revision seen", async () => {
  const { editor, owner } = dashboard.own;
  const view = await make(MAIL, { name: "Shared" });
  const path = `${MAIL}/${view.id}`;
  const change = (subject: string) => ({ revision: 1, source: { ...view.draft, subject } });
  const answers = await Promise.all([
    editor.put(`${path}/draft`, change("a")),
    owner.put(`${path}/draft`, change("b")),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  assert.equal(answers.find(({ status }) => status === 409)?.body.code, "conflict");
  for (const verb of ["publish", "discard", "test"]) {
    const test = { integrationId: 1, sender: "a@example.com", to: "b@example.com", variables: {} };
    const body = { revision: 1, ...(verb === "test" ? test : {}) };
    assert.equal((await editor.post(`${path}/${verb}`, body)).status, 409, verb);
  }
  assert.equal((await editor.post(`${path}/discard`, { revision: 2 })).status, 400);
});

test("publishing reports every fault with its place, and a template that never ends", async () => {
  const { editor } = dashboard.own;
  const view = await make(MAIL, { name: "Faulty" });
  const faulty = await save(view, { html: "<p>\n{{#iff x}}y{{/iff}}" });
  const path = `${MAIL}/${view.id}/publish`;
  const refused = await editor.post(path, { revision: faulty.revision });
  assert.deepEqual([refused.status, refused.body.code], [422, "template_failed"]);
  assert.equal(refused.body.issues[0].path, "html:2:1");
  const rows = Array.from({ length: 300 }, () => 1);
  const each = "{{#each @root.rows}}";
  const html = `${each.repeat(5)}x${"{{/each}}".repeat(5)}`;
  const bomb = await save(faulty, { html, text: "x", sample: { rows } });
  const late = await editor.post(path, { revision: bomb.revision });
  assert.deepEqual([late.status, late.body.code], [422, "template_failed"]);
  assert.match(late.body.error, /needs more than/);
  const shown = await editor.post(`${MAIL}/preview`, { source: bomb.draft });
  assert.equal(shown.status, 200);
  assert.equal(shown.body.output, null);
  assert.deepEqual(shown.body.findings[0].rule, "cannot_fill");
  const next = await editor.post(`${MAIL}/preview`, { source: view.draft });
  assert.equal(next.body.output.subject, "Hello Zoë");
});

test("publishing refuses what a rule forbids, and the published version stays", async () => {
  const { editor } = dashboard.own;
  const { accountId } = dashboard.own;
  const html = "<p>Hi</p>\n<script>1</script>";
  const parts = { subject: "Hi", html, text: "Hi" };
  const { template: { id } } = await dashboard.store.templates.publish({
    ...{ accountId, kind: "email", name: "Old", variables: [], sourceHash: "old", locale: "en" },
    ...{ source: { subject: "Hi", html }, parts },
  });
  const { body: view } = await editor.get(`${MAIL}/${id}`);
  assert.equal((await publish(view)).publishedVersion, 1);
  const changed = await save(view, { subject: "Hello" });
  const refused = await editor.post(`${MAIL}/${id}/publish`, { revision: changed.revision });
  assert.deepEqual([refused.status, refused.body.code], [422, "template_failed"]);
  assert.deepEqual(refused.body.issues, [
    { path: "html:2:1", message: "Scripts do not run in mail and PDFs. Remove the script" },
  ]);
  const clean = await save(changed, { html: "<p>Hi</p>" });
  assert.equal((await publish(clean)).publishedVersion, 2);
  const rolled = await editor.post(`${MAIL}/${id}/roll-back`, { version: 1 });
  assert.deepEqual([rolled.status, rolled.body.publishedVersion], [200, 3]);
  // What was stored for a test mail has passed no rule.
  const { version: tried } = await dashboard.store.templates.publish({
    ...{
      accountId,
      id,
      name: "Old",
      kind: "email",
      variables: [],
      sourceHash: "tried",
      isTest: true,
    },
    ...{ source: { subject: "Hi", html }, parts },
  });
  const refusedTest = await editor.post(`${MAIL}/${id}/roll-back`, { version: tried.version });
  assert.deepEqual([refusedTest.status, refusedTest.body.code], [400, "invalid_request"]);
  assert.equal((await editor.get(`${MAIL}/${id}`)).body.publishedVersion, 3);
});

test("publishing refuses a PDF that requests what it may not load, in each of its languages", async () => {
  const { editor } = dashboard.own;
  const view = await make(PDF, { name: "Styled", example: "letter" });
  const path = `${PDF}/${view.id}`;
  const html = '<link rel="stylesheet" href="https://shop.example/bill.css"><p>Hi</p>';
  const german = { subject: "", html, text: "", filename: "Brief.pdf" };
  const put = async (revision: number, changes: object) => {
    const source = { ...view.draft, ...changes };
    const { status, body, text } = await editor.put(`${path}/draft`, { revision, source });
    assert.equal(status, 200, text);
    return body.revision as number;
  };
  let revision = await put(1, { variants: { de: german } });
  const { printed } = stages;
  const blocked = ["https://shop.example/bill.css"];
  stages.printed = ({ html }) => {
    const isStyled = "inline" in html && html.inline.includes("bill.css");
    return { ok: true, key: "a-pdf", size: 3, blocked: isStyled ? blocked : [] };
  };
  try {
    const refused = await editor.post(`${path}/publish`, { revision });
    assert.deepEqual([refused.status, refused.body.code], [422, "template_failed"]);
    const [issue, ...others] = refused.body.issues;
    assert.deepEqual([issue.path, others], ["variants/de/html", []]);
    assert.match(issue.message, /loads resources .*\(https:\/\/shop\.example\/bill\.css\)/);
    const own = await dashboard.program(await managing()).post(
      `/manage/v1/templates/pdf/${view.id}/publish`,
      { revision },
    );
    assert.deepEqual([own.status, own.body.issues], [422, refused.body.issues]);
    revision = await put(revision, {
      variants: { de: german },
      page: { ...view.draft.page, missing: "leave_out" },
    });
    const published = await editor.post(`${path}/publish`, { revision });
    assert.equal(published.body.publishedVersion, 1, published.text);
    assert.deepEqual(published.body.warnings, []);
  } finally {
    stages.printed = printed;
  }
});

function prints(): number {
  return stages.asked.filter(({ type }) => type === "print.requested").length;
}

async function managing(): Promise<string> {
  const { store, own: { accountId } } = dashboard;
  const scopes = ["manage:templates" as const];
  return (await store.tokens.create({ accountId, name: "CI", scopes })).token;
}

test("publishing refuses a PDF that no message can have, and one that cannot be checked now", async () => {
  const { editor } = dashboard.own;
  const view = await make(PDF, { name: "Broken", example: "letter" });
  const path = `${PDF}/${view.id}/publish`;
  assert.equal(view.draft.page.missingGlyphs, "fail");
  const glyphs = ['U+E123 in "\u{E123}"'];
  const fails = ["invalid", "too_large", "blocked", "totals_differ", "missing_glyphs"] as const;
  const { printed } = stages;
  try {
    for (const code of fails) {
      stages.printed = () => ({ ok: false, code, reason: "the margins leave no room" });
      const { status, body } = await editor.post(path, { revision: 1 });
      assert.deepEqual([status, body.code, body.issues[0].path], [422, "template_failed", "html"]);
      assert.match(body.issues[0].message, /^Messages with this PDF fail: the margins/);
    }
    stages.printed = () => ({ ok: true, key: "a", size: 3, blocked: [], missingGlyphs: glyphs });
    const boxes = await editor.post(path, { revision: 1 });
    assert.deepEqual([boxes.status, boxes.body.issues.length], [422, 1]);
    assert.match(boxes.body.issues[0].message, /^Messages with this PDF fail: no font.*U\+E123/);
    for (const code of ["crashed", "unavailable", "aborted", undefined] as const) {
      const reason = "the browser does not start";
      stages.printed = () => ({ ok: false, reason, ...(code === undefined ? {} : { code }) });
      const { status, body } = await editor.post(path, { revision: 1 });
      assert.deepEqual([status, body.code], [503, "unavailable"]);
      assert.match(body.error, /the browser does not start. Try again soon$/);
    }
    assert.equal((await editor.get(`${PDF}/${view.id}`)).body.publishedVersion, null);
    const source = { ...view.draft, page: { ...view.draft.page, missingGlyphs: "mark" } };
    const saved = await editor.put(`${PDF}/${view.id}/draft`, { revision: 1, source });
    stages.printed = () => ({ ok: true, key: "a", size: 3, blocked: [], missingGlyphs: glyphs });
    const marked = await editor.post(path, { revision: saved.body.revision });
    assert.equal(marked.body.publishedVersion, 1, marked.text);
  } finally {
    stages.printed = printed;
  }
});

test("a PDF is published although it cannot be printed in time, but not without an answer", async () => {
  const { editor } = dashboard.own;
  const view = await make(PDF, { name: "Slow", example: "letter" });
  const path = `${PDF}/${view.id}/publish`;
  const { printed } = stages;
  try {
    stages.printed = () => undefined;
    const silent = await editor.post(path, { revision: 1 });
    assert.deepEqual([silent.status, silent.body.code], [504, "no_answer"]);
    stages.printed = () => {
      throw new Error("The broker is away");
    };
    const away = await editor.post(path, { revision: 1 });
    assert.deepEqual([away.status, away.body.code], [503, "unavailable"]);
    stages.printed = () => ({ ok: false, reason: "it took longer than 10 s", timedOut: true });
    const slow = await editor.post(path, { revision: 1 });
    assert.equal(slow.body.publishedVersion, 1, slow.text);
    assert.deepEqual(slow.body.warnings, [
      "The PDF was not checked: it took longer than 10 s",
    ]);
    // An unchanged one is not printed again.
    const before = prints();
    assert.equal((await editor.post(path, { revision: slow.body.revision })).status, 200);
    assert.equal(prints(), before);
  } finally {
    stages.printed = printed;
  }
});

test("publishing first requires what every message prints, unless it was made optional", async () => {
  const { accountId } = dashboard.own;
  const view = await make(MAIL, { name: "Required" });
  const html = "<p>{{ name }} {{ city }}{{#if vip}}{{ gift }}{{/if}}</p>";
  const variables = [{ name: "city", required: false }];
  const sample = { name: "Ada", vip: true, gift: "Tea" };
  const first = await publish(await save(view, { html, subject: "Hi", variables, sample }));
  const declared = [...variables, { name: "name", required: true }];
  assert.deepEqual([first.hasChanges, first.draft.variables], [false, declared]);
  const version = await dashboard.store.templates.findVersion(accountId, "email", view.id, 1);
  assert.deepEqual(version?.variables, declared);
  const more = `${html}<p>{{ gift }}</p>`;
  const second = await publish(await save(first, { html: more }));
  assert.deepEqual([second.publishedVersion, second.draft.variables], [2, declared]);
});

test("a preview contains the findings, and a large source travels by key", async () => {
  const { editor } = dashboard.own;
  const view = await make(MAIL, { name: "Shown" });
  const html = `<p>{{ name }}{{ city }}</p><img src="https://i.example/a.png">${
    " ".repeat(30_000)
  }`;
  const { body } = await editor.post(`${MAIL}/preview`, { source: { ...view.draft, html } });
  assert.match(body.output.html, /<p>Zoë<\/p>/);
  assert.deepEqual([body.output.textGenerated, body.pdf, body.errors], [true, null, []]);
  assert.equal(body.output.size, Buffer.byteLength(body.output.html));
  assert.deepEqual(body.variables.map(({ name }: { name: string }) => name), ["name", "city"]);
  assert.ok(body.findings.some(({ rule }: { rule: string }) => rule === "image_without_alt"));
  const { template } = stages.asked.at(-1)?.data as { template: { html: object } };
  assert.ok("key" in template.html);
});

test("a thumbnail is the draft filled with its sample, not printed, for members of the account only", async () => {
  const { own, foreign } = dashboard;
  const view = await make(MAIL, { name: "Pictured" });
  const path = `${MAIL}/${view.id}/thumbnail`;
  const filled = await save(view, { html: "<p>{{ name }}", sample: { name: "Zoë" } });
  assert.match((await own.viewer.get(path)).body.html, /<p>Zoë/);
  const broken = await save(filled, { html: "<p>{{#if name}}" });
  assert.deepEqual((await own.viewer.get(path)).body, { html: null });
  await save(broken, { html: `<p>${"x".repeat(600_000)}` });
  assert.deepEqual((await own.viewer.get(path)).body, { html: null });
  assert.equal((await foreign.owner.get(path)).status, 404);
  assert.equal((await own.viewer.get(`${MAIL}/999999/thumbnail`)).status, 404);
  const pdf = await make(PDF, { name: "Pictured", example: "invoice" });
  const before = stages.asked.length;
  assert.match((await own.viewer.get(`${PDF}/${pdf.id}/thumbnail`)).body.html, /<h1/);
  assert.deepEqual(stages.asked.slice(before).map(({ type }) => type), ["preview.requested"]);
});

test("pictures and previews of one account take their turns, whoever asks for them", async () => {
  const { editor, viewer } = dashboard.own;
  const view = await make(MAIL, { name: "Many" });
  const { promise, resolve } = Promise.withResolvers<void>();
  stages.before = () => promise;
  const before = stages.asked.length;
  const many = Array.from({ length: 10 }, (_, n) => [
    viewer.get(`${MAIL}/${view.id}/thumbnail`),
    editor.post(`${MAIL}/preview`, { editor: `window ${n}`, source: view.draft }),
  ]).flat();
  while (stages.asked.length < before + 8) await new Promise((done) => setTimeout(done, 5));
  await new Promise((done) => setTimeout(done, 50));
  assert.equal(stages.asked.length, before + 8);
  resolve();
  stages.before = () => Promise.resolve();
  const answers = await Promise.all(many);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
});

test("a newer preview ends the wait for the older one only in the same editor of the same person", async () => {
  const { editor, owner } = dashboard.own;
  const view = await make(MAIL, { name: "Typed" });
  const body = { editor: "a", source: view.draft };
  const { promise, resolve } = Promise.withResolvers<void>();
  stages.before = () => promise;
  const before = stages.asked.length;
  const older = editor.post(`${MAIL}/preview`, body);
  const other = owner.post(`${MAIL}/preview`, body);
  const window = editor.post(`${MAIL}/preview`, { ...body, editor: "b" });
  while (stages.asked.length < before + 3) await new Promise((done) => setTimeout(done, 5));
  const newer = editor.post(`${MAIL}/preview`, body);
  assert.deepEqual([(await older).status, (await older).body.code], [409, "conflict"]);
  resolve();
  stages.before = () => Promise.resolve();
  const answers = await Promise.all([newer, other, window]);
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200]);
});

test("the bytes of a PDF preview are readable by its account only, for half an hour", async () => {
  const { own, foreign } = dashboard;
  const view = await make(PDF, { name: "Invoice", example: "invoice" });
  assert.equal(view.draft.page.footer.right, "Page {page} of {pages}");
  const before = await own.viewer.get(`${PDF}/preview/a-pdf`);
  assert.equal(before.status, 404);
  const { body } = await own.editor.post(`${PDF}/preview`, { source: view.draft });
  assert.deepEqual(body.pdf, { key: "a-pdf", size: 3, blocked: [] });
  assert.equal(view.draft.page.missingGlyphs, "fail");
  const missingGlyphs = ['U+E123 in "Dear \uE123"'];
  const { printed } = stages;
  stages.printed = () => ({ ok: true, key: "a-pdf", size: 3, blocked: [], missingGlyphs });
  const { body: warned } = await own.editor.post(`${PDF}/preview`, { source: view.draft });
  assert.deepEqual(warned.pdf.missingGlyphs, missingGlyphs);
  const [finding] = warned.findings.filter(({ rule }: { rule: string }) =>
    rule === "pdf_glyphs_fail"
  );
  assert.match(finding?.message, /^Messages with this PDF fail: .*U\+E123 in "Dear/);
  const pdf = await own.viewer.get(`${PDF}/preview/a-pdf`);
  assert.deepEqual([pdf.status, pdf.text], [200, "PDF"]);
  assert.equal(pdf.headers["content-type"], "application/pdf");
  assert.equal(pdf.headers["content-security-policy"], "sandbox");
  assert.equal(pdf.headers["cache-control"], "no-store");
  assert.equal(pdf.headers["x-content-type-options"], "nosniff");
  assert.equal((await foreign.owner.get(`${PDF}/preview/a-pdf`)).status, 404);
  now = new Date(now.getTime() + 30 * 60_000);
  assert.equal((await own.viewer.get(`${PDF}/preview/a-pdf`)).status, 404);
  stages.printed = () => ({ ok: false, reason: "it has more than 200 pages" });
  const failed = await own.editor.post(`${PDF}/preview`, { source: view.draft });
  assert.deepEqual(failed.body.pdf, { failed: "it has more than 200 pages" });
  stages.printed = printed;
});

test("a test mail is a send of a version that no request uses, checked like any send", async () => {
  const { editor, accountId } = dashboard.own;
  const { store } = dashboard;
  const { id: integrationId } = await store.integrations.create({
    ...{ accountId, name: "main", host: "h.example", port: 587, tls: "none", auth: null },
    senders: ["Shop@example.com"],
  });
  const view = await publish(await make(MAIL, { name: "Tried" }));
  const example = { integrationId, sender: "Shop@example.com", mailedWith: null };
  assert.deepEqual(view.example, example);
  const changed = await save(view, { subject: "New {{ name }}" });
  const good = {
    ...{ revision: changed.revision, integrationId, sender: "Shop@example.com" },
    ...{ to: "me@example.com", variables: { name: "Ann" } },
  };
  const path = `${MAIL}/${view.id}/test`;
  const bad = { ...good, sender: "x@example.com", variables: {}, attachments: [99] };
  const refused = await editor.post(path, bad);
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.issues.map((issue: { path: string }) => issue.path), [
    ...["sender", "attachments.0", "variables.name"],
  ]);
  assert.equal((await editor.post(path, { ...good, integrationId: 99 })).status, 400);
  const { status, body, text } = await editor.post(path, good);
  assert.equal(status, 200, text);
  const send = await store.sends.find(accountId, body.sendId);
  assert.deepEqual([send?.template, send?.priority, send?.messageCount], [
    ...[{ id: view.id, version: 2 }, "transactional", 1],
  ]);
  assert.deepEqual(send?.request.to, [{ email: "me@example.com", variables: { name: "Ann" } }]);
  assert.deepEqual(stages.published.map(({ type }) => type), [
    ...["send.requested", "status.send.accepted"],
  ]);
  const head = await store.templates.find(accountId, "email", view.id);
  assert.equal(head?.publishedVersion, 1);
  const { body: versions } = await editor.get(`${MAIL}/${view.id}/versions`);
  assert.deepEqual([versions[0].isTest, versions[0].isCurrent], [true, false]);
  const released = await publish(changed);
  assert.equal(released.publishedVersion, 3);
  now = new Date(now.getTime() + 60_000);
  const { body: used } = await editor.get(`${MAIL}/${view.id}`);
  assert.equal(used.lastUsedAt, send?.acceptedAt.toISOString());
});

test("a program that repeats the creation of a template without an alias makes no second one", async () => {
  const { program, own: { editor } } = dashboard;
  const ci = program(await managing());
  const path = "/manage/v1/templates/email";
  const create = (body: object) => ci.post(path, body);
  const { body: view } = await create({ name: "Twice" });
  const taken = [409, "name_taken", "name"];
  const refused = async (answer: ReturnType<typeof create>) => {
    const { status, body } = await answer;
    return [status, body.code, body.issues?.[0].path];
  };
  assert.deepEqual(await refused(create({ name: "Twice" })), taken);
  const copy = () => ci.post(`${path}/${view.id}/duplicate`, { name: "Twice, copied" });
  assert.equal((await copy()).status, 200);
  assert.deepEqual(await refused(copy()), taken);
  // By its alias, a template is another one. So is that of another kind.
  assert.equal((await create({ name: "Twice", alias: "twice" })).status, 200);
  assert.equal((await ci.post("/manage/v1/templates/pdf", { name: "Twice" })).status, 200);
  const names = (await ci.get(path)).body.map(({ name }: { name: string }) => name);
  assert.equal(names.filter((name: string) => name.startsWith("Twice")).length, 3);
  // A person sees the list.
  assert.equal((await editor.post(MAIL, { name: "Twice" })).status, 200);
});

test("templates are renamed, copied and archived; an alias belongs to one", async () => {
  const { editor, viewer, accountId } = dashboard.own;
  const view = await make(MAIL, { name: "Old", alias: "taken" });
  const second = await editor.post(MAIL, { name: "Second", alias: "taken" });
  assert.deepEqual([second.status, second.body.code], [409, "name_taken"]);
  const path = `${MAIL}/${view.id}`;
  const { body: copy } = await editor.post(`${path}/duplicate`, { name: "Copy" });
  assert.deepEqual([copy.name, copy.alias, copy.draft], ["Copy", null, view.draft]);
  assert.equal((await editor.patch(`${MAIL}/${copy.id}`, { alias: "taken" })).status, 409);
  const { body: renamed } = await editor.patch(path, { name: "New", alias: "free" });
  assert.deepEqual([renamed.name, renamed.alias], ["New", "free"]);
  assert.equal((await editor.delete(path)).status, 200);
  assert.equal((await viewer.get(path)).status, 404);
  assert.equal((await editor.delete(path)).status, 404);
  assert.equal(await dashboard.store.templates.find(accountId, "email", "free"), null);
  const { body: rows } = await viewer.get(MAIL);
  assert.ok(rows.every(({ id }: { id: number }) => id !== view.id));
  assert.equal((await editor.patch(`${MAIL}/${copy.id}`, { alias: "free" })).status, 200);
});

test("an unchanged draft follows what the command line publishes", async () => {
  const { accountId, viewer, editor } = dashboard.own;
  const publication = (html: string) => ({
    ...{ accountId, kind: "email" as const, alias: "cli", name: "CLI", variables: [] },
    ...{
      source: { subject: "S", html },
      parts: { subject: "S", html, text: "" },
      sourceHash: html,
    },
  });
  const { template: { id } } = await dashboard.store.templates.publish(publication("one"));
  const { body: first } = await viewer.get(`${MAIL}/${id}`);
  assert.deepEqual([first.draft.html, first.hasChanges, first.updatedBy], ["one", false, null]);
  await dashboard.store.templates.publish(publication("two"));
  const { body: second } = await viewer.get(`${MAIL}/${id}`);
  assert.deepEqual([second.draft.html, second.revision], ["two", 2]);
  const changed = await save(second, { html: "mine" });
  await dashboard.store.templates.publish(publication("three"));
  const { body: kept } = await editor.get(`${MAIL}/${id}`);
  assert.deepEqual([kept.draft.html, kept.hasChanges], ["mine", true]);
  assert.equal(kept.revision, changed.revision);
});

test("another account's templates do not exist, and a viewer changes nothing", async () => {
  const { own, foreign } = dashboard;
  const view = await make(MAIL, { name: "Own", example: "empty" });
  const path = `${MAIL}/${view.id}`;
  const source = view.draft;
  const requests: [string, string, object?][] = [
    ["GET", path],
    ["GET", `${path}/versions`],
    ["GET", `${path}/versions/1`],
    ["DELETE", path],
    ["PUT", `${path}/draft`, { revision: 1, source }],
    ["PATCH", path, { name: "Mine" }],
    ["POST", `${path}/publish`, { revision: 1 }],
    ["POST", `${path}/roll-back`, { version: 1 }],
    ["POST", `${path}/discard`, { revision: 1 }],
    ["POST", `${path}/duplicate`, { name: "Mine" }],
    ["POST", `${path}/test`, {
      ...{ revision: 1, integrationId: 1, sender: "a@example.com", to: "a@example.com" },
      variables: {},
    }],
  ];
  for (const [method, url, body] of requests) {
    const { status } = await foreign.owner.ask(method, url, { body });
    assert.equal(status, 404, `${method} ${url}`);
    const { status: asViewer } = await own.viewer.ask(method, url, { body });
    const expected = method !== "GET" ? 403 : url.endsWith("/1") ? 404 : 200;
    assert.equal(asViewer, expected, `${method} ${url} as viewer`);
  }
  assert.equal((await own.viewer.post(`${MAIL}/preview`, { source })).status, 200);
  assert.deepEqual((await foreign.viewer.get(MAIL)).body, []);
  for (const id of ["0", "01", "1e1", "welcome", "1%2F..", "9".repeat(30)]) {
    assert.equal((await own.editor.get(`${MAIL}/${id}`)).status, 404, id);
  }
});

test("what cannot be stored or read is refused with its place", async () => {
  const { editor } = dashboard.own;
  const view = await make(MAIL, { name: "Checked" });
  const path = `${MAIL}/${view.id}/draft`;
  const refusal = async (changes: object) => {
    const source = { ...view.draft, ...changes };
    const { status, body } = await editor.put(path, { revision: view.revision, source });
    assert.equal(status, 400, JSON.stringify(changes));
    return body.issues[0].path;
  };
  assert.equal(await refusal({ locale: "no language" }), "source.locale");
  const named = (name: string, value: unknown) => ({ name, required: false, default: value });
  const places = [
    ...[[named("a", 1), named("a", 2)], [named("a", { $set: 1 })]],
    [named("a", [{ _bsontype: "Code" }])],
  ];
  const found = [];
  for (const variables of places) found.push(await refusal({ variables }));
  assert.deepEqual(found, [
    ...["source.variables.1.name", "source.variables.0.default", "source.variables.0.default"],
  ]);
  assert.equal(await refusal({ sample: { a: "x".repeat(300_000) } }), "source.sample");
  assert.equal(await refusal({ sample: [] }), "source.sample");
  assert.equal(await refusal({ page: { format: "A9" } }), "source.page.format");
  for (const body of [{ name: "" }, { name: "a\nb" }, { name: "x", alias: "No" }, { id: 3 }]) {
    assert.equal((await editor.post(MAIL, body)).status, 400, JSON.stringify(body));
  }
  assert.equal((await editor.post(MAIL, { name: "x", example: "none" })).status, 404);
});

test("every example can be published, and has no findings", async () => {
  const { editor, viewer } = dashboard.own;
  for (const path of [MAIL, PDF]) {
    const { body: examples } = await viewer.get(`${path}/examples`);
    assert.equal(examples[0].id, "empty");
    for (const { id: example } of examples) {
      const view = await make(path, { name: example, example });
      const { body: shown } = await editor.post(`${path}/preview`, { source: view.draft });
      assert.deepEqual([shown.errors, shown.missing], [[], []], example);
      const rules = shown.findings.map(({ rule }: { rule: string }) => rule);
      const isEmptyMail = path === MAIL && example === "empty";
      assert.deepEqual(rules, isEmptyMail ? ["no_preheader"] : [], `${path} ${example}`);
      assert.ok(!/undefined|NaN|\[object/.test(JSON.stringify(shown.output)), example);
      const answer = await editor.post(`${path}/${view.id}/publish`, { revision: 1 });
      assert.equal(answer.body.publishedVersion, 1, answer.text);
    }
  }
});

test("publishing checks the XML of an invoice with the sample, and keeps it with the version", async () => {
  const { editor, viewer } = dashboard.own;
  const view = await make(PDF, { name: "E-invoice", example: "e-invoice" });
  const path = `${PDF}/${view.id}`;
  const put = async (revision: number, changes: object) => {
    const source = { ...view.draft, ...changes };
    const answer = await editor.put(`${path}/draft`, { revision, source });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.revision as number;
  };
  const broken = { invoice: view.draft.invoice.replace("<ram:GrandTotalAmount>", "<ram:Other>") };
  let revision = await put(1, broken);
  const refused = await editor.post(`${path}/publish`, { revision });
  assert.deepEqual([refused.status, refused.body.code], [422, "template_failed"]);
  const [issue] = refused.body.issues;
  assert.equal(issue.path, "invoice:1:1");
  assert.match(issue.message, /not well-formed: line \d+: /);
  revision = await put(revision, { sample: { ...view.draft.sample, number: "" } });
  const empty = await editor.post(`${path}/publish`, { revision });
  assert.match(empty.text, /lacks ExchangedDocument\/ID/);
  const net = "<ram:TaxBasisTotalAmount>{{ net }}";
  assert.ok(view.draft.invoice.includes(net));
  const sums = view.draft.invoice.replace(net, "<ram:TaxBasisTotalAmount>{{ add net 1 }}");
  revision = await put(revision, { invoice: sums });
  const wrong = await editor.post(`${path}/publish`, { revision });
  assert.deepEqual([wrong.status, wrong.body.code], [422, "template_failed"]);
  assert.match(
    wrong.text,
    /the totals differ \(totals_differ\): BR-CO-13: TaxBasisTotalAmount is ([\d.]+), but .* is (?!\1)[\d.]+: .*BR-CO-15/,
  );
  // A profile without an XML is an error, and a blank XML is none.
  revision = await put(revision, { invoice: " \n" });
  const missing = await editor.post(`${path}/publish`, { revision });
  assert.match(missing.text, /no invoice XML/);
  revision = await put(revision, {});
  const published = await editor.post(`${path}/publish`, { revision });
  assert.equal(published.body.publishedVersion, 1, published.text);
  const { body: version } = await viewer.get(`${path}/versions/1`);
  assert.equal(version.source.invoice, view.draft.invoice);
  assert.equal(published.body.hasChanges, false);
  revision = await put(revision, { invoice: `${view.draft.invoice}<!-- -->` });
  const next = await editor.post(`${path}/publish`, { revision });
  assert.equal(next.body.publishedVersion, 2, next.text);
});

test("the lists of examples and helpers contain all of them", async () => {
  const { viewer } = dashboard.own;
  const { body: examples } = await viewer.get(`${PDF}/examples`);
  assert.deepEqual(examples.map(({ id }: { id: string }) => id), [
    ...["empty", "invoice", "e-invoice", "letter"],
  ]);
  const { body: helpers } = await viewer.get(`${MAIL}/helpers`);
  const date = helpers.find(({ name }: { name: string }) => name === "date");
  assert.deepEqual(Object.keys(date), ["name", "kind", "signature", "summary", "example"]);
});

test("requests fail with an error while no renderer answers", async () => {
  const { editor } = dashboard.own;
  const view = await make(MAIL, { name: "Silent" });
  const { before } = stages;
  const ask = async () => {
    const { status, body } = await editor.post(`${MAIL}/preview`, { source: view.draft });
    return [status, body.code];
  };
  stages.before = () => Promise.resolve("silent");
  assert.deepEqual(await ask(), [504, "no_answer"]);
  stages.before = () => Promise.reject(new Error("the broker is away"));
  assert.deepEqual(await ask(), [503, "unavailable"]);
  stages.before = before;
});

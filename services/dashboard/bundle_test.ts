import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text as textOf } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { minimalPdf, nightTest } from "@posthaste/kit";
import { LIMITS, openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { openTestStages, type TestStages } from "./_test_stages.ts";

let stages: TestStages;
let dashboard: TestDashboard;
before(async () => {
  stages = openTestStages();
  const limits = { ...LIMITS, rateLimit: 0 };
  dashboard = await openTestDashboard({ bus: stages.bus as never, options: { limits } });
  stages.findAsset = async (accountId, name) => {
    const found = await dashboard.store.assets.findName(accountId, name);
    if (found === null) return null;
    const { sha256, size, filename, contentType } = found;
    return { name, sha256, size, filename, contentType };
  };
});
after(async () => {
  await dashboard?.[Symbol.asyncDispose]();
  await stages[Symbol.asyncDispose]();
});

const BUNDLE = "/manage/v1/bundle";
const FILES = {
  "email/welcome/template.json": '{"name":"Welcome","variables":[{"name":"name","required":true}]}',
  "email/welcome/subject.hbs": "Hello {{ name }}",
  "email/welcome/body.html.hbs": "<p>{{ name }}</p>",
  "email/welcome/sample.json": '{"name":"Ada"}',
  "pdf/bill/template.json": '{"name":"Bill","filename":"bill.pdf"}',
  "pdf/bill/body.html.hbs": "<h1>Bill</h1>",
};

/** Opens a program with an account of its own. */
async function openProgram(limits = {}) {
  const { store, program } = dashboard;
  const account = await store.accounts.create({ name: `Shop ${Math.random()}` });
  const token = await store.tokens.create({
    ...{ accountId: account._id, name: "CI", scopes: ["manage:templates"], limits },
  });
  const asked = program(token.token);
  const plan = (files: object, options: object = {}) =>
    asked.post(`${BUNDLE}/plan`, { files, ...options });
  const apply = (files: object, options: object = {}) =>
    asked.post(`${BUNDLE}/apply`, { files, ...options });
  async function push(files: object, options: object = {}) {
    const { overwriteDrafts: _, ...planned } = options as { overwriteDrafts?: boolean };
    const { body } = await plan(files, planned);
    return await apply(files, { ...options, plan: body.plan });
  }
  return { accountId: account._id, token: token.token, program: asked, plan, apply, push };
}

type Change = Record<"kind" | "alias" | "change" | "version" | "from", unknown>;
const shown = ({ changes }: { changes: Change[] }) =>
  changes.map(({ kind, alias, change }) => `${kind}/${alias} ${change}`);

test("a bundle is planned and applied, and its export then changes nothing", async () => {
  const { accountId, program, plan, push } = await openProgram();
  const { body: planned, text } = await plan(FILES, { publish: true });
  assert.deepEqual(shown(planned), ["email/welcome create", "pdf/bill create"], text);
  assert.deepEqual(await dashboard.store.templates.list(accountId, "email"), []);
  const { status, body: applied, text: reported } = await push(FILES, { publish: true });
  assert.equal(status, 200, reported);
  assert.deepEqual(applied.changes.map(({ version }: Change) => version), [1, 1]);
  const template = await dashboard.store.templates.find(accountId, "email", "welcome");
  assert.deepEqual([template?.name, template?.publishedVersion], ["Welcome", 1]);
  const draft = await dashboard.store.drafts.find({ _id: template?._id ?? "", accountId });
  assert.deepEqual([draft?.base, draft?.source.sample], [1, { name: "Ada" }]);
  const { body: { files } } = await program.get(BUNDLE);
  for (const publish of [true, false]) {
    const again = await plan(files, { publish, prune: true });
    assert.deepEqual([again.body.changes, again.body.faults], [[], []]);
  }
  const [line] = await dashboard.store.audit.list(accountId, { limit: 1 });
  assert.match(`${line?.action} by ${line?.userEmail}`, /^template\.published by token "CI"/);
  const one = await program.get(`${BUNDLE}?kind=pdf&alias=bill`);
  assert.deepEqual(Object.keys(one.body.files), Object.keys(FILES).slice(4));
});

test("a bundle has the languages of templates, and faults name their files", async () => {
  const { accountId, program, plan, push } = await openProgram();
  const files = {
    ...FILES,
    "email/welcome/de/subject.hbs": "Hallo {{ name }}",
    "email/welcome/de/body.html.hbs": "<p>{{ name }}</p>",
    "pdf/bill/de/body.html.hbs": "<h1>Rechnung</h1>",
    "pdf/bill/de/filename.hbs": "rechnung.pdf",
  };
  const { status, text } = await push(files, { publish: true });
  assert.equal(status, 200, text);
  const mail = await dashboard.store.templates.findVersion(accountId, "email", 1, 1);
  assert.equal(mail?.variants?.["de"]?.parts.subject, "Hallo {{ name }}");
  const bill = await dashboard.store.templates.findVersion(accountId, "pdf", 1, 1);
  assert.equal(bill?.variants?.["de"]?.parts.filename, "rechnung.pdf");
  const { body: { files: exported } } = await program.get(BUNDLE);
  assert.equal(exported["pdf/bill/de/filename.hbs"], "rechnung.pdf\n");
  assert.deepEqual((await plan(exported, { publish: true, prune: true })).body.changes, []);
  const { "email/welcome/de/subject.hbs": _, "email/welcome/de/body.html.hbs": _body, ...less } =
    files;
  const removed = await plan(less, { publish: true });
  assert.deepEqual(removed.body.changes[0].files, ["de/body.html.hbs", "de/subject.hbs"]);
  const faulty = {
    ...files,
    "email/welcome/de/body.html.hbs": "<p>\n{{#iff x}}{{/iff}}",
    "pdf/bill/de/body.html.hbs": "<p>\n<script>1</script>",
  };
  const { body: { faults } } = await plan(faulty, { publish: true });
  const places = faults.map(({ file, line }: { file: string; line: number }) => `${file}:${line}`);
  assert.deepEqual(places.sort(), [
    ...["email/welcome/de/body.html.hbs:2", "pdf/bill/de/body.html.hbs:2"],
  ]);
});

test("a bundle without publishing changes only drafts", async () => {
  const { accountId, program, push } = await openProgram();
  await push(FILES, { publish: true });
  const files = { ...FILES, "email/welcome/subject.hbs": "Bye {{ name }}" };
  const { body } = await push(files);
  assert.deepEqual(body.changes.map(({ version }: Change) => version), [null]);
  const template = await dashboard.store.templates.find(accountId, "email", "welcome");
  assert.equal(template?.publishedVersion, 1);
  assert.equal(
    (await program.get(BUNDLE)).body.files["email/welcome/subject.hbs"],
    "Bye {{ name }}",
  );
  const published = await push(files, { publish: true });
  assert.deepEqual(published.body.changes.map(({ version }: Change) => version), [2]);
});

test("a plan becomes outdated when files, options or templates change", async () => {
  const { program, plan, apply, push } = await openProgram();
  await push(FILES, { publish: true });
  const files = { ...FILES, "email/welcome/subject.hbs": "Bye" };
  const { body: { plan: planned } } = await plan(files);
  const { body: [row] } = await program.get("/manage/v1/templates/email");
  const others = [
    await apply({ ...files, "email/welcome/subject.hbs": "Other" }, { plan: planned }),
    await apply(files, { plan: planned, publish: true }),
    await apply(files, { plan: "pln_none" }),
  ];
  await program.patch(`/manage/v1/templates/email/${row.id}`, { name: "Renamed" });
  others.push(await apply(files, { plan: planned }));
  for (const { status, body } of others) {
    assert.deepEqual([status, body.code], [409, "plan_outdated"]);
  }
});

test("a person's unpublished draft is overwritten only on request", async () => {
  const { own, store } = dashboard;
  const { token } = await store.tokens.create({
    ...{ accountId: own.accountId, name: "CI", scopes: ["manage:templates"] },
  });
  const program = dashboard.program(token);
  const { body: view } = await own.editor.post("/api/templates/email", {
    ...{ name: "Mine", alias: "welcome", example: "welcome" },
  });
  const { body: exported } = await program.get(BUNDLE);
  assert.deepEqual(exported.files, {});
  const email = Object.fromEntries(Object.entries(FILES).slice(0, 4));
  const { body: { plan } } = await program.post(`${BUNDLE}/plan`, { files: email });
  const wish = { files: email, plan };
  const { status, body } = await program.post(`${BUNDLE}/apply`, wish);
  assert.deepEqual([status, body.code, body.issues[0].path], [
    ...[409, "draft_conflict", "email/welcome"],
  ]);
  const { body: same } = await own.editor.get(`/api/templates/email/${view.id}`);
  assert.equal(same.revision, view.revision);
  const done = await program.post(`${BUNDLE}/apply`, { ...wish, overwriteDrafts: true });
  assert.equal(done.status, 200, done.text);
  const { body: pushed } = await own.editor.get(`/api/templates/email/${view.id}`);
  assert.equal(pushed.draft.subject, "Hello {{ name }}");
});

test("a bundle with one fault is refused as a whole, with file, line and column", async () => {
  const { accountId, plan, push } = await openProgram();
  const files = { ...FILES, "pdf/bill/body.html.hbs": "<p>\n{{ curency x }}</p>" };
  const { body: planned } = await plan(files, { publish: true });
  const [fault] = planned.faults;
  assert.deepEqual([fault.file, fault.line, fault.column], ["pdf/bill/body.html.hbs", 2, 1]);
  const { status, body } = await push(files, { publish: true });
  assert.deepEqual([status, body.code, body.issues[0].path], [
    ...[422, "template_failed", "pdf/bill/body.html.hbs:2:1"],
  ]);
  assert.deepEqual(await dashboard.store.templates.list(accountId, "email"), []);
  const broken = await push({ ...FILES, "pdf/bill/template.json": '{\n"name": 1}' });
  assert.match(broken.body.issues[0].path, /^pdf\/bill\/template\.json:\d+:\d+$/);
  const none = await push({}, { prune: true });
  assert.deepEqual([none.status, none.body.code], [422, "template_failed"]);
});

test("a bundle publishes nothing that breaks a rule which prevents publishing", async () => {
  const { apply, plan, push } = await openProgram();
  const html = '<p>{{ name }}</p>\n<script>1</script><img src="logo.png" alt="">';
  const files = { ...FILES, "email/welcome/body.html.hbs": html };
  const { body: { plan: id, faults } } = await plan(files, { publish: true });
  assert.deepEqual(
    faults.map(({ file, line }: { file: string; line: number }) => [file, line]),
    [["email/welcome/body.html.hbs", 2], ["email/welcome/body.html.hbs", 2]],
  );
  const refused = await apply(files, { publish: true, plan: id });
  assert.deepEqual([refused.status, refused.body.code], [422, "template_failed"]);
  // A draft may have them, as in the editor.
  assert.equal((await push(files)).status, 200);
});

test("a bundle publishes no misspelled field of its sample, and warns of unknown ones", async () => {
  const { plan } = await openProgram();
  const html = "<p>{{ name }}{{#each lines}}\n{{ pric }} {{ sku }}{{/each}}</p>";
  const files = {
    ...FILES,
    "email/welcome/body.html.hbs": html,
    "email/welcome/sample.json": '{"name":"Ada","lines":[{"price":7}]}',
  };
  const { body: { faults } } = await plan(files, { publish: true });
  assert.deepEqual(
    faults.map(({ file, line, message }: { file: string; line: number; message: string }) =>
      `${file}:${line} ${message.slice(0, 62)}`
    ),
    ['email/welcome/body.html.hbs:2 "lines[].pric" is not known: did you mean "lines[].price"? Cor'],
  );
});

test("a plan and its application refuse a PDF that requests what it may not load", async () => {
  const { accountId, apply, plan, push } = await openProgram();
  const html = '<link rel="stylesheet" href="https://shop.example/bill.css"><p>Hi</p>';
  const files = { ...FILES, "pdf/bill/body.html.hbs": html };
  const { printed } = stages;
  const blocked = ["https://shop.example/bill.css"];
  try {
    stages.printed = () => ({ ok: true, key: "a-pdf", size: 3, blocked });
    const { body: { plan: id, faults } } = await plan(files, { publish: true });
    assert.equal(faults.length, 1, JSON.stringify(faults));
    assert.equal(faults[0].file, "pdf/bill/body.html.hbs");
    assert.match(faults[0].message, /not allowed \(https:\/\/shop\.example\/bill\.css\)/);
    const refused = await apply(files, { publish: true, plan: id });
    assert.deepEqual([refused.status, refused.body.code], [422, "template_failed"]);
    assert.deepEqual(await dashboard.store.templates.list(accountId, "pdf"), []);
    // A draft may request it, as in the editor, and is not printed.
    const before = stages.asked.length;
    assert.equal((await push(files)).status, 200);
    assert.ok(stages.asked.slice(before).every(({ type }) => type !== "print.requested"));
    stages.printed = () => ({ ok: false, reason: "it took longer than 10 s", timedOut: true });
    const slow = await plan(files, { publish: true });
    assert.deepEqual(slow.body.faults, []);
    assert.deepEqual(slow.body.warnings, [{
      file: "pdf/bill/body.html.hbs",
      message: "was not checked: it took longer than 10 s",
    }]);
  } finally {
    stages.printed = printed;
  }
});

test("pruning archives what the files lack, and leaves what cannot be in files", async () => {
  const { accountId, program, push } = await openProgram();
  await push(FILES, { publish: true });
  await program.post("/manage/v1/templates/email", { name: "Nameless" });
  const refused = await program.get(BUNDLE);
  assert.deepEqual([refused.status, refused.body.code, refused.body.issues[0].path], [
    ...[409, "alias_missing", "email/2"],
  ]);
  const email = Object.fromEntries(Object.entries(FILES).slice(0, 4));
  assert.deepEqual(shown((await push(email, { prune: true, kind: "email" })).body), []);
  const { body } = await push(email, { prune: true });
  assert.deepEqual(shown(body), ["pdf/bill archive"]);
  assert.match(body.warnings[0].message, /template 2 has no alias: it stays/);
  assert.equal(await dashboard.store.templates.find(accountId, "pdf", "bill"), null);
});

test("a token limited to some templates pushes no others", async () => {
  const { plan } = await openProgram({ templates: [9] });
  const { status, body } = await plan(FILES);
  assert.deepEqual([status, body.code], [403, "missing_scope"]);
});

test("a token limited to some templates exports no others, and no partials", async () => {
  const { accountId, plan, apply } = await openProgram();
  const files = { ...FILES, "partials/card.hbs": "<b>Card</b>" };
  const { body } = await plan(files, { publish: true });
  assert.equal((await apply(files, { publish: true, plan: body.plan })).status, 200);
  const kept = await dashboard.store.templates.list(accountId, "email");
  const [own] = kept;
  assert.ok(own !== undefined);
  const exportFor = async (templates: number[]) => {
    const { token } = await dashboard.store.tokens.create({
      ...{ accountId, name: "CI", scopes: ["manage:templates"], limits: { templates } },
    });
    return Object.keys((await dashboard.program(token).get(BUNDLE)).body.files);
  };
  const all = await exportFor([]);
  assert.ok(all.some((path) => path.startsWith("pdf/")) && all.includes("partials/card.hbs"));
  const allowed = await exportFor([own.id]);
  assert.ok(allowed.length > 0);
  assert.deepEqual(allowed.filter((path) => !path.startsWith(`email/${own.alias}/`)), []);
  assert.deepEqual(await exportFor([own.id + 1000]), []);
});

test("GET /manage/v1/bundle refuses more bytes than a push may have, and names both numbers", async () => {
  const { accountId, program } = await openProgram();
  for (const alias of ["one", "two", "three"]) {
    const parts = { subject: "Hi", html: "é".repeat(3_500_000), text: "" };
    await dashboard.store.templates.publish({
      ...{ accountId, kind: "email", alias, name: alias, sourceHash: alias },
      ...{ source: parts, parts, variables: [] },
    });
  }
  const { status, body } = await program.get(BUNDLE);
  assert.deepEqual([status, body.code], [413, "payload_too_large"]);
  assert.match(
    body.error,
    /^The files have 21000\d\d\d bytes, and a bundle has at most 20000000\. Name /,
  );
  const one = await program.get(`${BUNDLE}?alias=two`);
  assert.equal(one.body.files["email/two/body.html.hbs"].length, 3_500_000);
});

test("a push of more bytes than a bundle may have is refused, with both numbers", async () => {
  const { plan, apply } = await openProgram();
  const files = { ...FILES, "email/welcome/text.txt.hbs": "é".repeat(10_000_000) };
  for (const { status, body } of [await plan(files), await apply(files, { plan: "pln_x" })]) {
    assert.deepEqual([status, body.code], [413, "payload_too_large"]);
    assert.match(
      body.error,
      /^The files have 20000\d\d\d bytes, and a bundle has at most 20000000$/,
    );
  }
  // Escapes take no place.
  const escaped = { ...FILES, "email/welcome/text.txt.hbs": "\n".repeat(11_000_000) };
  assert.equal((await plan(escaped)).status, 200);
});

const CLI = join(import.meta.dirname, "../../cli/main.ts");

/** Runs the command line as a customer's CI does: only with a URL and a token. */
async function runCli(args: string[], env: Record<string, string>, cwd: string) {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { PATH, ...NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }, DATA_DIR: "/nowhere", ...env },
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [code, stdout, stderr] = await Promise.all([
    ...[ended, textOf(child.stdout), textOf(child.stderr)] as const,
  ]);
  return { code, stdout, stderr };
}

test("posthaste pull, diff and push move a folder out of an account and back", async () => {
  const { accountId, token, push } = await openProgram();
  await push(FILES, { publish: true });
  const { app, store } = dashboard;
  if (!app.server.listening) await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), "posthaste-push-"));
  const run = (...args: string[]) =>
    runCli(args, { POSTHASTE_URL: url, POSTHASTE_TOKEN: token }, folder);
  try {
    const pulled = await run("pull", "mails");
    assert.deepEqual([pulled.code, pulled.stderr], [0, ""]);
    assert.match(pulled.stdout, /^TEMPLATE +OUTCOME\nemail\/welcome +new\npdf\/bill +new\n$/);
    assert.deepEqual((await readdir(join(folder, "mails/email/welcome"))).sort(), [
      ...["body.html.hbs", "sample.json", "subject.hbs", "template.json"],
    ]);
    const subject = join(folder, "mails/email/welcome/subject.hbs");
    assert.equal(await readFile(subject, "utf8"), FILES["email/welcome/subject.hbs"]);
    const same = await run("diff", "mails", "--publish");
    assert.deepEqual([same.code, same.stdout, same.stderr], [0, "No difference\n", ""]);
    await writeFile(subject, "Hello\n{{#if");
    const faulty = await run("push", "./mails", "--publish");
    assert.equal(faulty.code, 4);
    assert.match(faulty.stderr, /^ {2}mails\/email\/welcome\/subject\.hbs:2:\d+: /m);
    await writeFile(subject, "Bye {{ name }}");
    const differs = await run("diff", "mails", "--publish");
    assert.equal(differs.code, 2, differs.stderr);
    assert.match(differs.stdout, /\n~ +email\/welcome +version 1 → new +subject\.hbs\n$/);
    const pushed = await run("push", "mails", "--publish", "--prune", "--json");
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.deepEqual(JSON.parse(pushed.stdout).changes[0].version, 2);
    const template = await store.templates.find(accountId, "email", "welcome");
    assert.equal(template?.publishedVersion, 2);
    assert.ok(![pulled, faulty, pushed].some((ran) => JSON.stringify(ran).includes(token)));
  } finally {
    await rm(folder, { recursive: true });
  }
});

const SHARED = {
  ...FILES,
  "brand.json": '{"color":"#0a5"}',
  "partials/city.hbs": "Rome",
  "partials/foot.hbs": "<i style='color:{{@brand.color}}'>{{> city}}</i>",
  "email/welcome/body.html.hbs": "<p>{{ name }} {{> foot}}</p>",
};

test("a bundle carries partials and the brand, in any order, and its export changes nothing", async () => {
  const { accountId, program, plan, push } = await openProgram();
  const { status, body: applied, text } = await push(SHARED, { publish: true });
  assert.equal(status, 200, text);
  const names = applied.partials.map(({ name, change, publish }: Record<string, unknown>) =>
    `${name} ${change} ${publish}`
  );
  assert.deepEqual(names.sort(), ["@brand create true", "city create true", "foot create true"]);
  const { store } = dashboard;
  const version = await store.templates.findVersion(accountId, "email", 1, 1);
  assert.match(version?.parts.html ?? "", /<p>\{\{ name \}\} <i style='color:#0a5'>Rome<\/i>/);
  assert.equal(version?.includes?.length, 3);
  const { body: { files } } = await program.get(BUNDLE);
  assert.equal(files["partials/foot.hbs"], SHARED["partials/foot.hbs"]);
  assert.deepEqual(JSON.parse(files["brand.json"]), { color: "#0a5" });
  const again = (await plan(files, { publish: true, prune: true })).body;
  assert.deepEqual([again.changes, again.partials, again.faults], [[], [], []]);
  const part = await program.get(`${BUNDLE}?kind=email`);
  assert.equal(part.body.files["brand.json"], undefined);
});

test("a pushed partial publishes templates that are not in the files, or nothing", async () => {
  const { accountId, program, plan, push } = await openProgram();
  await push(SHARED, { publish: true });
  const { body: { id, revision, draft } } = await program.post("/manage/v1/templates/email", {
    name: "Beside",
  });
  const path = `/manage/v1/templates/email/${id}`;
  const source = { ...draft, subject: "Hi", html: "<p>in {{> city}}</p>" };
  const saved = await program.put(`${path}/draft`, { revision, source });
  await program.post(`${path}/publish`, { revision: saved.body.revision });
  const moved = { ...SHARED, "partials/city.hbs": "Pisa" };
  const { body } = await push(moved, { publish: true });
  assert.deepEqual(shown(body).sort(), [`email/${id} update`, "email/welcome update"]);
  const { store } = dashboard;
  const html = async (id: number, version: number) =>
    (await store.templates.findVersion(accountId, "email", id, version))?.parts.html ?? "";
  assert.equal(await html(id, 2), "<p>in Pisa</p>");
  assert.match(await html(1, 2), /Pisa/);
  const found = await store.templates.find(accountId, "email", id);
  assert.deepEqual([found?.alias, found?.name], [null, "Beside"]);

  const broken = { ...SHARED, "partials/city.hbs": "\n{{> @partial-block}}" };
  const { body: { faults } } = await plan(broken, { publish: true });
  assert.ok(faults.some(({ file }: { file: string }) => file.startsWith(`email/${id}:partials/`)));
  assert.equal((await push(broken, { publish: true })).status, 422);
  assert.equal(await html(id, 3), "");
});

test("faults of partials are at their files, and drafts of people stay", async () => {
  const { plan, push, program, accountId } = await openProgram();
  const scripted = { ...SHARED, "partials/foot.hbs": "<i>{{> city}}</i>\n<script>1</script>" };
  const { body: ruled } = await plan(scripted, { publish: true });
  assert.deepEqual(
    [...new Set(ruled.faults.map(({ file, line }: Record<string, unknown>) => `${file}:${line}`))],
    ["partials/foot.hbs:2"],
  );
  const { body } = await plan({
    ...SHARED,
    "brand.json": '{"color": "<b>", "x": 1}',
    "partials/foot.hbs": "\n{{curency x}}{{> cty}}",
  });
  const places = body.faults.map(({ file, line }: { file: string; line: number }) =>
    `${file}:${line}`
  );
  assert.deepEqual([...new Set(places)], ["brand.json:1"]);
  const faulty = (await plan({ ...SHARED, "partials/foot.hbs": "\n{{> cty}}" })).body;
  assert.deepEqual(
    faulty.faults.map(({ file, line, message }: Record<string, unknown>) => [
      ...[file, line, message],
    ]),
    [["partials/foot.hbs", 2, '"cty" is not known: there is no partial with this name']],
  );
  assert.deepEqual(
    (await plan(SHARED, { kind: "email" })).body.faults.map(
      ({ message }: { message: string }) => message,
    )[0],
    "does not match the kind and alias of the request",
  );

  await push(SHARED, { publish: true });
  await dashboard.store.partials.change({
    ...{ accountId, name: "city", revision: 1, source: "Mine" },
    ...{ updatedAt: new Date(), updatedBy: "usr_1" },
  });
  assert.deepEqual((await plan(SHARED, { publish: true })).body.partials, []);
  const changed = { ...SHARED, "partials/city.hbs": "Pisa" };
  assert.equal((await push(changed, { publish: true })).body.code, "draft_conflict");
  assert.equal((await push(changed, { publish: true, overwriteDrafts: true })).status, 200);
  assert.equal((await program.get("/manage/v1/partials/city")).body.publishedSource, "Pisa");
});

test("a token for some templates pushes and exports no partials", async () => {
  const { plan, program } = await openProgram({ templates: [1] });
  assert.equal((await plan({ "partials/x.hbs": "x" })).body.code, "missing_scope");
  assert.equal((await program.get(BUNDLE)).body.files["partials/x.hbs"], undefined);
  assert.equal((await program.get("/manage/v1/partials")).body.code, "missing_scope");
});

const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
/** Another image for each number. */
const image = (number: number) => Buffer.concat([GIF, Buffer.from([number])]);
const hashOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const wantedOf = (bytes: Buffer, more: object = {}) => ({
  ...{ sha256: hashOf(bytes), size: bytes.length, contentType: "image/gif", ...more },
});
const contentsOf = (...files: Buffer[]) =>
  Object.fromEntries(files.map((bytes) => [hashOf(bytes), bytes.toString("base64")]));
const PICTURED = {
  ...FILES,
  "email/welcome/body.html.hbs": '<p>{{ name }}</p><img src="{{asset "logo"}}" alt="Shop">',
};
/** What a bundle says of a change of a file. */
const describeAsset = ({ name, change, parts, needsContent }: Record<string, unknown>) =>
  `${name} ${change} ${parts} ${needsContent}`;

test("a bundle brings files that its templates show, and only bytes that the account lacks", async () => {
  const { accountId, program, plan, apply } = await openProgram();
  const assets = { logo: wantedOf(image(1), { alt: "Shop" }), same: wantedOf(image(1)) };
  const wish = { assets, publish: true };
  const { body: planned } = await plan(PICTURED, wish);
  assert.deepEqual(planned.assets.map(describeAsset), [
    ...["logo create content,filename,alt true", "same create content,filename true"],
  ]);
  assert.deepEqual(planned.faults, []);
  const done = await apply(PICTURED, {
    ...{ ...wish, plan: planned.plan, contents: contentsOf(image(1)) },
  });
  assert.equal(done.status, 200, done.text);
  const { store } = dashboard;
  const version = await store.templates.findVersion(accountId, "email", 1, 1);
  assert.deepEqual(version?.assets?.map(({ name, sha256 }) => [name, sha256]), [
    ["logo", hashOf(image(1))],
  ]);
  const { width, filename, alt } = await store.assets.findName(accountId, "logo") ?? {};
  assert.deepEqual([width, filename, alt], [1, "logo.gif", "Shop"]);

  const { body: exported } = await program.get(BUNDLE);
  assert.deepEqual(exported.assets["logo"], {
    ...wantedOf(image(1)),
    ...{ filename: "logo.gif", alt: "Shop" },
  });
  const again = await plan(exported.files, { assets: exported.assets, publish: true });
  assert.deepEqual([again.body.changes, again.body.assets], [[], []]);

  // The name alone, the description, and the bytes of another name of the account.
  const moved = { ...assets, mark: wantedOf(image(1)), logo: wantedOf(image(1), { alt: "" }) };
  const { body: other } = await plan(PICTURED, { assets: moved });
  assert.deepEqual(other.assets.map(describeAsset), [
    ...["logo update alt false", "mark create content,filename false"],
  ]);
  const applied = await apply(PICTURED, { assets: moved, plan: other.plan });
  assert.equal(applied.status, 200, applied.text);
  assert.equal((await store.assets.findName(accountId, "mark"))?.width, 1);
  const [line] = await store.audit.list(accountId, { limit: 1 });
  assert.deepEqual([line?.action, line?.target], ["asset.stored", "file mark"]);
});

test("a push with other bytes of an image publishes the templates of its files that show it", async () => {
  const { accountId, plan, apply } = await openProgram();
  const pushOf = async (number: number, options: object) => {
    const wish = { assets: { logo: wantedOf(image(number)) }, ...options };
    const { body } = await plan(PICTURED, wish);
    const contents = contentsOf(image(number));
    const applied = await apply(PICTURED, { ...wish, plan: body.plan, contents });
    assert.equal(applied.status, 200, applied.text);
    return applied.body;
  };
  const pinned = async (version: number) => {
    const { templates } = dashboard.store;
    return (await templates.findVersion(accountId, "email", 1, version))?.assets?.[0]?.sha256;
  };
  await pushOf(1, { publish: true });
  const { changes } = await pushOf(2, { publish: true });
  assert.deepEqual(
    changes.map(({ alias, version, files }: Record<string, unknown>) => [
      ...[alias, version, files],
    ]),
    [["welcome", 2, ["assets/logo"]]],
  );
  assert.deepEqual([await pinned(1), await pinned(2)], [hashOf(image(1)), hashOf(image(2))]);
  // Also when the bytes came before: with a push of drafts, or on the page of files.
  assert.deepEqual((await pushOf(3, {})).changes, []);
  assert.deepEqual(shown(await pushOf(3, { publish: true })), ["email/welcome update"]);
  assert.equal(await pinned(3), hashOf(image(3)));
  assert.deepEqual((await pushOf(3, { publish: true })).changes, []);
});

test("the hash of another account's file, or of a sent attachment, gives no access to its bytes", async () => {
  const [one, other] = [await openProgram(), await openProgram()];
  const { store } = dashboard;
  const headers = { "content-type": "image/gif" };
  assert.equal((await other.program.put("/manage/v1/assets/mine", image(7), headers)).status, 200);
  const at = new Date();
  await store.assets.keep(one.accountId, [{ sha256: hashOf(image(8)), bytes: image(8) }], at);
  for (const bytes of [image(7), image(8)]) {
    const assets = { taken: wantedOf(bytes) };
    const { body } = await one.plan(FILES, { assets });
    assert.deepEqual(body.assets.map(describeAsset), ["taken create content,filename true"]);
    const done = await one.apply(FILES, { assets, plan: body.plan });
    assert.deepEqual([done.status, done.body.code], [422, "template_failed"]);
    assert.equal(done.body.issues[0].path, "assets/taken");
    assert.equal((await one.program.get("/manage/v1/assets/taken")).status, 404);
  }
  assert.equal(await store.assets.find(one.accountId, hashOf(image(7))), null);
  assert.deepEqual((await one.program.get(BUNDLE)).body.assets, {});
});

test("a token limited to some templates sees and stores no files by a bundle", async () => {
  const { accountId, token: _, ...own } = await openProgram();
  const headers = { "content-type": "image/gif" };
  await own.program.put("/manage/v1/assets/logo", image(1), headers);
  const limited = await dashboard.store.tokens.create({
    ...{ accountId, name: "CI", scopes: ["manage:templates"], limits: { templates: [1] } },
  });
  const program = dashboard.program(limited.token);
  for (const bytes of [image(1), image(2)]) {
    const wish = { files: {}, assets: { logo: wantedOf(bytes) } };
    const { status, body } = await program.post(`${BUNDLE}/plan`, wish);
    assert.deepEqual([status, body.code], [403, "missing_scope"]);
  }
  assert.deepEqual((await program.get(BUNDLE)).body.assets, {});
});

test("a push refuses a new PDF that one of its templates appends, and that cannot be read", async () => {
  const { accountId, plan, apply } = await openProgram();
  const files = {
    "pdf/offer/template.json": JSON.stringify({
      name: "Offer",
      filename: "offer.pdf",
      page: { append: ["terms"] },
    }),
    "pdf/offer/body.html.hbs": "<p>Offer</p>",
  };
  const pushOf = async (bytes: Buffer) => {
    const terms = wantedOf(bytes, { contentType: "application/pdf" });
    const wish = { assets: { terms }, publish: true };
    const { body } = await plan(files, wish);
    assert.deepEqual(body.faults, []);
    return await apply(files, { ...wish, plan: body.plan, contents: contentsOf(bytes) });
  };
  const broken = Buffer.from("%PDF-1.4\n%%EOF");
  const { status, body } = await pushOf(broken);
  assert.deepEqual([status, body.code], [422, "template_failed"]);
  assert.deepEqual(body.issues.map(({ path }: { path: string }) => path), ["assets/terms"]);
  assert.match(body.issues[0].message, /^cannot be appended: /);
  assert.equal(await dashboard.store.assets.find(accountId, hashOf(broken)), null);
  const done = await pushOf(Buffer.from(minimalPdf(["Terms"])));
  assert.equal(done.status, 200, done.text);
});

test("a push refuses bytes that are not those of its plan, and changes nothing then", async () => {
  const { accountId, plan, apply } = await openProgram();
  const svg = Buffer.from('<svg width="1" height="1"><script>1</script></svg>');
  const cases: [object, Record<string, string>, RegExp][] = [
    [wantedOf(image(1)), {}, /no bytes/],
    [wantedOf(image(1)), { [hashOf(image(1))]: image(2).toString("base64") }, /other bytes/],
    [wantedOf(image(1), { size: 1 }), contentsOf(image(1)), /type or size/],
    [wantedOf(image(1), { contentType: "image/png" }), contentsOf(image(1)), /not "image\/png"/],
    [wantedOf(image(1), { contentType: "text/plain" }), contentsOf(image(1)), /not "text\/plain"/],
    [wantedOf(svg, { contentType: "image/svg+xml" }), contentsOf(svg), /parts that are not kept/],
  ];
  for (const [wanted, contents, reason] of cases) {
    const wish = { assets: { logo: wanted } };
    const { body } = await plan(PICTURED, wish);
    const { status, body: refused } = await apply(PICTURED, { ...wish, plan: body.plan, contents });
    assert.deepEqual([status, refused.code], [422, "template_failed"]);
    assert.match(refused.issues[0].message, reason);
  }
  for (
    const wish of [
      { assets: { "a/b": wantedOf(image(1)) } },
      { assets: { logo: wantedOf(image(1), { sha256: "../x" }) } },
      { assets: { logo: wantedOf(image(1), { size: 10_000_001 }) } },
      { assets: { logo: wantedOf(image(1), { alt: "a\nb" }) } },
    ]
  ) assert.equal((await plan(FILES, wish)).status, 400);
  const blocked = await plan(FILES, {
    assets: { logo: wantedOf(image(1), { filename: "a.exe" }) },
  });
  assert.match(blocked.body.faults[0].message, /mail servers refuse/);
  const outside = await plan(FILES, { assets: { logo: wantedOf(image(1)) }, kind: "email" });
  assert.ok(outside.body.faults.some(({ file }: { file: string }) => file === "assets/logo"));
  assert.deepEqual(await dashboard.store.assets.listNames(accountId, { limit: 9 }), []);
  assert.deepEqual(await dashboard.store.templates.list(accountId, "email"), []);
});

test("a push counts the bytes that it brings, and what the account keeps", async () => {
  const { plan } = await openProgram();
  const large = (letter: string) => ({
    ...{ sha256: letter.repeat(64), size: 9_000_000, contentType: "text/plain" },
  });
  const two = await plan(FILES, { assets: { a: large("a"), b: large("b") } });
  assert.deepEqual([two.status, two.body.code], [413, "payload_too_large"]);
  assert.match(two.body.error, /have 24000\d\d\d bytes.*PUT \/assets/);
  assert.equal((await plan(FILES, { assets: { a: large("a"), b: large("a") } })).status, 200);
  const many = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`a${index}`, large("a")]),
  );
  const full = await plan(FILES, { assets: many });
  assert.deepEqual([full.status, full.body.code], [409, "conflict"]);
});

test("a push is outdated when a file was replaced meanwhile", async () => {
  const { program, plan, apply } = await openProgram();
  const headers = { "content-type": "image/gif" };
  await program.put("/manage/v1/assets/logo", image(1), headers);
  const wish = { assets: { logo: wantedOf(image(2)) } };
  const { body } = await plan(FILES, wish);
  await program.put("/manage/v1/assets/logo", image(3), headers);
  const late = await apply(FILES, { ...wish, plan: body.plan, contents: contentsOf(image(2)) });
  assert.deepEqual([late.status, late.body.code], [409, "plan_outdated"]);
});

nightTest("posthaste pull, diff and push move files out of the account and back", async () => {
  const { accountId, token, program, push } = await openProgram();
  await push(FILES, { publish: true });
  await program.put("/manage/v1/assets/logo?alt=Shop", image(1), { "content-type": "image/gif" });
  await program.put("/manage/v1/assets/logo.gif", image(2), { "content-type": "image/gif" });
  const { app, store } = dashboard;
  if (!app.server.listening) await app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), "posthaste-assets-"));
  const run = (...args: string[]) =>
    runCli(args, { POSTHASTE_URL: url, POSTHASTE_TOKEN: token }, folder);
  try {
    const pulled = await run("pull", ".");
    assert.equal(pulled.code, 0, pulled.stderr);
    assert.match(pulled.stdout, /^asset\/logo +new\nasset\/logo\.gif +new$/m);
    assert.deepEqual(await readFile(join(folder, "assets/logo.gif")), image(1));
    assert.deepEqual(await readFile(join(folder, "assets/logo-2.gif")), image(2));
    assert.deepEqual(JSON.parse(await readFile(join(folder, "assets.json"), "utf8")), {
      ...{ "logo-2.gif": { name: "logo.gif" }, "logo.gif": { alt: "Shop" } },
    });
    assert.equal((await run("diff", ".")).stdout, "No difference\n");

    const svg = '<svg width="4" height="2"><script>1</script><path d="M0 0"/></svg>';
    await writeFile(join(folder, "assets/mark.svg"), svg);
    await writeFile(join(folder, "assets/logo.gif"), image(3));
    const differs = await run("diff", ".");
    assert.equal(differs.code, 2, differs.stderr);
    assert.match(differs.stdout, /^~ +asset\/logo +stored +content$/m);
    const pushed = await run("push", ".", "--json");
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.equal((await store.assets.findName(accountId, "logo"))?.sha256, hashOf(image(3)));
    assert.equal((await store.assets.findName(accountId, "mark"))?.width, 4);
    assert.equal((await run("push", ".")).stdout, "Nothing to change\n");

    await program.delete("/manage/v1/assets/mark");
    await program.put("/manage/v1/assets/logo", image(4), { "content-type": "image/gif" });
    const after = await run("pull", ".", "--prune");
    assert.match(after.stdout, /^asset\/logo +updated\nasset\/logo\.gif +unchanged$/m);
    assert.match(after.stdout, /^asset\/mark +removed$/m);
    assert.deepEqual((await readdir(join(folder, "assets"))).sort(), ["logo-2.gif", "logo.gif"]);

    await writeFile(join(folder, "assets/wrong.png"), "text");
    await writeFile(join(folder, "assets.json"), '{"none.gif":{},\n"logo.gif":{"name":"a/b"}}');
    const faulty = await run("push", ".");
    assert.equal(faulty.code, 4);
    assert.match(faulty.stderr, /assets\/wrong\.png: The file is not an image/);
    assert.match(faulty.stderr, /assets\.json:2:\d+: "logo\.gif\.name": must be/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

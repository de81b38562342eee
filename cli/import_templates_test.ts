import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { inLocale } from "@posthaste/contracts";
import { openStore, type Store } from "@posthaste/storage";
import { openSandbox, type Sandbox } from "@posthaste/templating";
import { openTestMongo, type TestMongo } from "@posthaste/kit";
import { runCli, runCliProcess } from "./_run_cli.ts";
import { EXIT } from "./exit_code.ts";
import { checkTemplateFolder, importTemplates, TemplateFolderError } from "./import_templates.ts";

const MAIL = { name: "Welcome", variables: [{ name: "name", required: true }] };
const BILL = { name: "Bill", filename: "bill-{{ number }}.pdf", page: { format: "A5" } };
const GOOD = {
  "email/welcome/template.json": JSON.stringify(MAIL),
  "email/welcome/subject.hbs": "Hello {{ name }}\n",
  "email/welcome/body.html.hbs": "<p>{{ name }} of {{ city }}</p>",
  "email/welcome/sample.json": '{"name":"Ada","city":"Turin"}',
  "pdf/bill/template.json": JSON.stringify(BILL),
  "pdf/bill/body.html.hbs": "<h1>{{ number }}</h1>",
};

let mongo: TestMongo;
let store: Store;
let sandbox: Sandbox;

before(async () => {
  mongo = await openTestMongo();
  store = await openStore({ url: mongo.url });
  await store.ensureIndexes();
  sandbox = openSandbox({ workers: 1 });
});

after(async () => {
  await sandbox[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

async function openFolder(files: Record<string, string | Buffer>) {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-templates-"));
  const write = async (more: Record<string, string | Buffer>) => {
    for (const [name, content] of Object.entries(more)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
  };
  await write(files);
  return { folder, write, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Returns the faults of a folder as `file:line:column message`. */
async function faultsOf(files: Record<string, string | Buffer>): Promise<string[]> {
  await using made = await openFolder(files);
  try {
    await checkTemplateFolder(made.folder, sandbox);
    return [];
  } catch (error) {
    assert.ok(error instanceof TemplateFolderError, String(error));
    return error.faults.map(({ file, line, column, message }) =>
      `${[file, line, column].filter((each) => each !== undefined).join(":")} ${message}`
    );
  }
}

test("importTemplates() publishes what changed and nothing twice", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "import-shop" });
  await using made = await openFolder(GOOD);
  const { folder } = made;
  const outcomes = async () => {
    const { templates } = await importTemplates({ store, sandbox, accountId, folder });
    return templates.map(({ kind, alias, id, version, outcome }) =>
      [kind, alias, id, version, outcome].join(" ")
    );
  };
  assert.deepEqual(await outcomes(), ["email welcome 1 1 new", "pdf bill 1 1 new"]);
  await made.write({ "email/welcome/sample.json": '{"name":"Bob","city":"Rome"}' });
  assert.deepEqual(await outcomes(), ["email welcome 1 1 unchanged", "pdf bill 1 1 unchanged"]);
  await made.write({ "email/welcome/text.txt.hbs": "Hi {{ name }}" });
  assert.deepEqual(await outcomes(), ["email welcome 1 2 updated", "pdf bill 1 1 unchanged"]);
  const version = await store.templates.findVersion(accountId, "email", 1, 2);
  assert.deepEqual(version?.variables.map(({ name, required }) => [name, required]), [
    ["name", true],
    ["city", false],
  ]);
  const bill = await store.templates.findVersion(accountId, "pdf", 1, 1);
  assert.equal(bill?.parts.filename, "bill-{{ number }}.pdf");
  assert.deepEqual([bill?.page.format, bill?.page.margin.top], ["A5", "15mm"]);
});

test("importTemplates() keeps the sample in a draft, and does not change an existing draft", async () => {
  await using made = await openFolder(GOOD);
  const { _id: accountId } = await store.accounts.create({ name: "Sampled" });
  const run = () => importTemplates({ store, sandbox, accountId, folder: made.folder });
  await run();
  const place = { _id: `${accountId}/email/1`, accountId };
  const draft = await store.drafts.find(place);
  assert.deepEqual([draft?.source.sample, draft?.base, draft?.updatedBy], [
    { name: "Ada", city: "Turin" },
    1,
    null,
  ]);
  assert.equal(draft?.source.html, GOOD["email/welcome/body.html.hbs"]);
  await made.write({ "email/welcome/sample.json": '{"name":"Bob","city":"Rome"}' });
  await run();
  assert.deepEqual(await store.drafts.find(place), draft);
});

test("importTemplates() keeps a template that a rule forbids as a draft, until it is fixed", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "ruled" });
  const html = `<p>{{ name }} of {{ citty }}</p>\n<img src="logo.png" alt="">`;
  await using made = await openFolder({ ...GOOD, "email/welcome/body.html.hbs": html });
  const run = () => importTemplates({ store, sandbox, accountId, folder: made.folder });
  const { templates, errors } = await run();
  assert.deepEqual(templates.map(({ alias, version, outcome }) => [alias, version, outcome]), [
    ["welcome", null, "draft"],
    ["bill", 1, "new"],
  ]);
  const file = "email/welcome/body.html.hbs";
  assert.deepEqual(errors.map(({ file, line, column, rule }) => [file, line, column, rule]), [
    [file, 2, 1, "relative_image"],
    [file, 1, 21, "unknown_variable"],
  ]);
  assert.match(errors[1]?.message ?? "", /^"citty" is not known: did you mean "city"\? \w/);
  const place = { _id: `${accountId}/email/1`, accountId };
  const draft = await store.drafts.find(place);
  assert.deepEqual([draft?.source.html, draft?.base], [html, null]);
  assert.deepEqual((await run()).templates[0]?.outcome, "draft");
  await made.write({ [file]: GOOD[file] });
  assert.deepEqual((await run()).templates[0]?.outcome, "new");
  const followed = await store.drafts.find(place);
  assert.deepEqual([followed?.source.html, followed?.base], [GOOD[file], 1]);
  // A draft that was changed meanwhile stays.
  assert.ok(followed);
  const mine = { ...followed.source, html: "mine" };
  await store.drafts.change({ ...followed, source: mine, base: null, updatedBy: "usr_1" });
  await made.write({ [file]: html });
  assert.match((await run()).errors.at(-1)?.message ?? "", /is not replaced/);
  assert.equal((await store.drafts.find(place))?.source.html, "mine");
});

test("importTemplates() keeps a template with a misspelled field of its sample as a draft", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "fields" });
  const html = "<p>{{ name }}</p>\n{{#with shop}}{{ nmae }} {{ phone }}{{/with}}";
  await using made = await openFolder({
    ...GOOD,
    "email/welcome/body.html.hbs": html,
    "email/welcome/sample.json": '{"name":"Ada","shop":{"name":"Fjord"}}',
  });
  const { templates, errors, warnings } = await importTemplates({
    ...{ store, sandbox, accountId, folder: made.folder },
  });
  assert.equal(templates[0]?.outcome, "draft");
  const said = (faults: typeof errors) =>
    faults.map(({ line, column, rule }) => `${rule} ${line}:${column}`);
  assert.deepEqual(said(errors), ["misspelled_field 2:18"]);
  assert.ok(said(warnings).includes("unknown_field 2:29"), said(warnings).join());
});

test("importTemplates() keeps versions that were published before a rule", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "before" });
  await using made = await openFolder({ ...GOOD, "email/welcome/body.html.hbs": "<form>{{name}}" });
  const { ready } = await checkTemplateFolder(made.folder, sandbox);
  for (const { errors: _, sample: __, draft: ___, ...one } of ready) {
    await store.templates.publish({ ...one, accountId });
  }
  const options = { store, sandbox, accountId, folder: made.folder };
  const { templates, errors, warnings } = await importTemplates(options);
  assert.deepEqual(templates.map(({ outcome }) => outcome), ["unchanged", "unchanged"]);
  assert.deepEqual([errors, warnings.map(({ rule }) => rule)], [[], ["form"]]);
});

test("importTemplates() brings new partials and the brand, and refuses to change published ones", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "import-partials" });
  const shared = {
    "brand.json": '{"color":"#0a5"}',
    "partials/foot.hbs": "<i>{{> city}}</i>",
    "partials/city.hbs": "<b style='color:{{@brand.color}}'>Rome</b>",
    "email/welcome/body.html.hbs": "<p>{{ name }} of {{ city }}</p>{{> foot}}",
    "pdf/bill/template.json": JSON.stringify({
      ...BILL,
      filename: "{{#*inline 'a'}}bill{{/inline}}{{> a}}.pdf",
    }),
  };
  await using made = await openFolder({ ...GOOD, ...shared });
  const { folder } = made;
  const run = () => importTemplates({ store, sandbox, accountId, folder });
  assert.equal((await run()).templates.length, 2);
  const mail = await store.templates.findVersion(accountId, "email", 1, 1);
  assert.match(mail?.parts.html ?? "", /<i><b style='color:#0a5'>Rome<\/b><\/i>/);
  assert.deepEqual(mail?.includes?.map(({ name }) => name).sort(), ["@brand", "city", "foot"]);
  const bill = await store.templates.findVersion(accountId, "pdf", 1, 1);
  assert.deepEqual([bill?.parts.filename, bill?.includes], ["bill.pdf", undefined]);
  assert.match(bill?.source.filename ?? "", /^\{\{#\*inline/);
  assert.deepEqual((await run()).templates.map(({ outcome }) => outcome), [
    ...["unchanged", "unchanged"],
  ]);
  const users = await store.partials.listUsers({ accountId, name: "city" });
  assert.deepEqual(users.map(({ alias }) => alias), ["welcome"]);
  await made.write({ "partials/city.hbs": "Pisa", "partials/new.hbs": "x" });
  await assert.rejects(run(), /partials\/city.hbs, differs from what the account has: use push/);
  assert.equal(await store.partials.find({ accountId, name: "new" }), null);
  await made.write({ "partials/city.hbs": "\n{{curency x}}" });
  await assert.rejects(run(), /partials\/city.hbs, line 2, There is no helper/);
});

test("importTemplates() keeps a template as a draft whose partial breaks a rule", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "import-ruled-partial" });
  const html = "<p>{{ name }} of {{ city }}</p>{{> foot}}";
  await using made = await openFolder({
    ...{ ...GOOD, "email/welcome/body.html.hbs": html },
    ...{ "partials/foot.hbs": "<i>{{> in}}</i>", "partials/in.hbs": "\n<script>1</script>" },
  });
  const options = { store, sandbox, accountId, folder: made.folder };
  const { templates, errors } = await importTemplates(options);
  assert.deepEqual(templates.map(({ outcome }) => outcome), ["draft", "new"]);
  assert.deepEqual(errors.map(({ file, line, column, rule }) => [file, line, column, rule]), [
    ["partials/in.hbs", 2, 1, "script"],
  ]);
  // Two templates with the partial have its fault once.
  await made.write({ "pdf/bill/body.html.hbs": "<h1>{{ number }}</h1>{{> foot}}" });
  const again = await importTemplates(options);
  assert.deepEqual(again.errors.map(({ file }) => file), ["partials/in.hbs"]);
});

test("importTemplates() publishes nothing of a folder with one fault", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "all-or-nothing" });
  await using made = await openFolder({ ...GOOD, "pdf/bill/body.html.hbs": "<b>{{#if x}}</b>" });
  await assert.rejects(importTemplates({ store, sandbox, accountId, folder: made.folder }), {
    name: "TemplateFolderError",
  });
  assert.deepEqual(await store.templates.list(accountId, "email"), []);
});

test("checkTemplateFolder() returns every fault of every file with its place", async () => {
  const faults = await faultsOf({
    ...GOOD,
    "email/welcome/body.html.hbs": "<p>\n  {{ curency total }}\n</p>",
    "email/welcome/subject.hbs": "Hello {{> name }}",
    "pdf/bill/template.json": '{\n  "name": "Bill",\n  "filname": "x.pdf"\n}',
    "pdf/note/template.json": '{\n  "name": "Note",\n}',
    "pdf/note/body.html.hbs": "x",
    "email/Big/body.mjml": "<p>x</p>",
  });
  const wanted = [
    /^email\/Big the name of the folder must be lowercase/,
    /^email\/Big\/template.json is missing/,
    /^email\/Big\/body.mjml:1:1 is not MJML/,
    /^pdf\/bill\/template.json:3:3 unknown key "filname"/,
    /^pdf\/bill\/template.json:1:1 "filename" is missing/,
    /^pdf\/note\/template.json:3:1 not valid JSON/,
    /^email\/welcome\/subject.hbs:1:7 "name" is not known: there is no partial/,
    /^email\/welcome\/body.html.hbs:2:3 There is no helper "curency"/,
  ];
  for (const pattern of wanted) {
    assert.ok(faults.some((fault) => pattern.test(fault)), `${pattern} in\n${faults.join("\n")}`);
  }
});

test("checkTemplateFolder() renders the sample, and finds the place in the author's MJML", async () => {
  const mjml = [
    "<mjml><mj-body><mj-section><mj-column>",
    '<mj-text>{{ currency total "EUR" }}</mj-text>',
    "</mj-column></mj-section></mj-body></mjml>",
  ].join("\n");
  const { "email/welcome/body.html.hbs": _html, ...rest } = GOOD;
  const files = { ...rest, "email/welcome/body.mjml": mjml };
  const sample = '{"name":"Ada","total":"ten"}';
  const [fault, ...others] = await faultsOf({ ...files, "email/welcome/sample.json": sample });
  assert.match(fault ?? "", /^email\/welcome\/body\.mjml:2:\d+ with sample\.json: .*"ten"/);
  assert.deepEqual(others, []);
  assert.deepEqual(await faultsOf({ ...files, "email/welcome/sample.json": "{}" }), [
    'email/welcome/sample.json:1:1 variable "name" is required, but the sample does not have it',
  ]);
});

test("checkTemplateFolder() refuses large files, other encodings and an empty folder", async () => {
  assert.deepEqual(
    await faultsOf({
      ...GOOD,
      "email/welcome/subject.hbs": "x".repeat(20_000),
      "pdf/bill/body.html.hbs": Buffer.from([0x3c, 0xe4, 0x3e]),
    }),
    [
      "email/welcome/subject.hbs is larger than 16 KiB",
      "pdf/bill/body.html.hbs is not UTF-8 text",
    ],
  );
  assert.match((await faultsOf({ "readme.txt": "" }))[0] ?? "", /it contains no template/);
});

test("checkTemplateFolder() warns of required variables that are not used", async () => {
  await using made = await openFolder({
    ...GOOD,
    "pdf/bill/template.json": JSON.stringify(
      {
        ...BILL,
        variables: [{ name: "number", required: true }, { name: "iban", required: true }],
      },
      null,
      1,
    ),
    "email/welcome/notes.txt": "to do",
  });
  const { warnings } = await checkTemplateFolder(made.folder, sandbox);
  assert.deepEqual(warnings, [
    { file: "email/welcome/notes.txt", message: "is ignored: unknown name" },
    {
      file: "pdf/bill/template.json",
      line: 13,
      column: 12,
      message: 'variable "iban" is required, but the template does not use it',
    },
  ]);
});

test("importCommand() imports, refuses a fault with its place, and finds what did not change", async () => {
  await store.accounts.create({ name: "cli-shop" });
  await using made = await openFolder(GOOD);
  const env = { MONGODB_URL: mongo.url };
  const args = ["import", ".", "--account", "cli-shop"];
  // npm runs a script in the repository, and passes on the operator's folder.
  const npm = { npm_lifecycle_event: "posthaste", INIT_CWD: made.folder };
  const run = (...more: string[]) => runCli([...args, ...more], { env: { ...env, ...npm } });
  const first = await runCliProcess(args, { env, cwd: made.folder });
  assert.equal(first.code, EXIT.ok, first.stderr);
  assert.match(first.stdout, /email +1 +welcome +Welcome +1 +new\npdf +1 +bill +Bill +1 +new\n$/);
  assert.match(
    first.stderr,
    /^1 PDF template imported without a test print\. "posthaste push" prints them\n$/,
  );
  await made.write({ "email/welcome/body.html.hbs": "<p>\n{{ curency x }}</p>" });
  const faulty = await run("--json");
  assert.equal(faulty.code, EXIT.refused);
  assert.match(faulty.stderr, /email\/welcome\/body\.html\.hbs:2:1: There is no helper "curency"/);
  assert.equal(JSON.parse(faulty.stdout).issues[0].at, "email/welcome/body.html.hbs:2:1");
  await made.write({ "email/welcome/body.html.hbs": "<p>{{ name }}</p>\n<script>1</script>" });
  const ruled = await run("--json");
  assert.equal(ruled.code, EXIT.refused);
  assert.match(ruled.stderr, /email\/welcome\/body\.html\.hbs:2:1: error: Scripts do not run/);
  // Nothing is reported of the one that did not change.
  assert.deepEqual(ruled.stderr.trimEnd().split("\n").length, 1, ruled.stderr);
  const { templates } = JSON.parse(ruled.stdout);
  assert.deepEqual(templates.map(({ outcome }: { outcome: string }) => outcome), [
    "draft",
    "unchanged",
  ]);
  const checked = await runCli(["import", ".", "--check"], { cwd: made.folder });
  assert.deepEqual([checked.code, /body\.html\.hbs:2:1: Scripts/.test(checked.stderr)], [
    EXIT.refused,
    true,
  ]);
  const none = await runCli(["import", "./none", "--check"], { cwd: made.folder });
  assert.equal(none.code, EXIT.notFound, none.stderr);
});

test("checkTemplateFolder() checks the XML of an invoice with the sample", async () => {
  const page = { conformance: "pdf/a-3b", invoice: "minimum" };
  const files = {
    ...GOOD,
    "pdf/bill/template.json": JSON.stringify({ ...BILL, page }),
    "pdf/bill/sample.json": '{"number":"7"}',
  };
  const faults = async (invoice: string) =>
    (await faultsOf({ ...files, "pdf/bill/invoice.xml": invoice })).join("\n");
  assert.match(await faults("<a>{{ number }"), /^pdf\/bill\/invoice\.xml:1:/);
  assert.match(await faults("<a b>{{ number }}"), /^pdf\/bill\/invoice\.xml with.*not well-formed/);
  assert.match(await faults("<a>{{ number }}</a>"), /with sample\.json: .*root is "a"/);
  const [missing] = await faultsOf(files);
  assert.match(missing ?? "", /^pdf\/bill\/template\.json with.*has no invoice XML/);
});

const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const PICTURED = {
  ...GOOD,
  "email/welcome/body.html.hbs": '<p>{{ name }} {{ city }}</p><img src="{{asset "logo"}}" alt="a">',
  "pdf/bill/body.html.hbs": '<img src="{{asset "logo"}}" alt="a">{{ number }}',
  "assets/logo.gif": GIF,
  "assets.json": '{"logo.gif":{"alt":"Shop"}}',
};

test("importTemplates() stores the files of a folder, and pins them in templates", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "import-images" });
  await using made = await openFolder(PICTURED);
  const { folder } = made;
  const run = async (assetsUrl?: string) => {
    const done = await importTemplates({ store, sandbox, accountId, folder, assetsUrl });
    return [...done.templates, ...done.assets].map(({ name, outcome }) => `${name} ${outcome}`);
  };
  const pinned = async (version: number) => {
    const found = await store.templates.findVersion(accountId, "email", 1, version);
    return found?.assets?.map(({ name, sha256, url }) => `${name} ${sha256.slice(0, 4)} ${url}`);
  };
  assert.deepEqual(await run(), ["Welcome new", "Bill new", "logo new"]);
  const kept = await store.assets.findName(accountId, "logo");
  const first = kept?.sha256.slice(0, 4);
  assert.deepEqual([kept?.alt, kept?.filename, kept?.width], ["Shop", "logo.gif", 1]);
  assert.deepEqual(await pinned(1), [`logo ${first} undefined`]);
  assert.deepEqual(await run(), ["Welcome unchanged", "Bill unchanged", "logo unchanged"]);

  await made.write({ "assets/logo.gif": Buffer.concat([GIF, Buffer.from([1])]) });
  assert.deepEqual(await run(), ["Welcome updated", "Bill updated", "logo updated"]);
  await rm(join(folder, "assets.json"));
  await rm(join(folder, "assets"), { recursive: true });
  // The account keeps it.
  assert.deepEqual(await run("https://mail.example/"), ["Welcome updated", "Bill unchanged"]);
  assert.match(String(await pinned(3)), /^logo \w+ https:\/\/mail\.example\/assets\/[a-f\d]{64}$/);
});

test("importTemplates() keeps templates back whose image nobody stores; a check cannot know", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "import-no-image" });
  const { "assets/logo.gif": _, "assets.json": __, ...files } = PICTURED;
  await using made = await openFolder(files);
  const { folder } = made;
  const { templates, errors } = await importTemplates({ store, sandbox, accountId, folder });
  assert.deepEqual(templates.map(({ outcome }) => outcome), ["draft", "draft"]);
  assert.match(errors[0]?.message ?? "", /There is no stored image "logo"/);
  assert.deepEqual(await faultsOf(files), []);
  const faults = await faultsOf({ ...PICTURED, "assets/logo.gif": Buffer.from("no image") });
  assert.match(faults.join(), /assets\/logo\.gif The file is not an image/);
});

test("importTemplates() pins the files that each language of a template shows", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "import-languages-images" });
  await using made = await openFolder({
    ...PICTURED,
    "email/welcome/body.html.hbs": "<p>{{ name }} {{ city }}</p>",
    "email/welcome/de/subject.hbs": "Hallo {{ name }}\n",
    "email/welcome/de/body.html.hbs": '<img src="{{asset "logo"}}" alt="a">',
  });
  const { folder } = made;
  const import_ = async () =>
    (await importTemplates({ store, sandbox, accountId, folder })).templates
      .map(({ outcome }) => outcome);
  assert.deepEqual(await import_(), ["new", "new"]);
  const version = await store.templates.findVersion(accountId, "email", 1, 1);
  assert.ok(version);
  const shown = (locale: string) => inLocale(version, locale).assets?.map(({ name }) => name);
  assert.deepEqual([shown("en"), shown("de-AT")], [undefined, ["logo"]]);
  await made.write({ "assets/logo.gif": Buffer.concat([GIF, Buffer.from([1])]) });
  assert.deepEqual(await import_(), ["updated", "updated"]);
});

test("importTemplates() pins the PDFs that the pages of a template append", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "import-appended" });
  const page = { format: "A5", append: ["terms"] };
  const files = { ...GOOD, "pdf/bill/template.json": JSON.stringify({ ...BILL, page }) };
  await using made = await openFolder({ ...files, "assets/terms.pdf": "%PDF-1.4\n%%EOF\n" });
  const options = { store, sandbox, accountId, folder: made.folder };
  const { templates } = await importTemplates(options);
  assert.deepEqual(templates.map(({ outcome }) => outcome), ["new", "new"]);
  const version = await store.templates.findVersion(accountId, "pdf", 1, 1);
  assert.deepEqual(version?.assets?.map(({ name }) => name), ["terms"]);
  await using without = await openFolder(files);
  const { errors } = await importTemplates({
    ...options,
    folder: without.folder,
    accountId: "acc_x",
  });
  assert.match(errors.map(({ message }) => message).join(), /terms/);
});

test("importTemplates() publishes the languages of a folder, and names the files of their faults", async () => {
  const account = await store.accounts.create({ name: "Languages" });
  const languages = {
    "email/welcome/de/subject.hbs": "Hallo {{ name }}\n",
    "email/welcome/de/body.html.hbs": "<html><p>{{ name }} {{ plz }}</p></html>",
    "email/welcome/sample.json": '{"name":"Ada","city":"Turin","plz":"1"}',
    "pdf/bill/de/body.html.hbs": "<h1>Rechnung {{ number }}</h1>",
    "pdf/bill/de/filename.hbs": "rechnung-{{ number }}.pdf\n",
    "pdf/bill/fr/body.html.hbs": "<h1>Facture</h1>",
  };
  await using made = await openFolder({ ...GOOD, ...languages });
  const options = { store, sandbox, accountId: account._id, folder: made.folder };
  const { templates, warnings } = await importTemplates(options);
  assert.deepEqual([templates.map(({ outcome }) => outcome), warnings], [["new", "new"], []]);
  const mail = await store.templates.findVersion(account._id, "email", 1, 1);
  assert.equal(mail?.variants?.["de"]?.parts.subject, "Hallo {{ name }}");
  assert.match(mail?.variants?.["de"]?.parts.html ?? "", /lang="de"/);
  assert.deepEqual(mail?.variables.map(({ name }) => name), ["name", "city", "plz"]);
  const bill = await store.templates.findVersion(account._id, "pdf", 1, 1);
  const names = Object.values(bill?.variants ?? {}).map(({ parts }) => parts.filename);
  assert.deepEqual(names, ["rechnung-{{ number }}.pdf", "bill-{{ number }}.pdf"]);
  const again = await importTemplates(options);
  assert.deepEqual(again.templates.map(({ outcome }) => outcome), ["unchanged", "unchanged"]);
  await made.write({ "email/welcome/de/subject.hbs": "Guten Tag {{ name }}\n" });
  const changed = await importTemplates(options);
  assert.deepEqual(changed.templates.map(({ outcome }) => outcome), ["updated", "unchanged"]);

  const faulty = await faultsOf({
    ...{ ...GOOD, ...languages },
    "email/welcome/de/body.html.hbs": "<p>\n{{#iff x}}{{/iff}}",
    "pdf/bill/de/filename.hbs": "{{#iff",
  });
  assert.match(faulty.join("\n"), /^email\/welcome\/de\/body\.html\.hbs:2:1 /m);
  assert.match(faulty.join("\n"), /^pdf\/bill\/de\/filename\.hbs/m);
});

/**
 * Real templates of public repositories: they are converted and imported, and their mails are compared with
 * those of plain Handlebars, and juice or mjml. `PUBLIC_TEMPLATES` names a folder with clones of them.
 *
 * @module
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import handlebars from "handlebars";
import juice from "juice";
import mjml2html from "mjml";
import { importTemplates } from "@posthaste/cli/import_templates";
import { nightly, openTestMongo, type TestMongo } from "@posthaste/kit";
import { openStore, type Store } from "@posthaste/storage";
import { lintTemplate, openSandbox, type Sandbox, translateTemplate } from "@posthaste/templating";
import { checkOut, convert, NO_CLONES } from "./public_templates/converted.ts";
import { readPage } from "./public_templates/read_page.ts";
import { sampleOf } from "./public_templates/sample_of.ts";
import { SOURCES } from "./public_templates/sources.ts";

nightly("cli/convert_templates_test.ts", "cli/import_templates_test.ts");

let mongo: TestMongo;
let store: Store;
let sandbox: Sandbox;
let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "posthaste-public-"));
  mongo = await openTestMongo();
  store = await openStore({ url: mongo.url });
  await store.ensureIndexes();
  sandbox = openSandbox({ workers: 2, reserved: 0 });
});

after(async () => {
  await sandbox[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

for (const source of SOURCES) {
  const { name, kind, outcomes } = source;
  test(`the public templates of ${name} are imported, and filled as by plain Handlebars`, {
    skip: NO_CLONES,
  }, async () => {
    const converted = await convert(source, root);
    assert.deepEqual(await outcomesOf(name, converted), outcomes);
    await compareAll(join(converted, kind), kind);
  });
}

test("no field of SendGrid's dynamic templates is unknown with the samples that come with them", {
  skip: NO_CLONES,
}, async () => {
  const source = SOURCES.find(({ name }) => name === "sendgrid") ?? assert.fail();
  const folder = join(checkOut(source, root), "dynamic-templates");
  let pairs = 0;
  for (const name of await readdir(folder)) {
    if (name.endsWith(".md")) continue;
    const files = await readdir(join(folder, name));
    const page = files.find((file) => file.endsWith(".html")) ?? "";
    const written = await readFile(join(folder, name, page), "utf8");
    const html = translateTemplate(written, { product: "sendgrid", part: "html" }).text;
    const { variables } = await sandbox.publishEmail({ subject: "x", html, locale: "en" });
    for (const file of files.filter((one) => one.endsWith(".json"))) {
      const sample = JSON.parse(await readFile(join(folder, name, file), "utf8"));
      const texts = { subject: "x", html, text: "", filename: "", locale: "en" };
      const source = { ...texts, variables: [], page: null, sample };
      const found = lintTemplate({ kind: "email", source, variables, missing: [] });
      const wrong = found.filter(({ rule }) => rule.endsWith("_field"));
      assert.deepEqual(wrong.map(({ message }) => message), [], file);
      pairs++;
    }
  }
  assert.equal(pairs, 8);
});

async function outcomesOf(name: string, folder: string): Promise<Record<string, number>> {
  const { _id: accountId } = await store.accounts.create({ name });
  const { templates } = await importTemplates({ store, sandbox, accountId, folder });
  const counts: Record<string, number> = {};
  for (const { outcome } of templates) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

async function compareAll(folder: string, kind: "email" | "pdf"): Promise<void> {
  const aliases = await readdir(folder);
  assert.ok(aliases.length > 0);
  for (const alias of aliases) {
    const isMjml = existsSync(join(folder, alias, "body.mjml"));
    const html = await readFile(
      join(folder, alias, isMjml ? "body.mjml" : "body.html.hbs"),
      "utf8",
    );
    const { ours, data } = await fillByPosthaste(html, kind);
    const plain = await fillPlainly(html, { data, kind, isMjml });
    assert.deepEqual(readPage(ours), readPage(plain), alias);
  }
}

async function fillByPosthaste(html: string, kind: "email" | "pdf") {
  const published = kind === "pdf"
    ? await sandbox.publishPdf({ html, locale: "en" })
    : await sandbox.publishEmail({ subject: "x", html, locale: "en" });
  const data = sampleOf(published.variables.flatMap(({ paths }) => paths));
  const template = { key: html, source: published.html, escape: "html" as const, locale: "en" };
  const [filled] = await sandbox.fill({ templates: { html: template }, fills: [{ data }] });
  assert.ok(filled?.ok, JSON.stringify(filled));
  return { ours: filled.parts["html"] ?? "", data };
}

interface Plainly {
  data: unknown;
  kind: "email" | "pdf";
  isMjml: boolean;
}

async function fillPlainly(html: string, { data, kind, isMjml }: Plainly): Promise<string> {
  const plain = handlebars.create();
  plain.registerHelper({
    eq: (a: unknown, b: unknown) => a === b,
    and: (a: unknown, b: unknown) => a && b,
    or: (a: unknown, b: unknown) => a || b,
    gt: (a: unknown, b: unknown) => String(a) > String(b),
    lt: (a: unknown, b: unknown) => String(a) < String(b),
    default: (a: unknown, b: unknown) => a ?? b,
  });
  const compiled = isMjml ? (await mjml2html(html, { validationLevel: "skip" })).html : html;
  const filled = plain.compile(compiled)(data);
  return isMjml || kind === "pdf" ? filled : juice(filled, { preserveImportant: true });
}

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { readBundle } from "@posthaste/bundle";
import { pageOptionsSchema, sendRequestSchema } from "@posthaste/contracts";
import { mergeVariables, missingVariables, openSandbox, withDefaults } from "@posthaste/templating";

const sandbox = openSandbox({ workers: 1 });
after(() => sandbox[Symbol.asyncDispose]());

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), "utf8");
const json = (...path: string[]) => JSON.parse(read(...path));
const aliases = (kind: string) => readdirSync(join(import.meta.dirname, kind));
const names = (variables: readonly { name: string }[]) => variables.map(({ name }) => name).sort();

test("the email templates publish without a warning and declare what they read", async () => {
  for (const alias of aliases("email")) {
    const published = await sandbox.publishEmail({
      subject: read("email", alias, "subject.hbs"),
      html: read("email", alias, "body.mjml"),
      text: read("email", alias, "text.txt.hbs"),
    });
    const { variables } = json("email", alias, "template.json");
    assert.deepEqual(published.warnings, [], alias);
    assert.deepEqual(names(published.variables), names(variables), alias);
    const data = withDefaults(variables, json("email", alias, "sample.json"));
    const [filled] = await sandbox.fill({
      templates: {
        html: { key: alias, source: published.html, escape: "html" },
        text: { key: `${alias}/text`, source: published.text, escape: "none" },
      },
      fills: [{ data }],
    });
    assert.ok(filled?.ok, alias);
    assert.doesNotMatch(filled.parts["html"] ?? "", /<img|\{\{/, alias);
    assert.doesNotMatch(filled.parts["text"] ?? "", /<|\{\{/, alias);
  }
});

test("the German welcome mail publishes without a warning, and reads what the English one does", async () => {
  const folder = ["email", "welcome", "de"] as const;
  const published = await sandbox.publishEmail({
    subject: read(...folder, "subject.hbs"),
    html: read(...folder, "body.mjml"),
    text: read(...folder, "text.txt.hbs"),
    locale: "de",
  });
  assert.deepEqual(published.warnings, []);
  assert.deepEqual(
    names(published.variables),
    names(json("email", "welcome", "template.json").variables),
  );
  assert.match(published.html, /<html lang="de"/);
  const path = (file: string) => ["email/welcome/" + file, read("email", "welcome", file)];
  const files = ["template.json", "subject.hbs", "body.mjml", "de/subject.hbs", "de/body.mjml"];
  const { templates, faults } = readBundle(Object.fromEntries(files.map(path)));
  assert.deepEqual([faults, Object.keys(templates[0]?.variants ?? {})], [[], ["de"]]);
});

test("the PDF templates publish, declare what they read, and have valid pages", async () => {
  for (const alias of aliases("pdf")) {
    const { variables, page } = json("pdf", alias, "template.json");
    const published = await sandbox.publishPdf({ html: read("pdf", alias, "body.html.hbs") });
    assert.deepEqual(names(published.variables), names(variables), alias);
    assert.ok(pageOptionsSchema.safeParse(page).success, alias);
    const [filled] = await sandbox.fill({
      templates: { html: { key: alias, source: published.html, escape: "html" } },
      fills: [{ data: withDefaults(variables, json("pdf", alias, "sample.json")) }],
    });
    assert.ok(filled?.ok, alias);
  }
});

test("send.json is a valid request with every template's required variables", () => {
  const { to, variables = {} } = sendRequestSchema().parse(json("send.json"));
  assert.deepEqual(to.map(({ attachments = [] }) => attachments.length), [1, 2, 0]);
  // Counted in the order of the import: by alias.
  const pdfs = aliases("pdf").sort().map((alias) => json("pdf", alias, "template.json").variables);
  const mail = json("email", "invoice", "template.json").variables;
  for (const { email, variables: own = {}, attachments = [] } of to) {
    assert.deepEqual(missingVariables(mail, mergeVariables(variables, own)), [], email);
    for (const attachment of attachments) {
      const merged = mergeVariables(variables, own, attachment.variables ?? {});
      assert.deepEqual(missingVariables(pdfs[attachment.id - 1], merged), [], email);
    }
  }
});

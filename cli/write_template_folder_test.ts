import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { filesOf } from "@posthaste/bundle";
import type { DraftSource } from "@posthaste/contracts";
import { type WriteOptions, writeTemplateFolder } from "./write_template_folder.ts";

const SOURCE: DraftSource = {
  ...{ subject: "Hello", html: "<p>x</p>", text: "", filename: "", variables: [] },
  ...{ locale: "en", page: null, sample: {} },
};
const fileOf = (alias: string, change: Partial<DraftSource> = {}) =>
  filesOf({ kind: "email", alias, name: "Mail", source: { ...SOURCE, ...change } });
const ALL: WriteOptions = { prune: false, isMeant: () => true };

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-pull-"));
  const write = async (files: Record<string, string>, options = ALL) => {
    const pulled = await writeTemplateFolder(folder, files, options);
    return pulled.map(({ alias, outcome }) => `${alias} ${outcome}`);
  };
  const read = (path: string) => readFile(join(folder, path), "utf8").catch(() => "none");
  return { folder, write, read, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test("writeTemplateFolder() writes files that differ, and leaves equal ones unchanged", async () => {
  await using made = await openFolder();
  assert.deepEqual(await made.write({ ...fileOf("a"), ...fileOf("b") }), ["a new", "b new"]);
  const mine = '{ "name": "Mail" }';
  await writeFile(join(made.folder, "email/a/template.json"), mine);
  const mjml = "<mjml></mjml>";
  const again = { ...fileOf("a"), ...fileOf("b", { html: mjml }) };
  assert.deepEqual(await made.write(again), ["a unchanged", "b updated"]);
  assert.equal(await made.read("email/a/template.json"), mine);
  // Two bodies would be a fault.
  assert.equal(await made.read("email/b/body.html.hbs"), "none");
  assert.equal(await made.read("email/b/body.mjml"), mjml);
});

test("writeTemplateFolder() removes templates only on request, and no other files", async () => {
  await using made = await openFolder();
  await made.write({ ...fileOf("a"), ...fileOf("b"), ...fileOf("c") });
  await writeFile(join(made.folder, "email/b/notes.txt"), "mine");
  assert.deepEqual(await made.write(fileOf("a")), ["a unchanged"]);
  const isMeant = ({ alias }: { alias: string }) => alias !== "c";
  assert.deepEqual(await made.write(fileOf("a"), { prune: true, isMeant }), [
    ...["a unchanged", "b removed"],
  ]);
  assert.equal(await made.read("email/b/notes.txt"), "mine");
  assert.equal(await made.read("email/b/subject.hbs"), "none");
  assert.equal(await made.read("email/c/subject.hbs"), "Hello");
});

test("writeTemplateFolder() writes partials and the brand, and removes them only beside others", async () => {
  await using made = await openFolder();
  const shared = { "partials/foot.hbs": "x\n", "partials/city.hbs": "y", "brand.json": "{}\n" };
  assert.deepEqual(await made.write({ ...fileOf("a"), ...shared }), [
    ...["a new", "foot new", "city new", "@brand new"],
  ]);
  await writeFile(join(made.folder, "brand.json"), "{ }");
  const prune = { ...ALL, prune: true };
  const { "partials/city.hbs": _, ...less } = shared;
  const changed = { ...less, "partials/foot.hbs": "z" };
  assert.deepEqual(await made.write({ ...fileOf("a"), ...changed }, prune), [
    ...["a unchanged", "foot updated", "@brand unchanged", "city removed"],
  ]);
  assert.equal(await made.read("brand.json"), "{ }");
  assert.deepEqual(await made.write(fileOf("a"), prune), ["a unchanged"]);
  assert.equal(await made.read("partials/foot.hbs"), "z");
});

test("writeTemplateFolder() writes nothing if one path leads elsewhere", async () => {
  await using made = await openFolder();
  const names = [
    "../x.hbs",
    "email/../subject.hbs",
    "email/a/../../x",
    "email/a/run.sh",
    "/etc/x",
    "partials/../x.hbs",
    "partials/A.hbs",
  ];
  for (const path of names) {
    await assert.rejects(
      made.write({ ...fileOf("a"), [path]: "x" }),
      /it is not a file of a template/,
    );
  }
  assert.equal(await made.read("email/a/subject.hbs"), "none");
});

test("writeTemplateFolder() writes the languages of a template, and removes those that are gone", async () => {
  await using made = await openFolder();
  const body = { subject: "Hallo", html: "<p>", text: "", filename: "" };
  const both = fileOf("a", { variants: { de: body, "pt-BR": body } });
  assert.deepEqual(await made.write(both), ["a new"]);
  assert.equal(await made.read("email/a/pt-BR/subject.hbs"), "Hallo");
  assert.deepEqual(await made.write(both), ["a unchanged"]);
  await writeFile(join(made.folder, "email/a/de/notes.txt"), "mine");
  assert.deepEqual(await made.write(fileOf("a")), ["a updated"]);
  assert.deepEqual((await readdir(join(made.folder, "email/a"))).sort(), [
    ...["body.html.hbs", "de", "subject.hbs", "template.json"],
  ]);
  assert.deepEqual(await readdir(join(made.folder, "email/a/de")), ["notes.txt"]);
  for (const path of ["email/a/../subject.hbs", "email/a/de/../subject.hbs", "email/a/de/x.hbs"]) {
    await assert.rejects(made.write({ [path]: "x" }), /not a file of a template/);
  }
});

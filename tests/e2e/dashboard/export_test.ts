import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkTemplateFolder } from "@posthaste/cli/import_templates";
import { nightly } from "@posthaste/kit";
import { openSandbox } from "@posthaste/templating";
import type { Locator, Page } from "playwright-core";
import { keepFile } from "../keep_file.ts";
import { pngOf } from "../png_of.ts";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";

nightly(
  "services/dashboard/bundle_test.ts",
  "services/dashboard/web/src/pages/templates/tar_archive_test.ts",
);

let fixture: DashboardFixture;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthaste-export-"));
  fixture = await openDashboardFixture();
});
after(async () => {
  await fixture?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test("one button exports all templates and files, as a folder that can be imported", async () => {
  const { system, people: { editor } } = fixture;
  const logo = pngOf(4, 3);
  await keepFile(system, {
    ...{ name: "logo", filename: "Our logo.png", contentType: "image/png", alt: "Shop" },
    bytes: logo,
  });
  const html = '<img src="{{asset "logo"}}" alt="Shop"><p>Grüße, {{name}}</p>\n';
  await system.publishEmail({ subject: "Hi {{name}}", html, alias: "hello" });
  const { id } = await editor.ask<{ id: number }>("POST", "/templates/pdf", {
    ...{ name: "Letter", example: "letter", alias: "letter" },
  });
  await using look = await fixture.look("/pdf-templates", { who: "viewer" });
  const { page, faults } = look;
  await untilShown(page);
  await expectNoAxeViolations(page);
  const unpublished = await exported(page);
  assert.ok(!unpublished.includes("pdf/letter/body.html.hbs"), unpublished.join());
  await editor.ask("POST", `/templates/pdf/${id}/publish`, { revision: 1 });

  const files = await exported(page);
  assert.deepEqual(files.filter((file) => file.startsWith("email/") || /asset/.test(file)), [
    ...["assets.json", "assets/logo.png", "email/hello/body.html.hbs"],
    ...["email/hello/subject.hbs", "email/hello/template.json"],
  ]);
  const read = (file: string) => readFile(join(folder, "last", file));
  assert.equal(`${await read("email/hello/body.html.hbs")}`, html);
  assert.deepEqual(await read("assets/logo.png"), logo);
  await using sandbox = openSandbox({ workers: 1 });
  const { ready, warnings } = await checkTemplateFolder(join(folder, "last"), sandbox);
  assert.deepEqual(ready.map(({ alias, errors }) => [alias, errors]), [
    ...[["hello", []], ["letter", []]],
  ]);
  assert.deepEqual(warnings.filter(({ file }) => file.startsWith("assets")), []);
  assert.deepEqual(faults, []);
});

test("an export asks for the aliases that templates lack, and is the same after it is imported", async () => {
  const { system, people: { editor } } = fixture;
  const unpublished = await editor.ask<{ id: number }>("POST", "/templates/email", {
    ...{ name: "Nameless", example: "empty" },
  });
  const templateId = await system.publishEmail({ subject: "Hi", html: "<p>Hi</p>" });
  const { id } = await editor.ask<{ id: number }>("POST", "/templates/pdf", {
    ...{ name: "Große Rechnung", example: "letter" },
  });
  await editor.ask("POST", `/templates/pdf/${id}/publish`, { revision: 1 });
  {
    await using look = await fixture.look("/email-templates", { who: "viewer" });
    await untilShown(look.page);
    await look.page.getByRole("button", { name: "Export all" }).click();
    const reason = look.page.getByText(
      `templates without an alias as files. Give them aliases: email/${templateId}, pdf/${id}`,
    );
    await reason.waitFor();
  }
  await using look = await fixture.look("/email-templates", { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  await page.getByRole("button", { name: "Export all" }).click();
  const dialog = page.getByRole("dialog", { name: "Aliases for the export" });
  const pdf = dialog.getByRole("textbox", { name: "Große Rechnung" });
  assert.equal(await pdf.inputValue(), "grosse-rechnung");
  // What is not published is not exported, and needs none.
  assert.equal(await dialog.getByRole("textbox").count(), 2);
  await expectNoAxeViolations(page);
  await pdf.fill("letter");
  await dialog.getByRole("button", { name: "Save and export" }).click();
  await dialog.getByText("Another template has this alias").waitFor();
  await pdf.fill("bill");
  const files = await exported(page, dialog.getByRole("button", { name: "Save and export" }));
  assert.ok(files.includes("pdf/bill/body.html.hbs"), files.join());
  assert.equal(files.filter((file) => /^email\/.*\/template\.json$/.test(file)).length, 2);
  const read = async () => {
    const paths = files.filter((file) => /^(?:email|pdf)\//.test(file));
    const texts = paths.map((path) => readFile(join(folder, "last", path), "utf8"));
    return Object.fromEntries((await Promise.all(texts)).map((text, at) => [paths[at], text]));
  };
  const plan = await fixture.people.owner.ask<{ changes: unknown[] }>("POST", "/bundle/plan", {
    ...{ files: await read(), publish: true },
  });
  assert.deepEqual(plan.changes, []);
  const { alias } = await editor.ask<{ alias: string | null }>(
    ...["GET", `/templates/email/${unpublished.id}`] as const,
  );
  assert.equal(alias, null);
  assert.deepEqual(faults, []);
});

/** Presses the button, and returns the paths of the files. */
async function exported(
  page: Page,
  button: Locator = page.getByRole("button", { name: "Export all" }),
): Promise<string[]> {
  const saving = page.waitForEvent("download");
  await button.click();
  const download = await saving;
  assert.equal(download.suggestedFilename(), "templates.tar.gz");
  const archive = join(folder, "templates.tar.gz");
  await download.saveAs(archive);
  await rm(join(folder, "last"), { recursive: true, force: true });
  await mkdir(join(folder, "last"));
  execFileSync("tar", ["xzf", archive, "-C", join(folder, "last")]);
  return execFileSync("tar", ["tzf", archive], { encoding: "utf8" }).trim().split("\n").sort();
}

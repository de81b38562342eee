import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { type DashboardFixture, untilShown } from "./dashboard_fixture.ts";
import type { SeedIds } from "./seed.ts";
import {
  openSeededDashboardFixture,
  type SeededDashboardFixture,
} from "./seeded_dashboard_fixture.ts";

nightly("services/dashboard/suppressions_test.ts", "tests/e2e/dashboard/pages_test.ts");

let fixture: DashboardFixture;
let seed: SeedIds;
let opened: SeededDashboardFixture;
before(async () => {
  opened = await openSeededDashboardFixture();
  ({ fixture, seed } = opened);
});
after(() => opened?.[Symbol.asyncDispose]());

const dialogOf = (page: Page) => page.getByRole("dialog");
const rowOf = (page: Page, email: string) => page.getByRole("row").filter({ hasText: email });

test("a suppressed message shows why and since when, and leads to its entry, which can be removed", async () => {
  await using look = await fixture.look(`/messages/${seed.suppressedId}`, { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  const verdict = page.getByRole("status").filter({
    hasText: "Not sent: the address is suppressed",
  });
  await verdict.getByText("Added by hand, on the list since 3 days ago").waitFor();
  await verdict.getByRole("link", { name: "Show it on the list" }).click();
  await rowOf(page, "left@gone.example").waitFor();
  assert.equal(await page.getByRole("row").count(), 2, "the head, and the entry alone");
  await page.getByRole("button", { name: "Remove left@gone.example" }).click();
  await dialogOf(page).getByRole("button", { name: "Remove" }).click();
  await page.getByText("left@gone.example gets mail again", { exact: true }).waitFor();
  await page.getByText("No addresses match").waitFor();
  await page.goBack();
  await page.getByText("The address is no longer on the list").waitFor();
  assert.deepEqual(faults, []);
});

test("an address is added, found by a part of it, and exported", async () => {
  await using look = await fixture.look("/suppressions", { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  await page.getByRole("button", { name: "Add address" }).click();
  const field = dialogOf(page).getByRole("textbox", { name: "Address" });
  await field.fill("not an@address");
  await dialogOf(page).getByRole("button", { name: "Suppress" }).click();
  await dialogOf(page).getByText(/^Must not contain blanks/).waitFor();
  await field.fill("=Tea@typed.example");
  await dialogOf(page).getByRole("button", { name: "Suppress" }).click();
  await dialogOf(page).waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Address" }).fill("TYPED.ex");
  await rowOf(page, "=tea@typed.example").getByText("Added by hand").waitFor();
  await page.getByText("left@gone.example").waitFor({ state: "detached" });
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export" }).click();
  const text = await readFile(await (await downloading).path(), "utf8");
  assert.match(text, /^'=tea@typed\.example,manual,/m);
  assert.deepEqual(faults, []);
});

test("a file is imported after a dry look, which names the lines that are not valid", async () => {
  await using look = await fixture.look("/suppressions", { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  await page.getByRole("button", { name: "Import" }).click();
  const choosing = page.waitForEvent("filechooser");
  await dialogOf(page).getByRole("button", { name: "Choose a file" }).click();
  const text = "Name;E-mail\nA;one@file.example\nB;two@file.example\nC;nobody@gone.example\nD;x\n";
  await (await choosing).setFiles({
    ...{ name: "list.csv", mimeType: "application/vnd.ms-excel", buffer: Buffer.from(text) },
  });
  const plan = dialogOf(page).getByRole("list", { name: "What the import does" });
  await plan.waitFor();
  assert.deepEqual(await plan.getByRole("listitem").allTextContents(), [
    "2 new addresses",
    "1 address is on the list already and will not change",
    "1 line is not valid and will be left out",
  ]);
  await dialogOf(page).getByText("Line 5: the address must be one address").waitFor();
  assert.equal(await page.getByText("one@file.example").count(), 0);
  await dialogOf(page).getByRole("button", { name: "Import 2 addresses" }).click();
  await rowOf(page, "one@file.example").getByText("Imported").waitFor();
  assert.deepEqual(faults, []);
});

test("an owner switches off that refused addresses are added, and others only read it", async () => {
  await using look = await fixture.look("/suppressions");
  const { page } = look;
  await untilShown(page);
  const choice = page.getByRole("switch", { name: /^Add addresses that a server refuses/ });
  await choice.click();
  await page.getByText("Refused addresses are no longer added").waitFor();
  await using editors = await fixture.look("/suppressions", { who: "editor" });
  await editors.page.getByText("Addresses that servers refuse are not added.").waitFor();
  assert.equal(await editors.page.getByRole("switch").count(), 0);
  await choice.click();
  await page.getByText("Refused addresses are added", { exact: true }).waitFor();
});

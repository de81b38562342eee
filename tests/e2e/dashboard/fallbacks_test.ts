import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";

nightly("services/dashboard/integrations_test.ts", "tests/e2e/failover_test.ts");

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

const LABEL = "If it fails, send through";

test("an owner sets fallbacks in their order; an editor may remove one, and adds none", async () => {
  const [main, second, third] = await connect("Main", "Second", "Third");
  await using owners = await fixture.look(`/integrations/${main}`);
  const { page } = owners;
  await untilShown(page);
  await pick(page, "Third");
  await pick(page, "Second");
  await expectNoAxeViolations(page);
  await save(page);
  await page.getByText("The integration was saved").waitFor();
  assert.deepEqual(await stored(main), [third, second]);

  await using editors = await fixture.look(`/integrations/${main}`, { who: "editor" });
  await untilShown(editors.page);
  await remove(editors.page);
  await save(editors.page);
  await editors.page.getByText("The integration was saved").waitFor();
  assert.deepEqual(await stored(main), [third]);

  await pick(editors.page, "Second");
  await save(editors.page);
  await editors.page.getByText("Requires the owner role", { exact: true }).waitFor();
  assert.deepEqual(await stored(main), [third]);
  assert.deepEqual([...owners.faults, ...editors.faults], []);
});

test("a viewer sees the fallbacks, and the form does not offer an integration itself", async () => {
  const [main, second] = await connect("Alone", "Beside");
  await using owners = await fixture.look(`/integrations/${main}`);
  await untilShown(owners.page);
  await openList(owners.page);
  await owners.page.getByRole("option", { name: "Beside", exact: true }).waitFor();
  assert.equal(await owners.page.getByRole("option", { name: "Alone", exact: true }).count(), 0);
  await owners.page.keyboard.press("Escape");
  await pick(owners.page, "Beside");
  await save(owners.page);
  await owners.page.getByText("The integration was saved").waitFor();

  await using viewers = await fixture.look(`/integrations/${main}`, { who: "viewer" });
  await untilShown(viewers.page);
  await viewers.page.getByRole("row", { name: LABEL }).getByText(`Integration ${second}`).waitFor();
  assert.equal(await field(viewers.page).count(), 0);
});

async function connect(...names: string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const name of names) ids.push(await fixture.system.connect(25, { name }));
  return ids;
}

async function stored(id = 0): Promise<readonly number[] | undefined> {
  const { system: { store, accountId } } = fixture;
  return (await store.integrations.find(accountId, id))?.fallbacks;
}

function field(page: Page) {
  return page.getByRole("combobox", { name: LABEL });
}

async function pick(page: Page, name: string): Promise<void> {
  await openList(page);
  await page.getByRole("option", { name, exact: true }).click();
  await page.keyboard.press("Escape");
}

/** Opens the list by the keyboard: chosen ones cover the field. */
async function openList(page: Page): Promise<void> {
  await field(page).press("Space");
}

/** Removes the last one that is chosen. */
async function remove(page: Page): Promise<void> {
  await field(page).press("Backspace");
  await page.keyboard.press("Escape");
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save changes" }).click();
}

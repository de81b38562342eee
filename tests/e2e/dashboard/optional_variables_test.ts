import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";
import { untilSaved } from "./until_saved.ts";

nightly("services/dashboard/templates_test.ts");

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

interface Written {
  id: number;
  revision: number;
  draft: { variables: { name: string; required: boolean }[] };
}

const HTML = "<p>Dear {{name}} of {{city}}{{#if note}}, {{note}}{{/if}}</p>";
const SAMPLE = { name: "Ada", city: "Oslo", note: "hello", number: "7" };

async function makeTemplate(): Promise<Written> {
  const { ask } = fixture.people.editor;
  const made = await ask<Written>("POST", "/templates/email", { name: "Order", example: "empty" });
  return await ask<Written>("PUT", `/templates/email/${made.id}/draft`, {
    revision: made.revision,
    source: {
      ...made.draft,
      subject: "Order {{number}}",
      html: HTML,
      sample: SAMPLE,
      variables: [],
    },
  });
}

async function declared(id: number): Promise<[string, boolean][]> {
  const { draft } = await fixture.people.owner.ask<Written>("GET", `/templates/email/${id}`);
  return draft.variables.map(({ name, required }) => [name, required]);
}

test("one click makes optional all variables that publishing would require", async () => {
  const { id } = await makeTemplate();
  await using look = await fixture.look(`/email-templates/${id}`, { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  await page.getByRole("tab", { name: "Variables", exact: true }).click();
  await page.getByText("Every message prints number, name, city.", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Make them optional" }).click();
  await page.getByRole("button", { name: "Make them optional" }).waitFor({ state: "detached" });
  await untilSaved(page);
  const optional = ["number", "name", "city"].map((name) => [name, false]);
  assert.deepEqual(await declared(id), optional);
  await expectNoAxeViolations(page);
  await publish(id);
  assert.deepEqual(await declared(id), optional);
  assert.deepEqual(faults, []);
});

test("without the click, publishing requires them", async () => {
  const { id } = await makeTemplate();
  await publish(id);
  assert.deepEqual(await declared(id), ["number", "name", "city"].map((name) => [name, true]));
});

async function publish(id: number): Promise<void> {
  const { ask } = fixture.people.editor;
  const path = `/templates/email/${id}`;
  const { revision } = await ask<Written>("GET", path);
  await ask("POST", `${path}/publish`, { revision });
}

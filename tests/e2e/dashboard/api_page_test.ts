import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";

nightly("services/dashboard/api_page_test.ts", "tests/e2e/dashboard/pages_test.ts");

const PATH = "/v1/templates/{id}";

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

test("a person tries a request with a token, which stays in the memory of the page", async () => {
  const { system } = fixture;
  const id = await system.publishEmail({ subject: "Hello", html: "<p>Hello</p>" });
  await using look = await fixture.look("/api-reference", { who: "viewer" });
  const { page, faults } = look;
  await untilShown(page);
  const requested: { url: string; body: string | null }[] = [];
  page.on("request", (request) => {
    requested.push({ url: request.url(), body: request.postData() });
  });
  await page.getByText(PATH, { exact: true }).click();
  const send = page.getByRole("button", { name: "Send request" });
  await page.getByRole("textbox", { name: "id", exact: true }).filter({ visible: true }).fill(
    `${id}`,
  );
  assert.equal(await send.isDisabled(), true);

  const token = page.getByLabel("Access token", { exact: true });
  await token.fill("ph_wrong");
  await send.click();
  const refusal = page.getByRole("alert").filter({ hasText: "The token does not work here" });
  await refusal.waitFor();

  await token.fill(system.token);
  await send.click();
  await refusal.waitFor({ state: "detached" });
  // Hidden parts have no role.
  const answer = page.getByRole("region").filter({ has: send }).last();
  await answer.getByText("200", { exact: true }).waitFor();
  const { body } = await system.get(`/templates/${id}`);
  assert.ok((await answer.innerText()).includes(JSON.stringify(body, null, 2)));

  const isCarrier = ({ url, body }: (typeof requested)[number]) =>
    `${url} ${body}`.includes(system.token);
  const carriers = requested.filter(isCarrier);
  assert.deepEqual(carriers.map(({ url }) => url), [`${fixture.url}/api/interface/try`]);
  assert.ok(!(await keptOf(page)).includes(system.token));
  await page.reload();
  await untilShown(page);
  assert.equal(await token.inputValue(), "");
  assert.deepEqual(faults, []);
});

/** Returns all that a page keeps: its address, its history's state, its stores and its cookies. */
async function keptOf(page: Page): Promise<string> {
  const kept = await page.evaluate(async () => ({
    ...{ address: location.href, state: history.state },
    ...{ local: { ...localStorage }, session: { ...sessionStorage } },
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
  }));
  assert.deepEqual([kept.databases, kept.caches], [[], []]);
  return JSON.stringify([kept, await page.context().cookies()]);
}

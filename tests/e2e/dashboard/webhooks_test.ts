import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { verify } from "@posthaste/client/webhooks";
import { nightly, until } from "@posthaste/kit";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";

nightly("services/dashboard/webhooks_test.ts", "services/webhooks/webhooks_test.ts");

const stack = new AsyncDisposableStack();
const heard: { headers: IncomingHttpHeaders; body: string }[] = [];
let status = 204;
let url: string;
let fixture: DashboardFixture;
before(async () => {
  fixture = stack.use(await openDashboardFixture());
  const server = createServer(async (request, response) => {
    heard.push({ headers: request.headers, body: await text(request) });
    response.writeHead(status).end();
  });
  stack.defer(() => void server.close());
  stack.defer(() => server.closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
});
after(() => stack.disposeAsync());

/** Records an event of an integration. */
async function happen(id: string): Promise<void> {
  const { system: { store, accountId } } = fixture;
  await store.events.record([{
    ...{ _id: id, accountId, at: new Date(), type: "integration.paused" },
    data: { integrationId: 1, reason: "A holiday" },
  }]);
}

const postsOf = (text: string) => heard.filter(({ body }) => body.includes(text));

test("an editor tests a webhook, reads a delivery, posts it again, and replaces its secret", async () => {
  await using look = await fixture.look("/webhooks", { who: "editor" });
  const { page, faults } = look;
  await untilShown(page);
  await page.getByRole("button", { name: "Add webhook" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "URL" }).fill(url);
  await dialog.getByRole("textbox", { name: "Description" }).fill("Shop");
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  const secret = await dialog.getByText(/^whsec_/).first().textContent() ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("main").getByRole("link").filter({ hasText: "hooks" }).click();

  await page.getByRole("button", { name: "Send test event" }).click();
  await page.getByText(/^The endpoint answered 204 in \d+ ms$/).waitFor();
  const [tried] = postsOf("webhook.test");
  assert.ok(tried);
  assert.equal((await verify(tried.body, tried.headers, secret)).type, "webhook.test");

  status = 500;
  await happen("evt_screen_1");
  await until(() => postsOf("evt_screen_1").length > 0, { message: "the event" });
  status = 204;
  await page.reload();
  await page.getByRole("row").filter({ hasText: "integration.paused" }).getByRole("button").click();
  await dialog.getByText("Answer 500").waitFor();
  await dialog.getByText(/"reason": ?"A holiday"/).waitFor();
  const before = postsOf("evt_screen_1").length;
  await dialog.getByRole("button", { name: "Post again" }).click();
  await page.getByText("The event is posted again").waitFor();
  await until(() => postsOf("evt_screen_1").length > before, { message: "the replay" });
  await dialog.getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByRole("button", { name: "Enable", exact: true }).click();
  await page.getByRole("button", { name: "Disable", exact: true }).waitFor();
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Rotate secret" }).click();
  const second = await dialog.getByText(/^whsec_/).first().textContent() ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText(/The old secret signs until/).waitFor();
  await happen("evt_screen_2");
  await until(() => postsOf("evt_screen_2").length > 0, { message: "the event of both secrets" });
  const [{ body, headers } = assert.fail()] = postsOf("evt_screen_2");
  assert.notEqual(second, secret);
  for (const each of [secret, second]) await verify(body, headers, each);
  assert.deepEqual(faults, []);
});

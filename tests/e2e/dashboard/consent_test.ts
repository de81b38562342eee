import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import type { Page } from "playwright-core";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";

nightly("services/dashboard/consent_test.ts", "services/dashboard/web/src/consent_request_test.ts");

let fixture: DashboardFixture;
before(async () => {
  fixture = await openDashboardFixture();
});
after(() => fixture?.[Symbol.asyncDispose]());

const BACK = "/oauth/callback";
const SECRET = "canary-secret";

/** What the stub of the provider was asked. */
interface Provider {
  asked: URL[];
  /** What it sends back. */
  answer: (asked: URLSearchParams) => Record<string, string>;
}

const CONSENTED: Provider["answer"] = (asked) => ({
  code: "4/code",
  state: asked.get("state") ?? "",
});

/** Puts a page in the provider's place, which returns the person at a click. */
async function stubProvider(page: Page, answer = CONSENTED): Promise<Provider> {
  const provider: Provider = { asked: [], answer };
  await page.route("https://accounts.google.com/**", async (route) => {
    const asked = new URL(route.request().url());
    provider.asked.push(asked);
    const back = new URL(asked.searchParams.get("redirect_uri") ?? "");
    back.search = new URLSearchParams(provider.answer(asked.searchParams)).toString();
    const body = `<a href="${back.href.replaceAll("&", "&amp;")}">Return</a>`;
    await route.fulfill({ contentType: "text/html", body });
  });
  return provider;
}

/** Answers in the place of the mailer, whose provider is not reached here. */
async function stubExchange(page: Page): Promise<{ url: string; body: Record<string, string> }[]> {
  const exchanges: { url: string; body: Record<string, string> }[] = [];
  await page.route("**/api/integrations/*/consent", async (route) => {
    const request = route.request();
    exchanges.push({ url: request.url(), body: request.postDataJSON() });
    await route.fulfill({ json: {} });
  });
  return exchanges;
}

async function create(page: Page, name: string): Promise<number> {
  page.setDefaultTimeout(20_000);
  await untilShown(page);
  await page.getByRole("combobox", { name: "Provider", exact: true }).click();
  await page.getByRole("option", { name: "Gmail and Google Workspace" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("combobox", { name: "Login", exact: true }).click();
  await page.getByRole("option", { name: "OAuth 2: a person gives consent" }).click();
  await page.getByRole("textbox", { name: "Mailbox" }).fill("shop@example.com");
  await page.getByLabel("Client id").fill("1.apps.googleusercontent.com");
  await page.getByLabel("Client secret").and(page.locator("input")).fill(SECRET);
  await page.getByLabel("Sender addresses").and(page.locator("input")).fill("shop@example.com");
  await page.getByText(`${fixture.url}${BACK}`).waitFor();
  await expectNoAxeViolations(page);
  await page.getByRole("button", { name: "Create integration" }).click();
  await page.getByRole("button", { name: "Give consent" }).waitFor();
  return Number(/\/integrations\/(\d+)$/.exec(new URL(page.url()).pathname)?.[1]);
}

async function consent(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Give consent" }).click();
  await page.getByRole("link", { name: "Return" }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
}

test("an editor sets up a login by consent, and gives it at the provider", async () => {
  await using look = await fixture.look("/integrations/new", { who: "editor" });
  const { page } = look;
  const provider = await stubProvider(page);
  const exchanges = await stubExchange(page);
  const id = await create(page, "By consent");
  assert.doesNotMatch(await page.content(), new RegExp(SECRET));
  await expectNoAxeViolations(page);
  await consent(page);
  await page.getByText("Consent was given").waitFor();
  assert.equal(page.url(), `${fixture.url}${BACK}`, "the code is not in the address");
  await expectNoAxeViolations(page);

  const [asked] = provider.asked;
  const [exchange] = exchanges;
  assert.ok(asked && exchange && exchanges.length === 1);
  assert.match(exchange.url, new RegExp(`/api/integrations/${id}/consent$`));
  const { code, codeVerifier = "", redirectUri } = exchange.body;
  assert.equal(code, "4/code");
  assert.equal(redirectUri, `${fixture.url}${BACK}`);
  const challenge = createHash("sha256").update(codeVerifier).digest("base64url");
  assert.equal(asked.searchParams.get("code_challenge"), challenge);
  assert.equal(asked.searchParams.get("login_hint"), "shop@example.com");

  // The same redirect again.
  const state = asked.searchParams.get("state") ?? "";
  await page.goto(`${fixture.url}${BACK}?code=4/code&state=${state}`);
  await page.getByText("No consent is open").waitFor();
  assert.equal(exchanges.length, 1);
  await page.goto(`${fixture.url}/integrations/${id}`);
  await page.getByRole("button", { name: "Give consent" }).waitFor();
  assert.deepEqual(look.faults, []);
});

test("a redirect with another state, or of another tab, is not exchanged", async () => {
  await using look = await fixture.look("/integrations/new");
  const { page } = look;
  await stubProvider(page, () => ({ code: "4/attacker", state: "another" }));
  const exchanges = await stubExchange(page);
  await create(page, "Attacked");
  await consent(page);
  await page.getByText("No consent is open").waitFor();
  await page.goto(`${fixture.url}${BACK}?code=4/attacker&state=another&error_description=Pay%20me`);
  await page.getByText("No consent is open").waitFor();
  assert.equal(await page.getByText("Pay me").count(), 0, "a stranger's words are not shown");
  assert.deepEqual(exchanges, []);
  assert.deepEqual(look.faults, []);
});

test("a consent of one person is not ended by another, nor in another account", async () => {
  for (const who of ["editor", "newcomer"] as const) {
    await using look = await fixture.look("/integrations/new");
    const { page } = look;
    await stubProvider(page);
    const exchanges = await stubExchange(page);
    await create(page, `Left to the ${who}`);
    await page.getByRole("button", { name: "Give consent" }).click();
    const back = page.getByRole("link", { name: "Return" });
    await back.waitFor();
    const cookie = { ...fixture.people[who].cookie, domain: "localhost", path: "/", secure: true };
    await page.context().addCookies([cookie]);
    await back.click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("Posthaste", { exact: true }).first().waitFor();
    assert.equal(await page.getByText("Consent was given").count(), 0);
    assert.deepEqual(exchanges, []);
    assert.equal(page.url(), `${fixture.url}${BACK}`);
    assert.deepEqual(look.faults, []);
  }
});

test("an error of the provider is shown as text, and leads back to the integration", async () => {
  await using look = await fixture.look("/integrations/new");
  const { page } = look;
  await stubProvider(page, (asked) => ({
    ...{ error: "access_denied", error_description: "<img src=x onerror=alert(1)>" },
    state: asked.get("state") ?? "",
  }));
  const exchanges = await stubExchange(page);
  const id = await create(page, "Refused");
  await consent(page);
  await page.getByText("The consent was refused (access_denied: <img src=x").waitFor();
  await expectNoAxeViolations(page);
  assert.deepEqual(exchanges, []);
  await page.getByRole("link", { name: "Open the integration" }).click();
  await page.getByRole("button", { name: "Give consent" }).waitFor();
  assert.match(page.url(), new RegExp(`/integrations/${id}$`));
  assert.deepEqual(look.faults, []);
});

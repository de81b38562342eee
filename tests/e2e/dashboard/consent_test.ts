/** Consents at a provider that checks them, whose codes the mailer exchanges and by whose tokens it sends. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  type FaultyOauth,
  nightly,
  openFaultyOauth,
  openFaultySmtp,
  testCertificate,
  until,
} from "@posthaste/kit";
import type { Page } from "playwright-core";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openOwnDashboardFixture, untilShown } from "./dashboard_fixture.ts";

nightly(
  "services/dashboard/consent_test.ts",
  "services/dashboard/web/src/consent_request_test.ts",
  "services/mailer/oauth/consent_step_test.ts",
  "services/mailer/oauth/login_by_token_test.ts",
);

const BACK = "/oauth/callback";
const CLIENT = { id: "1.apps.googleusercontent.com", secret: "canary-secret" };
const MAILBOX = "shop@example.com";

let oauth: FaultyOauth;
let fixture: DashboardFixture;
let opened: AsyncDisposableStack;
before(async () => {
  await using stack = new AsyncDisposableStack();
  oauth = stack.use(await openFaultyOauth({ client: CLIENT, rotates: true }));
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-consent-"));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const ca = join(dataDir, "ca.pem");
  await writeFile(ca, testCertificate.cert);
  const address = `127.0.0.1:${new URL(oauth.origin).port}`;
  fixture = stack.use(
    await openOwnDashboardFixture({
      hosts: { "accounts.google.com": address, "login.microsoftonline.com": address },
      settings: {
        mailer: {
          NODE_EXTRA_CA_CERTS: ca,
          OAUTH_ENDPOINTS: [
            `google=https://${address}/token`,
            `microsoft=https://${address}/{tenant}/oauth2/v2.0/token`,
          ].join(),
        },
      },
    }),
  );
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** Where the mail of an integration goes. */
type Server = { preset: "Gmail and Google Workspace" } | { preset: "Microsoft 365"; port: number };

const GMAIL: Server = { preset: "Gmail and Google Workspace" };

async function create(page: Page, name: string, server = GMAIL): Promise<number> {
  page.setDefaultTimeout(20_000);
  await untilShown(page);
  await page.getByRole("combobox", { name: "Provider", exact: true }).click();
  await page.getByRole("option", { name: server.preset }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("combobox", { name: "Login", exact: true }).click();
  await page.getByRole("option", { name: "OAuth 2: a person gives consent" }).click();
  await page.getByRole("textbox", { name: "Mailbox" }).fill(MAILBOX);
  if ("port" in server) {
    await page.getByLabel("Tenant").fill("example.com");
    await page.getByLabel("Host").fill("127.0.0.1");
    await page.getByText("None", { exact: true }).click();
    await page.getByLabel("Port").fill(String(server.port));
  }
  await page.getByLabel("Client id").fill(CLIENT.id);
  await page.getByLabel("Client secret").and(page.locator("input")).fill(CLIENT.secret);
  await page.getByLabel("Sender addresses").and(page.locator("input")).fill(MAILBOX);
  await page.getByText(`${fixture.url}${BACK}`).waitFor();
  await expectNoAxeViolations(page);
  await page.getByRole("button", { name: "Create integration" }).click();
  await page.getByRole("button", { name: "Give consent" }).waitFor();
  return Number(/\/integrations\/(\d+)$/.exec(new URL(page.url()).pathname)?.[1]);
}

/** Goes to the provider, which returns the person at a click. */
async function consent(page: Page, answer: "Allow" | "Cancel" = "Allow"): Promise<void> {
  await page.getByRole("button", { name: "Give consent" }).click();
  await page.getByRole("link", { name: answer }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
}

test("an editor gives consent at the provider, and mail goes by its tokens until they are refused", async () => {
  let refuses = false;
  const tokens = new Set<string>();
  await using smtp = await openFaultySmtp({
    tokens: {
      accepts: (user, token) => {
        tokens.add(token);
        return !refuses && user === MAILBOX && oauth.isValid(token);
      },
    },
  });
  const { system } = fixture;
  const { store, accountId } = system;
  await using look = await fixture.look("/integrations/new", { who: "editor" });
  const { page } = look;
  const server = { preset: "Microsoft 365", port: smtp.port } as const;
  const integration = await create(page, "By consent", server);
  assert.doesNotMatch(await page.content(), new RegExp(CLIENT.secret));
  await expectNoAxeViolations(page);
  await consent(page);
  await page.getByText("Consent was given").waitFor();
  assert.equal(page.url(), `${fixture.url}${BACK}`, "the code is not in the address");
  await expectNoAxeViolations(page);
  assert.equal(oauth.consents.at(-1)?.get("login_hint"), MAILBOX);
  const exchanges = () => oauth.requests.filter((each) => "code" in each.form);
  const [exchange] = exchanges();
  assert.equal(exchange?.path, "/example.com/oauth2/v2.0/token");
  assert.equal(exchange.form["redirect_uri"], `${fixture.url}${BACK}`);

  // The same redirect again.
  const state = oauth.consents.at(-1)?.get("state");
  await page.goto(`${fixture.url}${BACK}?code=${exchange.form["code"]}&state=${state}`);
  await page.getByText("No consent is open").waitFor();
  assert.equal(exchanges().length, 1);

  const template = await system.publishEmail({ subject: "Note", html: "<p>Note" });
  const order = {
    ...{ template, integration, from: { email: MAILBOX } },
    to: [{ email: "jane@reader.example" }],
  };
  await system.untilDone((await system.send(order)).id);
  assert.deepEqual(smtp.records.map(({ user }) => user), [MAILBOX]);

  refuses = true;
  smtp.dropConnections();
  tokens.clear();
  const { id: waiting, messages } = await system.send(order);
  const found = await until(async () => {
    const { suspended } = await store.integrations.find(accountId, integration) ?? {};
    return suspended;
  });
  assert.match(
    found.reason,
    /^The SMTP server refused the access token\. .*must include SMTP\.Send$/,
  );
  assert.equal(tokens.size, 2, "the second one was fetched after the first refusal");
  const { state: stateOfMail, reason } = await until(async () => {
    const message = await system.message(messages[0]?.id ?? "");
    return message.reason !== null && message;
  });
  assert.deepEqual([stateOfMail, reason], ["deferred", found.reason]);
  const { token } = await store.tokens.create({ accountId, name: "events", scopes: ["list"] });
  const event = await until(async () => {
    const path = "/events?types=integration.suspended";
    const { body } = await system.get<{ data: { data: unknown }[] }>(path, { token });
    return body.data[0];
  });
  assert.deepEqual(event.data, { integrationId: integration, reason: found.reason });

  await page.goto(`${fixture.url}/integrations/${integration}`);
  const health = page.getByRole("region", { name: "Health" });
  await health.getByText("Suspended", { exact: true }).waitFor();
  await health.getByText(found.reason).first().waitFor();
  await expectNoAxeViolations(page);

  refuses = false;
  await consent(page);
  await page.getByText("Consent was given").waitFor();
  await system.untilDone(waiting);
  assert.equal(smtp.counts.accepted, 2);
  assert.deepEqual(smtp.counts.violations, []);
  assert.deepEqual(look.faults, []);
});

test("a redirect with another state, or of another tab, is not exchanged", async () => {
  await using look = await fixture.look("/integrations/new");
  const { page } = look;
  const before = oauth.requests.length;
  oauth.answerConsents(() => ({ code: "4/attacker", state: "another" }));
  await create(page, "Attacked");
  await consent(page);
  await page.getByText("No consent is open").waitFor();
  await page.goto(`${fixture.url}${BACK}?code=4/attacker&state=another&error_description=Pay%20me`);
  await page.getByText("No consent is open").waitFor();
  assert.equal(await page.getByText("Pay me").count(), 0, "a stranger's words are not shown");
  assert.equal(oauth.requests.length, before);
  assert.deepEqual(look.faults, []);
});

test("a code that another person's consent brought is refused by the provider", async () => {
  await using look = await fixture.look("/integrations/new");
  const { page } = look;
  // The attacker's own consent, which the victim's tab is made to end: only PKCE distinguishes them.
  const stolen = await codeOfAttacker();
  oauth.answerConsents((answer) => ({ ...answer, code: stolen }));
  const id = await create(page, "Injected");
  await consent(page);
  await page.getByText("The sign-in has expired, or was used before (Google: invalid_grant)")
    .waitFor();
  const { store, accountId } = fixture.system;
  const auth = (await store.integrations.find(accountId, id))?.auth;
  assert.ok(auth?.kind === "oauthRefreshToken");
  assert.deepEqual([auth.refreshToken, auth.consent], [null, null]);
  assert.deepEqual(look.faults, []);
});

/** Gives consent with a verifier that no tab has, and returns the code. */
async function codeOfAttacker(): Promise<string> {
  oauth.answerConsents(undefined);
  const context = await fixture.browser.newContext({ ignoreHTTPSErrors: true });
  try {
    const page = await context.newPage();
    const asked = new URLSearchParams({
      ...{ response_type: "code", client_id: CLIENT.id, scope: "mail", state: "s".repeat(43) },
      ...{ code_challenge_method: "S256", code_challenge: "c".repeat(43) },
      redirect_uri: `${fixture.url}${BACK}`,
    });
    await page.goto(`https://accounts.google.com/o/oauth2/v2/auth?${asked}`);
    const request = page.waitForRequest((each) => each.url().includes(`${BACK}?`));
    await page.getByRole("link", { name: "Allow" }).click();
    return new URL((await request).url()).searchParams.get("code") ?? "";
  } finally {
    await context.close();
  }
}

test("a consent of one person is not ended by another, nor in another account", async () => {
  oauth.answerConsents(undefined);
  const before = oauth.requests.length;
  for (const who of ["editor", "newcomer"] as const) {
    await using look = await fixture.look("/integrations/new");
    const { page } = look;
    await create(page, `Left to the ${who}`);
    await page.getByRole("button", { name: "Give consent" }).click();
    const back = page.getByRole("link", { name: "Allow" });
    await back.waitFor();
    const cookie = { ...fixture.people[who].cookie, domain: "localhost", path: "/", secure: true };
    await page.context().addCookies([cookie]);
    await back.click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("Posthaste", { exact: true }).first().waitFor();
    assert.equal(await page.getByText("Consent was given").count(), 0);
    assert.equal(oauth.requests.length, before);
    assert.equal(page.url(), `${fixture.url}${BACK}`);
    assert.deepEqual(look.faults, []);
  }
});

test("an error of the provider is shown as text, and leads back to the integration", async () => {
  await using look = await fixture.look("/integrations/new");
  const { page } = look;
  const before = oauth.requests.length;
  oauth.answerConsents((answer) => ({
    ...answer,
    error_description: "<img src=x onerror=alert(1)>",
  }));
  const id = await create(page, "Refused");
  await consent(page, "Cancel");
  await page.getByText("The consent was refused (access_denied: <img src=x").waitFor();
  await expectNoAxeViolations(page);
  assert.equal(oauth.requests.length, before);
  await page.getByRole("link", { name: "Open the integration" }).click();
  await page.getByRole("button", { name: "Give consent" }).waitFor();
  assert.match(page.url(), new RegExp(`/integrations/${id}$`));
  assert.deepEqual(look.faults, []);
});

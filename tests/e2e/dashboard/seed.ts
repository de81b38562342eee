import { freePort } from "@posthaste/embedded";
import { isTerminal, MESSAGE_STATES, type Variables } from "@posthaste/contracts";
import { openSmtpSink, type SmtpSink, until } from "@posthaste/kit";
import { keepFile } from "../keep_file.ts";
import { type AccountOfSystem, SENDER } from "../system.ts";
import type { DashboardFixture } from "./dashboard_fixture.ts";
import { hashOf, type Person } from "./person.ts";

/** Ids for the paths of pages. */
export interface SeedIds {
  readonly emailId: number;
  readonly pdfId: number;
  /**
   * Integrations with a server that accepts most mails, an unreachable one, one that accepts no mail, and one
   * that refuses the login.
   */
  readonly integrations: { good: number; unreachable: number; failing: number; suspended: number };
  /** A send of which some messages were sent, some failed, and some wait. */
  readonly sendId: string;
  /** A message that was sent with a PDF. */
  readonly sentId: string;
  readonly failedId: string;
  readonly deferredId: string;
  /** A message to a suppressed address. */
  readonly suppressedId: string;
  /** An open batch with recipients, and one whose messages were sent or have failed. */
  readonly batches: { open: string; closed: string };
  /** A webhook whose server is away. */
  readonly webhookId: string;
  /** The end of an invitation's link. */
  readonly invitation: string;
}

/** The content of the account of the tested pages. */
export interface Seed extends SeedIds, AsyncDisposable {
  readonly sink: SmtpSink;
}

const REFUSALS: Readonly<Record<string, string>> = {
  nobody: "550 5.1.1 <nobody@reader.example>: Recipient address rejected: User unknown",
  full: "552 5.2.2 Mailbox full",
  busy: "451 4.7.1 Greylisting in action, please come back later",
};

/** Fills the account: templates, integrations in every state, messages with every outcome, and people. */
export async function plantSeed(
  { system, people }: Pick<DashboardFixture, "system" | "people">,
): Promise<Seed> {
  await using opened = new AsyncDisposableStack();
  const { owner, editor } = people;
  const sink = opened.use(
    await openSmtpSink({
      script: ({ stage, address }) => {
        const reply = stage === "rcpt" ? REFUSALS[address.split("@")[0] ?? ""] : undefined;
        return reply === undefined ? undefined : { reply };
      },
    }),
  );
  await keepFiles(system);
  await suppressSome(system);
  const receipt = await writeTemplate(editor, { kind: "email", example: "receipt" });
  const invoice = await writeTemplate(editor, { kind: "pdf", example: "invoice" });
  await editor.ask("POST", "/templates/email", { name: "Welcome", example: "welcome" });
  await editor.ask("POST", "/templates/pdf", { name: "Letter", example: "letter" });
  await sharePartials(editor);
  const integrations = {
    good: await system.connect(sink.port, { name: "Main server" }),
    unreachable: await system.connect(await freePort(), { name: "Old server" }),
    failing: await system.connect(sink.port, { name: "Blocked server" }),
    suspended: await connectWithLogin(editor, sink.port),
  };
  const { id: sendId, messages } = await system.send({
    template: receipt.id,
    integration: integrations.good,
    variables: receipt.sample,
    to: ["Ada", "Nobody", "Full", "Busy", "Grace"].map((name, at) => ({
      email: `${name.toLowerCase()}@reader.example`,
      name: `${name} Reader`,
      variables: { name },
      ...(at === 0 ? { attachments: [{ id: invoice.id, variables: invoice.sample }] } : {}),
    })),
  });
  const webhookId = await addWebhook(owner);
  const to = [{ email: "linus@reader.example", variables: receipt.sample }];
  await system.send({ template: receipt.id, integration: integrations.unreachable, to });
  const suppressed = await system.send({
    ...{ template: receipt.id, integration: integrations.good },
    to: [{ email: "left@gone.example", variables: receipt.sample }],
  });
  const batches = await openBatches(system, {
    ...{ template: receipt.id, integration: integrations.good, variables: receipt.sample },
  });
  await suspend(system, integrations.suspended);
  await system.send({ template: receipt.id, integration: integrations.suspended, to });
  await fail(system, integrations.failing);
  await makeTokens(system, owner);
  const invitation = await inviteSomebody(system, owner);
  await system.untilResting(sendId);
  await system.untilResting(suppressed.id);
  const parts = opened.move();
  return {
    emailId: receipt.id,
    pdfId: invoice.id,
    integrations,
    sendId,
    sentId: messages[0]?.id ?? "",
    failedId: messages[1]?.id ?? "",
    deferredId: messages[3]?.id ?? "",
    suppressedId: suppressed.messages[0]?.id ?? "",
    batches,
    webhookId,
    invitation,
    sink,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="48">' +
  '<rect width="48" height="48" rx="12" fill="#e8590c"></rect>' +
  '<circle cx="84" cy="24" r="16" fill="#1971c2"></circle></svg>';

/** Keeps an image and another file. */
async function keepFiles({ store, accountId }: AccountOfSystem): Promise<void> {
  const files = [
    { name: "logo", filename: "logo.svg", contentType: "image/svg+xml", text: LOGO, alt: "Shop" },
    { name: "terms", filename: "terms.txt", contentType: "text/plain", text: "Terms", alt: "" },
  ];
  for (const { text, ...file } of files) {
    const size = file.name === "logo" ? { width: 160, height: 48 } : {};
    await keepFile({ store, accountId }, { ...file, ...size, bytes: Buffer.from(text) });
  }
}

/** Publishes a brand and a partial, and a template that has both, and begins a change of the partial. */
async function sharePartials({ ask }: Person): Promise<void> {
  const write = (name: string, revision: number, source: string) =>
    ask("PUT", `/partials/${name}/draft`, { revision, source });
  const footer = '<p style="color: {{@brand.color}}">{{@brand.name}}, 1 Market Street</p>\n';
  const brand = {
    ...{ color: "#e8590c", linkColor: "#1971c2", font: "Arial, Helvetica, sans-serif" },
    ...{ logo: "logo", name: "Shop Ltd" },
  };
  for (const [name, source] of [["@brand", JSON.stringify(brand)], ["footer", footer]] as const) {
    await write(name, 0, source);
    await ask("POST", `/partials/${name}/publish`, { revision: 1 });
  }
  const view = await ask<Written>("POST", "/templates/email", { name: "Newsletter" });
  const html = '<img src="{{asset @brand.logo}}" alt="Shop"><p>What is new?</p>\n{{> footer}}\n';
  const path = `/templates/email/${view.id}`;
  const { revision } = await ask<Written>("PUT", `${path}/draft`, {
    revision: view.revision,
    source: { ...view.draft, subject: "News", html },
  });
  await ask("POST", `${path}/publish`, { revision });
  await write("footer", 1, `${footer}<p>All prices include taxes.</p>\n`);
}

/** What the recipients of batches get. */
interface BatchOrder {
  template: number;
  integration: number;
  variables?: Variables;
}

/** Makes a batch in every state. */
export async function openBatches(
  { store, accountId, post }: Pick<AccountOfSystem, "store" | "accountId" | "post">,
  { template, integration, variables = {} }: BatchOrder,
): Promise<SeedIds["batches"]> {
  const write = async (path: string, body: unknown, key: string) => {
    const options = { headers: { "idempotency-key": `${integration}-${key}` } };
    const answer = await post<{ id: string }>(path, body, options);
    if (answer.status === 200) return answer.body.id;
    throw new Error(`Cannot write "${path}": ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const make = (name: string, changes = {}) =>
    write("/batches", {
      ...{ templateId: template, integrationId: integration, from: { email: SENDER }, variables },
      ...changes,
    }, name);
  const add = (id: string, names: readonly string[]) =>
    write(`/batches/${id}/recipients`, {
      to: names.map((name) => ({ email: `${name}@batch.example`, variables: { name } })),
    }, `${id}-${names[0]}`);
  const canceled = await make("canceled", { start: "now" });
  await store.batches.cancel(accountId, canceled, new Date());
  const closed = await make("closed");
  await add(closed, ["ada", "nobody", "grace"]);
  await add(closed, ["linus", "joan"]);
  await store.batches.close(accountId, closed, new Date());
  const open = await make("open");
  await add(open, Array.from({ length: 40 }, (_, n) => `reader${n}`));
  await until(async () => {
    const { states } = await store.batches.count(accountId, closed, 2000);
    return MESSAGE_STATES.every((state) => isTerminal(state) || !states[state]);
  }, { timeoutMs: 60_000, message: "the messages of the closed batch to end" });
  return { open, closed };
}

/** Puts addresses on the suppression list, one for each reason. */
export async function suppressSome(
  { store, accountId }: Pick<AccountOfSystem, "store" | "accountId">,
): Promise<void> {
  const at = (days: number) => new Date(Date.now() + days * DAY_MS);
  await store.suppressions.add(accountId, [
    { email: "left@gone.example", reason: "manual", at: at(-3) },
    { email: "holiday@reader.example", reason: "manual", at: at(-1), expiresAt: at(20) },
    { email: "old.newsletter.reader@gone.example", reason: "import", at: at(-200) },
    {
      ...{ email: "nobody@gone.example", reason: "hard_refusal", at: at(-40) },
      reply: { code: 550, enhanced: "5.1.1" },
    },
  ], { max: 1000 });
}

/** The ids of a new template. */
interface Written {
  id: number;
  revision: number;
  draft: { html: string; subject: string; sample: Record<string, string> };
}

/** Makes a template from an example, publishes two versions of it, and begins a third. */
async function writeTemplate(
  { ask }: Person,
  { kind, example }: { kind: "email" | "pdf"; example: string },
): Promise<{ id: number; sample: Record<string, string> }> {
  const name = `${example[0]?.toUpperCase()}${example.slice(1)}`;
  const alias = kind === "email" ? { alias: example } : {};
  let view = await ask<Written>("POST", `/templates/${kind}`, { name, example, ...alias });
  const path = `/templates/${kind}/${view.id}`;
  for (const version of [1, 2, 3]) {
    const edition = `<!-- Edition ${version} -->`;
    const html = kind === "pdf"
      ? `${view.draft.html}${edition}\n`
      : view.draft.html.replace("</mj-text>", `</mj-text>\n${edition}`);
    const source = { ...view.draft, html };
    const { revision } = view;
    view = await ask<Written>("PUT", `${path}/draft`, { revision, source });
    if (version === 3) break;
    view = await ask<Written>("POST", `${path}/publish`, { revision: view.revision });
  }
  return { id: view.id, sample: view.draft.sample };
}

/** Creates an integration with a login. */
async function connectWithLogin({ ask }: Person, port: number): Promise<number> {
  const { id } = await ask<{ id: number }>("POST", "/integrations", {
    ...{ name: "Server with a changed password", host: "127.0.0.1", port, tls: "none" },
    ...{ ca: null, allowInvalidCertificate: false },
    ...{ user: "shop", password: "the one of last year", authMethod: null, senders: [SENDER] },
    ...{ maxConnections: 5, maxPerMinute: null, retryForMs: 2 * DAY_MS, whenUnknown: "retry" },
  });
  return id;
}

/** Makes tokens in every state. */
async function makeTokens(
  { store, accountId }: AccountOfSystem,
  { ask, userId }: Person,
): Promise<void> {
  const expiresAt = new Date(Date.now() + 90 * DAY_MS).toISOString();
  await ask("POST", "/tokens", { name: "Web shop", scopes: ["send", "read"], expiresAt });
  await ask("POST", "/tokens", {
    ...{ name: "Night job", scopes: ["send"], expiresAt: null },
    limits: { addresses: ["203.0.113.0/24"], templates: [1], integrations: [] },
  });
  const { record } = await store.tokens.create({
    ...{ accountId, name: "Last year's shop", scopes: ["send"], createdBy: userId },
  });
  await store.tokens.revoke(accountId, record._id);
}

async function addWebhook({ ask }: Person): Promise<string> {
  const { webhook } = await ask<{ webhook: { id: string } }>("POST", "/webhooks", {
    ...{ url: "https://hooks.shop.invalid/posthaste", description: "Web shop" },
  });
  return webhook.id;
}

async function inviteSomebody(
  { store, accountId }: AccountOfSystem,
  { userId }: Person,
): Promise<string> {
  const token = `an-invitation-to-${accountId}`;
  const createdAt = new Date();
  await store.invitations.create({
    ...{ _id: hashOf(token), accountId, email: "ines@shop.example", role: "editor" },
    ...{ invitedBy: userId, createdAt, expiresAt: new Date(createdAt.getTime() + 7 * DAY_MS) },
  });
  return token;
}

/** Writes a failing integration as the tracker does for a server that no longer accepts mail. */
async function fail({ store, accountId }: AccountOfSystem, id: number): Promise<void> {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const { messageId, reason } = {
    messageId: "msg_0",
    reason: "The SMTP server did not accept the sender address for now (451 4.7.1)",
  };
  await store.integrations.noteResults([{
    ...{ accountId, id, lastSent: { at: at(-18), messageId }, failedFrom: at(-17) },
    lastFailed: { at: at(1), messageId, reason },
  }]);
  const integrations = { [id]: { sent: 1204, deferred: 17 } };
  await store.statistics.note([{ accountId, at: at(-18), integrations }]);
}

async function suspend({ store, accountId }: AccountOfSystem, id: number): Promise<void> {
  const integration = await store.integrations.find(accountId, id);
  if (integration === null) throw new Error(`Cannot suspend integration ${id}: it is not there`);
  await store.integrations.suspend(integration, {
    at: new Date(),
    reason: "The server refused the login: 535 5.7.8 Authentication credentials invalid",
  });
}

const DAY_MS = 86_400_000;

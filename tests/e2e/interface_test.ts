/** A program that knows nothing but the interface: it manages, sends, steers, hears and looks. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { text } from "node:stream/consumers";
import { type Client, createClient } from "@posthaste/client";
import { verify, type WebhookEvent } from "@posthaste/client/webhooks";
import { type BundleApplied, type BundlePlan, TOKEN_SCOPES } from "@posthaste/contracts";
import { openSmtpSink, type SmtpSink, until } from "@posthaste/kit";
import { readMail } from "./read_mail.ts";
import { readPdf } from "./read_pdf.ts";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";

const FROM = { email: "shop@sender.example", name: "The Shop" };
const LOGO = Buffer.from("89504e470d0a1a0a0001", "hex");
const TERMS = Buffer.from("Terms\n");
const HOUR_MS = 3_600_000;

/** What an account has in its repository. */
const FILES = {
  "email/order/template.json": JSON.stringify({
    name: "Order",
    locale: "en",
    variables: [{ name: "name", required: true }, { name: "greeting", default: "Dear" }],
  }),
  "email/order/subject.hbs": "Order {{ number }}",
  "email/order/body.html.hbs": '<p>{{ greeting }} {{ name }}</p><img src="cid:logo" alt="Logo">',
  "email/order/sample.json": JSON.stringify({ name: "Jane", number: 1 }),
  "pdf/invoice/template.json": JSON.stringify({
    name: "Invoice",
    filename: "invoice-{{ number }}.pdf",
  }),
  "pdf/invoice/body.html.hbs": "<h1>Invoice {{ number }} for {{ name }}</h1>",
  "pdf/invoice/sample.json": JSON.stringify({ name: "Jane", number: 1 }),
};

let system: JoinedSystem;
let sink: SmtpSink;
let posthaste: Client;
let template: number;
let invoice: number;
let integration: number;
let hooks: Awaited<ReturnType<typeof openHooks>>;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  sink = stack.use(await openSmtpSink());
  system = stack.use(await joinSystem());
  hooks = stack.use(await openHooks());
  const { accountId, store } = system;
  const { token } = await store.tokens.create({
    ...{ accountId, name: "program", scopes: [...TOKEN_SCOPES] },
  });
  posthaste = createClient({ url: system.stack.apiUrl, token });
  const manage = <Body>(path: string, body: unknown) => ask<Body>(path, { token, body });
  [template, invoice] = await pushTemplates(manage);
  integration = (await manage<{ id: number }>("/integrations", {
    ...{ name: "Shop", host: "127.0.0.1", port: sink.port, tls: "none", ca: null },
    ...{ allowInvalidCertificate: false, user: null, authMethod: null, senders: [FROM.email] },
    ...{ maxConnections: 2, maxPerMinute: null, retryForMs: 48 * HOUR_MS, whenUnknown: "retry" },
  })).id;
  hooks.secret = (await manage<{ secret: string }>("/webhooks", { url: hooks.url })).secret;
  opened = stack.move();
});
after(() => opened?.disposeAsync());

type Manage = <Body>(path: string, body: unknown) => Promise<Body>;

/** Brings the templates into the account and returns their ids, as `posthaste push --publish` does. */
async function pushTemplates(manage: Manage): Promise<[template: number, invoice: number]> {
  const wish = { files: FILES, publish: true };
  const planned = await manage<BundlePlan>("/bundle/plan", wish);
  assert.deepEqual(planned.faults, []);
  assert.deepEqual(planned.changes.map(({ alias, change }) => [alias, change]), [
    ["order", "create"],
    ["invoice", "create"],
  ]);
  const { changes } = await manage<BundleApplied>("/bundle/apply", { ...wish, plan: planned.plan });
  assert.deepEqual(changes.map(({ version }) => version), [1, 1]);
  const again = await manage<BundlePlan>("/bundle/plan", wish);
  assert.deepEqual(again.changes, []);
  return changes.map(({ id }) => id) as [number, number];
}

/** Asks management by token, and fails unless the answer is 200. */
async function ask<Body>(path: string, { token, body }: { token: string; body: unknown }) {
  const answer = await fetch(`${system.stack.dashboardUrl}/manage/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const content = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${content}`);
  return JSON.parse(content) as Body;
}

/** An endpoint that accepts what its secret has signed. */
async function openHooks() {
  const heard: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    heard.push({ headers: request.headers, body: await text(request) });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    secret: "",
    /** Waits for an event; of all that came, the signatures are verified. */
    async event(type: string, messageId: string | undefined): Promise<WebhookEvent> {
      const found = () =>
        heard.filter(({ body }) => body.includes(`"${type}"`) && body.includes(`"${messageId}"`));
      await until(() => found().length > 0, { message: `"${type}" of "${messageId}"` });
      const events = await Promise.all(
        found().map(({ headers, body }) => verify(body, headers, this.secret)),
      );
      return events[0] as WebhookEvent;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const base64 = (bytes: Buffer) => bytes.toString("base64");
const FILES_OF_MAIL = [
  { content: base64(LOGO), filename: "logo.png", contentType: "image/png", contentId: "logo" },
  { content: base64(TERMS), filename: "terms.txt", contentType: "text/plain" },
];

test("a program schedules a send with files, cancels a recipient, hears of the mail and reads it again", async () => {
  const { next: start } = await posthaste.events.read({ after: "latest" });
  const reference = "order-42";
  const body = {
    from: FROM,
    ...{ reference, tags: ["shop"], metadata: { customer: "4711" } },
    variables: { number: 42 },
    attachments: FILES_OF_MAIL,
    to: [
      {
        email: "jane@program.example",
        name: "Jane",
        variables: { name: "Jane" },
        cc: [{ email: "office@program.example" }],
        attachments: [{ id: invoice, variables: { name: "Jane Doe" } }],
      },
      { email: "bob@program.example", variables: { name: "Bob" } },
    ],
  };
  const tried = await posthaste.dryRun(template, integration, body, { recipients: [0, 1] });
  assert.deepEqual(tried.messages.map(({ subject }) => subject), ["Order 42", "Order 42"]);
  const origins = { greeting: "default", name: "recipient", number: "top" };
  assert.deepEqual(tried.messages[0]?.variables, origins);

  const sendAt = new Date(Date.now() + HOUR_MS).toISOString();
  const { id, messages } = await posthaste.send(template, integration, { ...body, sendAt });
  const [jane, bob] = messages.map(({ id }) => id) as [string, string];
  const scheduled = await posthaste.sends.get(id);
  assert.deepEqual([scheduled.sendAt, scheduled.states], [sendAt, { scheduled: 2 }]);
  assert.equal((await posthaste.messages.cancel(bob)).state, "canceled");
  // A repetition is no fault.
  assert.equal((await posthaste.messages.cancel(bob)).state, "canceled");
  const moved = await posthaste.sends.reschedule(id, null);
  assert.ok(moved.sendAt !== null && moved.sendAt < sendAt);

  const heard = await hooks.event("message.sent", jane);
  assert.deepEqual([heard.data?.["sendId"], heard.data?.["reference"]], [id, reference]);
  assert.deepEqual(heard.data?.["metadata"], { customer: "4711" });
  await hooks.event("message.canceled", bob);
  const types: string[] = [];
  for await (const { type, data } of posthaste.events.follow({ after: start })) {
    if ("sendId" in data && data.sendId === id) types.push(type);
    if (type === "send.settled") break;
  }
  assert.equal(types.pop(), "send.settled");
  assert.deepEqual(types.sort(), ["message.canceled", "message.sent"]);
  const late = posthaste.messages.cancel(jane);
  await assert.rejects(late, { status: 409, code: "not_cancelable" });
  await assert.rejects(posthaste.sends.reschedule(id, sendAt), { code: "not_scheduled" });

  const found = await Array.fromAsync(posthaste.messages.list({ reference, state: "sent" }));
  assert.deepEqual(found.map(({ id, metadata }) => [id, metadata]), [
    [jane, { customer: "4711" }],
  ]);
  const mails = sink.messages.filter(({ envelope }) => envelope.to.join().includes("@program."));
  assert.equal(mails.length, 1);
  const [mail] = mails;
  assert.ok(mail);
  assert.deepEqual(mail.envelope.to, ["jane@program.example", "office@program.example"]);
  for (const read of await readMail(mail)) {
    assert.equal(read.subject, "Order 42");
    assert.match(read.html, /Dear Jane/);
    assert.deepEqual(read.cc, [{ name: "", email: "office@program.example" }]);
    const names = read.attachments.map(({ filename }) => filename).sort();
    assert.deepEqual(names, ["invoice-42.pdf", "logo.png", "terms.txt"]);
    const image = read.attachments.find(({ contentId }) => contentId === "logo");
    assert.deepEqual([image?.filename, image?.bytes], ["logo.png", LOGO]);
    const pdf = read.attachments.find(({ type }) => type === "application/pdf");
    assert.match(
      (await readPdf(pdf?.bytes ?? Buffer.alloc(0))).pages.join(),
      /Invoice 42 for Jane Doe/,
    );
  }

  const content = await posthaste.messages.content(jane);
  assert.equal(content.subject, "Order 42");
  const files = new Map<string, Buffer>();
  for (const { index, filename } of content.attachments) {
    files.set(filename, Buffer.from(await posthaste.messages.attachment(jane, index)));
  }
  assert.deepEqual([...files.keys()], ["invoice-42.pdf", "logo.png", "terms.txt"]);
  const printed = await readPdf(files.get("invoice-42.pdf") ?? Buffer.alloc(0));
  assert.match(printed.pages.join(), /Invoice 42 for Jane Doe/);
  assert.deepEqual([files.get("logo.png"), files.get("terms.txt")], [LOGO, TERMS]);
  const unknown = { status: 404, code: "unknown_attachment" };
  await assert.rejects(posthaste.messages.attachment(jane, 3), unknown);

  const explained = await posthaste.messages.explain(jane, { values: true });
  assert.deepEqual(explained.variables, origins);
  assert.deepEqual(explained.values, { greeting: "Dear", name: "Jane", number: 42 });
  assert.deepEqual(explained.attachments[0]?.variables, { name: "attachment", number: "top" });
  assert.deepEqual(explained.attachments[0]?.values, { name: "Jane Doe", number: 42 });
});

test("a program retries what a server refused, by its cause, once the server accepts it", async () => {
  sink.behave(({ stage, address }) =>
    stage === "rcpt" && address === "full@cause.example"
      ? { reply: "552 5.2.2 Mailbox full" }
      : undefined
  );
  const { id, messages } = await posthaste.send(template, integration, {
    from: FROM,
    variables: { number: 7, name: "Ann" },
    to: [{ email: "full@cause.example" }, { email: "ann@cause.example" }],
  });
  const [full] = messages.map(({ id }) => id) as [string];
  const failed = await hooks.event("message.failed", full);
  assert.deepEqual(failed.data?.["reply"], { code: 552, enhanced: "5.2.2" });
  await system.untilDone(id);
  const { causes: [cause], states } = await posthaste.sends.get(id);
  assert.deepEqual(states, { failed: 1, sent: 1 });
  assert.deepEqual([cause?.count, cause?.messageId], [1, full]);
  assert.ok(cause);
  sink.behave(undefined);
  const { state, reason, code, enhanced } = cause;
  assert.equal(state, "failed");
  const filter = { state: "failed", reason, code, enhanced, sendId: id } as const;
  const retried = await posthaste.messages.retryAll(filter);
  assert.deepEqual(retried, { retried: 1, withoutContent: 0, remaining: 0 });
  await hooks.event("message.retried", full);
  await hooks.event("message.sent", full);
  assert.equal((await posthaste.messages.get(full)).state, "sent");
  const to = sink.messages.flatMap(({ envelope }) => envelope.to);
  const here = to.filter((address) => address.endsWith("@cause.example"));
  assert.deepEqual(here, ["ann@cause.example", "full@cause.example"]);
  const none = await posthaste.messages.retryAll(filter);
  assert.deepEqual(none, { retried: 0, withoutContent: 0, remaining: 0 });
});

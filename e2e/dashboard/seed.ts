import { freePort } from "@posthaste/parts";
import { openSmtpSink, type SmtpSink } from "@posthaste/testing";
import type { System } from "../system.ts";

/** What pages are opened of. */
export interface SeedIds {
  readonly emailId: number;
  readonly pdfId: number;
  /** Of a server that takes most mails, of one that nobody can reach, and of one that refuses the login. */
  readonly integrations: { good: number; unreachable: number; suspended: number };
  /** A send of which some messages were sent, some failed, and some wait. */
  readonly sendId: string;
  readonly sentId: string;
  readonly failedId: string;
}

/** What is in the account that pages are looked at with. */
export interface Seed extends SeedIds, AsyncDisposable {
  readonly sink: SmtpSink;
}

const WELCOME = `<h1>Welcome, {{ name }}</h1>
<p>Your order {{ order }} is on its way.</p>
<p><a href="https://shop.example/orders">See all orders</a></p>`;

const INVOICE = `<h1>Invoice {{ order }}</h1><table><tr><td>Coffee</td><td>12.00</td></tr></table>`;

const REFUSALS: Readonly<Record<string, string>> = {
  nobody: "550 5.1.1 <nobody@reader.example>: Recipient address rejected: User unknown",
  full: "552 5.2.2 Mailbox full",
  busy: "451 4.7.1 Greylisting in action, please come back later",
};

/** Fills the account: templates, integrations in every state, and messages with every outcome. */
export async function plantSeed(system: System): Promise<Seed> {
  await using opened = new AsyncDisposableStack();
  const sink = opened.use(
    await openSmtpSink({
      script: ({ stage, address }) => {
        const reply = stage === "rcpt" ? REFUSALS[address.split("@")[0] ?? ""] : undefined;
        return reply === undefined ? undefined : { reply };
      },
    }),
  );
  const [emailId, pdfId] = await Promise.all([
    system.publishEmail({
      alias: "welcome",
      name: "Welcome",
      subject: "Welcome, {{ name }}",
      html: WELCOME,
      variables: [{ name: "name", required: true }, { name: "order", required: false }],
    }),
    system.publishPdf({ name: "Invoice", html: INVOICE, filename: "invoice-{{ order }}.pdf" }),
  ]);
  const integrations = {
    good: await system.connect(sink.port, { name: "Main server" }),
    unreachable: await system.connect(await freePort(), { name: "Old server" }),
    suspended: await system.connect(sink.port, { name: "Server with a changed password" }),
  };
  const { id: sendId, messages } = await system.send({
    template: emailId,
    integration: integrations.good,
    variables: { order: "2026-0042" },
    to: ["ada", "nobody", "full", "busy", "grace"].map((name, at) => ({
      email: `${name}@reader.example`,
      name: `${name[0]?.toUpperCase()}${name.slice(1)} Reader`,
      variables: { name },
      ...(at === 0 ? { attachments: [{ id: pdfId, variables: { order: "2026-0042" } }] } : {}),
    })),
  });
  const to = [{ email: "linus@reader.example", variables: { name: "Linus" } }];
  await system.send({ template: emailId, integration: integrations.unreachable, to });
  await suspend(system, integrations.suspended);
  await system.send({ template: emailId, integration: integrations.suspended, to });
  await system.untilResting(sendId, 30_000);
  const parts = opened.move();
  return {
    emailId,
    pdfId,
    integrations,
    sendId,
    sentId: messages[0]?.id ?? "",
    failedId: messages[1]?.id ?? "",
    sink,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function suspend({ store, accountId }: System, id: number): Promise<void> {
  const integration = await store.findIntegration(accountId, id);
  if (integration === null) throw new Error(`Cannot suspend integration ${id}: it is not there`);
  await store.suspendIntegration(integration, {
    at: new Date(),
    reason: "The server refused the login: 535 5.7.8 Authentication credentials invalid",
  });
}

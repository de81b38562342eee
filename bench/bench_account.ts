import {
  MAX_WEBHOOK_RATE,
  MESSAGE_EVENT_TYPES,
  newId,
  webhookSettingsSchema,
} from "@posthaste/contracts";
import { type SealingKey, sealSecret, type Store, WEBHOOK_SECRET } from "@posthaste/storage";
import { publishEmail, publishPdf } from "@posthaste/templating";
import { readSources, SENDER } from "./workload.ts";

/** An account for the mail and the invoices. */
export interface BenchAccount {
  readonly headers: Record<string, string>;
  readonly sendUrl: string;
  /** Where it sends by each of its integrations, the first one first. */
  readonly sendUrls: readonly string[];
  readonly pdfId: number;
}

/** A further account. */
export interface AccountPlan {
  name: string;
  /** Of the SMTP server that its mail goes to. */
  smtpPort: number;
  /** Of its invoices. */
  pages: number;
  /** Connections that its server allows. @default the product's */
  maxConnections?: number;
  /** How many integrations it has. @default {1} */
  integrations?: number;
  /** Endpoint for all events of its messages. @default none */
  webhookUrl?: string;
}

/** Creates an account with the templates of all measurements, and an integration. */
export async function fillAccount(
  store: Store,
  { name, smtpPort, pages, maxConnections, integrations = 1 }: AccountPlan,
) {
  const sources = await readSources();
  const { _id: accountId } = await store.accounts.create({ name });
  const { token } = await store.tokens.create({
    accountId,
    name: "bench",
    scopes: ["render", "send"],
  });
  const { subject, html, text } = await publishEmail({
    subject: sources.subject,
    html: sources.mail,
  });
  const mail = { subject, html, text };
  const common = { accountId, variables: [], sourceHash: "bench" };
  await store.templates.publish({
    ...common,
    kind: "email",
    alias: "order",
    name: "Order",
    source: { subject, html: sources.mail },
    parts: mail,
  });
  const source = { html: withPages(sources.invoice, pages) };
  const invoice = publishPdf(source).html;
  const edge = "15mm";
  const { template } = await store.templates.publish({
    ...common,
    kind: "pdf",
    alias: "invoice",
    name: "Invoice",
    source,
    parts: { html: invoice, filename: "invoice-{{ number }}.pdf" },
    page: {
      format: "A4",
      orientation: "portrait",
      margin: { top: edge, right: edge, bottom: edge, left: edge },
      background: true,
      images: "none",
      missing: "fail",
    },
  });
  const integrationIds: number[] = [];
  for (let count = 1; count <= integrations; count++) {
    const { id } = await store.integrations.create({
      accountId,
      name: `sink ${count}`,
      host: "127.0.0.1",
      port: smtpPort,
      tls: "none",
      auth: null,
      senders: [SENDER],
      maxConnections,
    });
    integrationIds.push(id);
  }
  return {
    accountId,
    headers: { authorization: `Bearer ${token}` },
    integrationId: integrationIds[0] ?? 0,
    integrationIds,
    pdfId: template.id,
    mail,
    invoice,
  };
}

/** The same page again and again. */
function withPages(invoice: string, pages: number): string {
  return invoice.replace(/(<body>)([\s\S]*)(<\/body>)/, (_, open, page, close) => {
    return `${open}${Array(pages).fill(page).join('<div style="break-after:page"></div>')}${close}`;
  });
}

/** Adds an endpoint for all events of an account's messages, at the highest rate. */
export async function addWebhook(
  store: Store,
  { accountId, url, key }: { accountId: string; url: string; key: SealingKey },
): Promise<void> {
  const _id = newId("whk");
  const secret = sealSecret(`whsec_${Buffer.alloc(32, "bench").toString("base64")}`, {
    ...{ accountId, recordId: _id, field: WEBHOOK_SECRET, key },
  });
  const settings = webhookSettingsSchema.parse({
    ...{ url, types: [...MESSAGE_EVENT_TYPES], maxPerSecond: MAX_WEBHOOK_RATE },
  });
  await store.webhooks.create({ _id, accountId, secret, at: new Date(), ...settings });
}

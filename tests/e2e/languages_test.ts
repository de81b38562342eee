/** A send in several languages, from the request to the mails and PDFs that arrive. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@posthaste/client";
import { pageOptionsSchema } from "@posthaste/contracts";
import { nightly, openSmtpSink, until } from "@posthaste/kit";
import { readMail } from "./read_mail.ts";
import { readPdf } from "./read_pdf.ts";
import { joinSystem } from "./shared_system.ts";

nightly("services/renderer/render_message_test.ts", "libs/contracts/variant_test.ts");

const FROM = { email: "shop@languages.example" };

function mail(subject: string, html: string) {
  return { source: { subject, html }, parts: { subject, html, text: subject } };
}

function pdf(html: string, filename: string) {
  return { source: { html }, parts: { html, filename } };
}

test("each recipient gets the mail and its PDF in the language that fits best", async () => {
  await using sink = await openSmtpSink();
  await using system = await joinSystem();
  const { accountId, store } = system;
  const base = { accountId, variables: [], sourceHash: "languages" };
  const { template } = await store.templates.publish({
    ...{ ...base, ...mail("Your bill", "<p>{{ number total }}</p>"), kind: "email" },
    ...{ alias: "bill-mail", name: "Bill mail" },
    variants: { de: mail("Ihre Rechnung", "<p>{{ number total }} Euro</p>") },
  });
  const { template: bill } = await store.templates.publish({
    ...{ ...base, ...pdf("<h1>Bill {{ number total }}</h1>", "bill.pdf"), kind: "pdf" },
    ...{ alias: "bill", name: "Bill", page: pageOptionsSchema.parse({}) },
    variants: { "de-AT": pdf("<h1>Rechnung {{ number total }}</h1>", "rechnung.pdf") },
  });
  const { id } = await store.integrations.create({
    ...{ accountId, name: "Languages", host: "127.0.0.1", port: sink.port, tls: "none" },
    ...{ auth: null, senders: [FROM.email] },
  });
  const { token } = await store.tokens.create({ accountId, name: "languages", scopes: ["send"] });
  const posthaste = createClient({ url: system.stack.apiUrl, token });
  const to = (name: string, locale?: string) => ({
    ...{ email: `${name}@languages.example`, attachments: [{ id: bill.id }] },
    ...(locale === undefined ? {} : { locale }),
  });
  await posthaste.send(template.id, id, {
    ...{ from: FROM, variables: { total: 1.5 }, locale: "de" },
    to: [to("vienna", "de-AT"), to("berlin"), to("paris", "fr")],
  });
  await until(() => sink.messages.length >= 3, { message: "three mails" });
  const arrived = await Promise.all(sink.messages.map(async (one) => {
    const [{ to, subject, html, attachments }] = await readMail(one);
    const [file] = attachments;
    const { pages } = await readPdf(file?.bytes ?? new Uint8Array());
    return [to[0]?.email, subject, html, file?.filename, pages.join("").trim()];
  }));
  assert.deepEqual(arrived.sort(), [
    ...[["berlin@languages.example", "Ihre Rechnung", "<p>1,5 Euro</p>", "bill.pdf", "Bill 1.5"]],
    ...[["paris@languages.example", "Your bill", "<p>1.5</p>", "bill.pdf", "Bill 1.5"]],
    [
      ...["vienna@languages.example", "Ihre Rechnung", "<p>1,5 Euro</p>"],
      ...["rechnung.pdf", "Rechnung 1,5"],
    ],
  ]);
});

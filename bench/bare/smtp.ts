import { randomBytes } from "node:crypto";
import { createTransport } from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer";
import type { BarePart, BareSettings } from "../bare_process.ts";
import { inFlight } from "./in_flight.ts";

const CONNECTIONS = 8;

/**
 * nodemailer's own pool, as its documentation advises for bulk mail.
 *
 * @param isRaw Whether the mail is composed once, before the measurement, and sent as it is.
 */
export async function openNodemailer(
  settings: BareSettings,
  isRaw: boolean,
): Promise<BarePart> {
  const transport = createTransport({
    pool: true,
    host: "127.0.0.1",
    port: settings.sinkPort,
    secure: false,
    ignoreTLS: true,
    maxConnections: CONNECTIONS,
    maxMessages: Infinity,
  });
  const mail = {
    from: { name: "Northwind", address: "orders@bench.example" },
    to: { name: "Zoë Müller", address: "customer@inbox.example" },
    subject: settings.mail.subject,
    html: settings.mail.html,
    text: settings.mail.text,
  };
  const envelope = { from: mail.from.address, to: [mail.to.address] };
  const withPdf = (pdfBytes: number) => {
    const content = randomBytes(pdfBytes);
    return { ...mail, attachments: [{ filename: "invoice.pdf", content }] };
  };
  return {
    async run({ run, pdfBytes }) {
      const attached = pdfBytes ? withPdf(pdfBytes) : mail;
      const raw = await new MailComposer(attached).compile().build();
      await inFlight(
        { count: run, width: 2 * CONNECTIONS },
        () => transport.sendMail(isRaw ? { envelope, raw } : attached),
      );
    },
    [Symbol.asyncDispose]: async () => transport.close(),
  };
}

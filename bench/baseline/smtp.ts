import { randomBytes } from "node:crypto";
import { createTransport } from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer";
import type { BaselinePart, BaselineSettings } from "../baseline_process.ts";
import { CONNECTIONS } from "../workload.ts";
import { inFlight } from "./in_flight.ts";

/** How nodemailer's pool is used. */
export interface PoolUse {
  /** Whether the mail is composed once, before the measurement, and sent as it is. @default {false} */
  isRaw?: boolean;
  /** Whether it goes to the server that is 50 ms away. @default {false} */
  isFar?: boolean;
  /** @default {CONNECTIONS.usual} */
  connections?: number;
}

/** Opens nodemailer's own pool, as its documentation advises for bulk mail. */
export async function openNodemailer(
  settings: BaselineSettings,
  { isRaw = false, isFar = false, connections = CONNECTIONS.usual }: PoolUse = {},
): Promise<BaselinePart> {
  const transport = createTransport({
    pool: true,
    host: "127.0.0.1",
    port: isFar ? settings.farSinkPort : settings.sinkPort,
    secure: false,
    ignoreTLS: true,
    maxConnections: connections,
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
        { count: run, width: 2 * connections },
        () => transport.sendMail(isRaw ? { envelope, raw } : attached),
      );
    },
    [Symbol.asyncDispose]: async () => transport.close(),
  };
}

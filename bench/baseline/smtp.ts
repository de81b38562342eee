import { randomBytes } from "node:crypto";
import { createTransport } from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer";
import type { BaselinePart, BaselineSettings } from "../baseline_process.ts";
import { compileMail } from "../compile_mail.ts";
import { CONNECTIONS, mailVariables } from "../workload.ts";
import { inFlight } from "./in_flight.ts";

/** How nodemailer's pool is used. */
export interface PoolUse {
  /**
   * What is done before the measurement, once for all mails: nothing (`templates` are filled for each mail), the template
   * is `filled`, or the mail is also composed (`raw`). @default {"templates"}
   */
  from?: "templates" | "filled" | "raw";
  /** Whether it goes to the server that is 50 ms away. @default {false} */
  isFar?: boolean;
  /** @default {CONNECTIONS.usual} */
  connections?: number;
}

/** Opens nodemailer's own pool, as its documentation advises for bulk mail. */
export async function openNodemailer(
  settings: BaselineSettings,
  { from = "templates", isFar = false, connections = CONNECTIONS.usual }: PoolUse = {},
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
  const envelope = {
    from: { name: "Northwind", address: "orders@bench.example" },
    to: { name: "Zoë Müller", address: "customer@inbox.example" },
  };
  const { templates, mail: filled } = settings;
  const fill = compileMail(templates);
  return {
    async run({ run, pdfBytes = 0 }) {
      const pdf = { filename: "invoice.pdf", content: randomBytes(pdfBytes) };
      const rest = { ...envelope, attachments: pdfBytes > 0 ? [pdf] : [] };
      const raw = await new MailComposer({ ...rest, ...filled }).compile().build();
      const mailOf = {
        templates: (index: number) => ({ ...rest, ...fill(mailVariables(index)) }),
        filled: () => ({ ...rest, ...filled }),
        raw: () => ({
          raw,
          envelope: { from: envelope.from.address, to: [envelope.to.address] },
        }),
      }[from];
      await inFlight(
        { count: run, width: 2 * connections },
        (index) => transport.sendMail(mailOf(index)),
      );
    },
    [Symbol.asyncDispose]: async () => transport.close(),
  };
}

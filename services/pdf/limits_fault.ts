import { formatBytes } from "@posthaste/runtime";

/** Largest sizes, in bytes. */
export interface SizeLimits {
  pdf: number;
  /** Of a mail, encoded. */
  mail: number;
}

/** Bytes of a file in a line of base64 (RFC 2045, 6.8), and of that line with its end. */
const LINE = { file: 57, encoded: 78 };

/** Space that the texts of most mails need, in bytes. */
const TEXT_BYTES = 500_000;

/** Returns why mails with the largest PDF fail, and what to do; `undefined` if the mailer can send them. */
export function limitsFault({ pdf, mail }: SizeLimits): string | undefined {
  const encoded = Math.ceil(pdf / LINE.file) * LINE.encoded;
  if (encoded <= mail) return undefined;
  const needed = Math.ceil((encoded + TEXT_BYTES) / 1_000_000);
  const largest = formatBytes(pdf);
  return `PDF_LIMIT is ${largest} and MAIL_LIMIT is ${
    formatBytes(mail)
  }, but a PDF of ${largest} ` +
    `has ${(encoded / 1_000_000).toFixed(1)} MB in a mail: such mails fail. ` +
    `Set MAIL_LIMIT of mailer, dashboard and pdf to ${needed}MB, or lower PDF_LIMIT`;
}

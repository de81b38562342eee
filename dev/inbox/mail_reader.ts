import type { MailStore } from "./mail_store.ts";
import {
  type AttachmentSummary,
  bytesOf,
  type MailSummary,
  type OpenedMail,
  readMail,
} from "./read_mail.ts";

const MAX_OPENED = 4;

/** Mails parsed on reading, so that receiving them stays fast. */
export interface MailReader {
  /** Newest first. */
  summaries(): Promise<MailSummary[]>;
  open(id: string): Promise<OpenedMail | undefined>;
  attachment(
    mail: OpenedMail,
    index: number,
  ): (AttachmentSummary & { bytes: Uint8Array }) | undefined;
}

/** Reads from the store; keeps every summary and the last few opened mails in memory. */
export function openMailReader(store: MailStore): MailReader {
  const known = new Map<string, MailSummary>();
  const opened = new Map<string, OpenedMail>();

  async function read(id: string): Promise<OpenedMail | undefined> {
    const stored = store.find(id);
    const raw = stored && await store.raw(id);
    if (!stored || !raw) return undefined;
    const mail = await readMail(stored, raw);
    known.set(id, mail.summary);
    return mail;
  }

  function keep(id: string, mail: OpenedMail): void {
    opened.delete(id);
    opened.set(id, mail);
    const oldest = opened.keys().next().value;
    if (opened.size > MAX_OPENED && oldest !== undefined) opened.delete(oldest);
  }

  return {
    async summaries() {
      const ids = store.list().map(({ id }) => id);
      const kept = new Set(ids);
      for (const id of known.keys()) if (!kept.has(id)) known.delete(id);
      const summaries: MailSummary[] = [];
      for (const id of ids) {
        const summary = known.get(id) ?? (await read(id))?.summary;
        if (summary) summaries.push(summary);
      }
      return summaries;
    },
    async open(id) {
      if (!store.find(id)) return undefined;
      const mail = opened.get(id) ?? await read(id);
      if (mail) keep(id, mail);
      return mail;
    },
    attachment({ summary, parts }, index) {
      const described = summary.attachments[index];
      const part = parts[index];
      return described && part && { ...described, bytes: bytesOf(part) };
    },
  };
}

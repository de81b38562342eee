import type { MailFile } from "@posthaste/contracts";
import { openSemaphore, type Semaphore } from "@posthaste/limits";
import type { ReadyMessage } from "./compose_message.ts";

/** Bytes of all mails in flight. */
const MAX_BYTES = 256_000_000;

/** Bytes that every account may have, whatever the others hold. */
const MIN_SHARE_BYTES = 32_000_000;

/** Memory of a mail in flight besides its texts and files, in bytes. */
const MAIL_BYTES = 32_000;

/**
 * A text or file is in memory as it came, in base64, and in the mail: 1 + 1.33 + 1.37 bytes. The base64 is garbage once
 * the mail is written.
 */
const COPIES = 3;

/** Opens the memory for mails in flight, in bytes. One account may hold half of what is free. */
export function openMailMemory(): Semaphore {
  const maxPerOwner = (free: number) => Math.max(MIN_SHARE_BYTES, free / 2);
  return openSemaphore({ max: MAX_BYTES, maxPerOwner });
}

/** Returns the memory of a mail in flight, in bytes. */
export function bytesOf({ html, text, attachments, files = [] }: ReadyMessage): number {
  const parts = [html, text, ...attachments, ...files];
  return MAIL_BYTES + parts.reduce((sum, part) => sum + sizeOf(part), 0) * COPIES;
}

type Part = ReadyMessage["html"] | ReadyMessage["attachments"][number] | MailFile;

/** Returns the bytes of a part, or the characters of an inline text. A text in the store counts as 0: few mails have one. */
function sizeOf(part: Part): number {
  if ("bytes" in part) return part.bytes.length;
  if ("inline" in part) return part.inline.length;
  return "size" in part ? part.size : 0;
}

import {
  type Content,
  type ContentReply,
  EVENT_VERSION,
  type EventData,
  type GivenMessage,
  type Send,
} from "@posthaste/contracts";
import { MAX_PDF_BYTES } from "@posthaste/runtime";
import type { Bus } from "./bus.ts";
import type { StoreName } from "./topology.ts";

/** Dependencies of {@linkcode mailContent}. */
export interface MailContentDeps {
  bus: Pick<Bus, "ask" | "objects">;
}

/** A mail as it was filled. */
export interface MailContent {
  subject: string;
  html: string;
  text: string;
  pdfs: { filename: string }[];
}

/** Why a mail cannot be made again. */
export type MailContentFault =
  | "removed"
  | "no_such_pdf"
  | "template_failed"
  | "no_answer"
  | "print_timeout"
  | "unavailable";

/** A mail that cannot be made again. The message is for the caller. */
export class MailContentError extends Error {
  override readonly name = "MailContentError";
  readonly fault: MailContentFault;

  constructor(fault: MailContentFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** A PDF, ready to be read. */
export interface MailPdf {
  filename: string;
  bytes: Uint8Array;
}

const CONTENT_MS = 10_000;
const PRINT_MS = 30_000;

/**
 * Renders a mail again, from the versions to which its send is pinned.
 *
 * @throws {MailContentError} `removed` if its content is not kept any more; `template_failed` or `no_answer`
 * if it cannot be made.
 */
export async function mailContent(
  send: Send,
  index: number,
  deps: MailContentDeps,
): Promise<MailContent> {
  requireContent(send);
  const { accountId, _id: sendId } = send;
  return await loaded(await ask({ accountId, sendId, index, namesOnly: true }, deps), deps);
}

/** What is filled although no ledger has it. */
export interface GivenContent {
  accountId: string;
  message: GivenMessage;
  /** @default 10 s */
  timeoutMs?: number | undefined;
}

/**
 * Fills a message that is in no ledger.
 *
 * @throws {MailContentError} `template_failed`, `no_answer` or `unavailable`
 */
export async function givenContent(
  { accountId, message, timeoutMs }: GivenContent,
  deps: MailContentDeps,
): Promise<MailContent> {
  const { index } = message.recipient;
  const wanted = { accountId, sendId: "", index, given: message, namesOnly: true };
  return await loaded(await ask(wanted, deps, timeoutMs), deps);
}

type Filled = ContentReply & { ok: true };

async function loaded({ parts, pdfs }: Filled, deps: MailContentDeps): Promise<MailContent> {
  return {
    subject: parts.subject,
    html: await textOf(parts.html, deps),
    text: await textOf(parts.text, deps),
    pdfs: pdfs.map(({ filename }) => ({ filename })),
  };
}

/**
 * Returns one PDF of a mail: the stored one, or printed again.
 *
 * @throws {MailContentError} As {@linkcode mailContent} does; `no_such_pdf` if it has no such PDF.
 */
export async function mailPdf(
  send: Send,
  { index, position }: { index: number; position: number },
  deps: MailContentDeps,
): Promise<MailPdf> {
  requireContent(send);
  const { pdfs } = await ask({ accountId: send.accountId, sendId: send._id, index }, deps);
  const pdf = pdfs[position];
  if (pdf === undefined) throw new MailContentError("no_such_pdf", "The message has no such PDF");
  return await print({ ...pdf, accountId: send.accountId, timeoutMs: PRINT_MS }, deps);
}

/** A PDF template that is filled and printed although no message has it. */
export interface GivenPdf {
  accountId: string;
  pdf: NonNullable<EventData<"content.requested">["pdf"]>;
  /** Whether it fails where the document asks for what may not be loaded, as a mail does. */
  isWhole: boolean;
  /** Longest wait for renderer and printer together, in milliseconds. */
  timeoutMs: number;
}

/**
 * Fills and prints a PDF template.
 *
 * @throws {MailContentError} `template_failed`, `no_answer`, `print_timeout` or `unavailable`
 */
export async function pdfOf(
  { accountId, pdf, isWhole, timeoutMs }: GivenPdf,
  deps: MailContentDeps,
): Promise<MailPdf> {
  const until = performance.now() + timeoutMs;
  const wanted = { accountId, sendId: "", index: 0, pdf };
  const { pdfs: [filled] } = await ask(wanted, deps, Math.min(CONTENT_MS, timeoutMs));
  if (filled === undefined) {
    throw new MailContentError("unavailable", "The renderer is of an older version. Try again");
  }
  const restMs = Math.max(1, until - performance.now());
  const hasGlyphs = filled.page.missingGlyphs === "fail";
  return await print({ ...filled, accountId, isWhole, hasGlyphs, timeoutMs: restMs }, deps);
}

type FilledPdf = Filled["pdfs"][number];

interface Printing extends Omit<FilledPdf, "templateId"> {
  accountId: string;
  isWhole?: boolean;
  /** Whether each character must have a glyph. */
  hasGlyphs?: boolean;
  timeoutMs: number;
}

async function print(
  { filename, html, page, invoice, encryption, append, ...options }: Printing,
  deps: MailContentDeps,
): Promise<MailPdf> {
  const { accountId, isWhole = false, hasGlyphs = false, timeoutMs } = options;
  const data = {
    ...{ v: EVENT_VERSION, accountId, name: filename, html, page },
    ...(invoice === undefined ? {} : { invoice }),
    ...(encryption === undefined ? {} : { encryption }),
    ...(append === undefined ? {} : { append }),
  };
  const reply = await deps.bus.ask("print.requested", data, { timeoutMs });
  if (reply === undefined) {
    throw new MailContentError("print_timeout", "The PDF was not printed in time. Try again");
  }
  if (!reply.ok) {
    const fault = reply.timedOut ? "print_timeout" : "template_failed";
    throw new MailContentError(fault, reply.reason);
  }
  const [blocked] = reply.blocked;
  if (isWhole && blocked !== undefined) {
    throw new MailContentError("template_failed", `It asks for what may not be loaded: ${blocked}`);
  }
  const { missingGlyphs = [] } = reply;
  if (hasGlyphs && missingGlyphs.length > 0) {
    const reason = `No font has a glyph (missing_glyphs): ${missingGlyphs.join(", ")}`;
    throw new MailContentError("template_failed", reason);
  }
  // The printer makes none that is larger. This does not trust its word.
  if (reply.size > MAX_PDF_BYTES) {
    throw new MailContentError("template_failed", `The PDF exceeds ${MAX_PDF_BYTES} bytes`);
  }
  return { filename, bytes: await object("pdfs", reply.key, deps) };
}

/**
 * Refuses a send whose content is gone.
 *
 * @throws {MailContentError} `removed`
 */
export function requireContent({ contentRemovedAt }: Pick<Send, "contentRemovedAt">): void {
  if (contentRemovedAt === undefined) return;
  const day = contentRemovedAt.toISOString().slice(0, 10);
  throw new MailContentError("removed", `Its content was removed on ${day}`);
}

async function ask(
  wanted: Omit<EventData<"content.requested">, "v">,
  { bus }: MailContentDeps,
  timeoutMs = CONTENT_MS,
): Promise<Filled> {
  const data = { v: EVENT_VERSION, ...wanted };
  const reply = await bus.ask("content.requested", data, { timeoutMs });
  if (reply === undefined) {
    throw new MailContentError("no_answer", "The message was not rendered in time. Try again");
  }
  if (!reply.ok) throw new MailContentError("template_failed", reply.reason);
  return reply;
}

async function textOf(content: Content, deps: MailContentDeps): Promise<string> {
  if ("inline" in content) return content.inline;
  return new TextDecoder().decode(await object("contents", content.key, deps));
}

async function object(
  store: StoreName,
  key: string,
  { bus }: MailContentDeps,
): Promise<Uint8Array> {
  const bytes = await bus.objects(store).get(key);
  if (bytes === undefined) {
    throw new MailContentError("unavailable", "The result is no longer available. Try again");
  }
  return bytes;
}

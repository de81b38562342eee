import { type Content, EVENT_VERSION, type Send } from "@posthaste/contracts";
import type { Bus, StoreName } from "@posthaste/messaging";
import type { ContentView } from "./interface/messages.ts";
import { Problem } from "./problem.ts";

/** What is needed to make a mail again as it was. */
export interface ContentDeps {
  bus: Pick<Bus, "ask" | "objects">;
}

const CONTENT_MS = 10_000;
const PRINT_MS = 30_000;

/**
 * Makes a mail again, from the versions that its send is pinned to.
 *
 * @throws {Problem} `not_found` if its content is not kept any more; `template_failed` or `no_answer` if
 * it cannot be made.
 */
export async function messageContent(
  send: Send,
  index: number,
  deps: ContentDeps,
): Promise<ContentView> {
  const { parts, pdfs } = await filled(send, index, deps);
  return {
    subject: parts.subject,
    html: await textOf(parts.html, deps),
    text: await textOf(parts.text, deps),
    pdfs: pdfs.map(({ filename }) => ({ filename })),
  };
}

/**
 * Prints one of a mail's PDFs again, or finds it as it was printed.
 *
 * @throws {Problem} As {@linkcode messageContent} does; `not_found` if it has no such PDF.
 */
export async function messagePdf(
  send: Send,
  { index, position }: { index: number; position: number },
  deps: ContentDeps,
): Promise<{ filename: string; bytes: Uint8Array }> {
  const { pdfs } = await filled(send, index, deps);
  const pdf = pdfs[position];
  if (pdf === undefined) throw new Problem("not_found", "The message has no such PDF");
  const { filename, html, page } = pdf;
  const data = { v: EVENT_VERSION, accountId: send.accountId, name: filename, html, page };
  const reply = await deps.bus.ask("print.requested", data, { timeoutMs: PRINT_MS });
  if (reply === undefined) {
    throw new Problem("no_answer", "The PDF was not printed in time. Try again");
  }
  if (!reply.ok) throw new Problem("template_failed", reply.reason);
  return { filename, bytes: await object("pdfs", reply.key, deps) };
}

async function filled(send: Send, index: number, { bus }: ContentDeps) {
  if (send.contentRemovedAt !== undefined) {
    const day = send.contentRemovedAt.toISOString().slice(0, 10);
    throw new Problem("not_found", `Its content was removed on ${day}`);
  }
  const { accountId, _id: sendId } = send;
  const data = { v: EVENT_VERSION, accountId, sendId, index };
  const reply = await bus.ask("content.requested", data, { timeoutMs: CONTENT_MS });
  if (reply === undefined) {
    throw new Problem("no_answer", "The message was not rendered in time. Try again");
  }
  if (!reply.ok) throw new Problem("template_failed", reply.reason);
  return reply;
}

async function textOf(content: Content, deps: ContentDeps): Promise<string> {
  if ("inline" in content) return content.inline;
  return new TextDecoder().decode(await object("contents", content.key, deps));
}

async function object(store: StoreName, key: string, { bus }: ContentDeps): Promise<Uint8Array> {
  const bytes = await bus.objects(store).get(key);
  if (bytes === undefined) {
    throw new Problem("unavailable", "The result is no longer available. Try again");
  }
  return bytes;
}

/** A mail that the inbox has caught. */
export interface CaughtMail {
  id: string;
  subject: string;
  to: readonly { address: string }[];
  attachments: readonly { filename: string }[];
}

/**
 * Returns the mails that arrive in an inbox from now on, from the events for its page: those of a tenth of a
 * second together.
 */
export async function* followInbox(url: string, signal: AbortSignal): AsyncGenerator<CaughtMail[]> {
  let known: Set<string> | undefined;
  const response = await fetch(`${url}/api/events`, { signal });
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    if (!chunk.includes("event: changed")) continue;
    const list = await fetch(`${url}/api/messages`, { signal });
    const mails = await list.json() as CaughtMail[];
    const arrived = known === undefined ? [] : mails.filter(({ id }) => !known?.has(id));
    known = new Set(mails.map(({ id }) => id));
    if (arrived.length > 0) yield arrived.toReversed();
  }
}

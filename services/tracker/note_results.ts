import type { SmtpReply } from "@posthaste/contracts";
import type { StatusEvent } from "@posthaste/messaging";
import type { EndedAttempt, FailedAttempt, ResultsNote } from "@posthaste/storage";

/** Returns the results of send attempts in status events, summed up by integration. */
export function resultsOf(statusEvents: readonly StatusEvent[]): ResultsNote[] {
  const notes = new Map<string, ResultsNote & { failures: FailedAttempt[] }>();
  for (const statusEvent of statusEvents) {
    const attempt = attemptOf(statusEvent);
    if (attempt?.integrationId === undefined) continue;
    const { accountId, integrationId, messageId, at } = attempt;
    const key = `${accountId}/${integrationId}`;
    const note = notes.get(key) ?? { accountId, id: integrationId, failures: [] };
    notes.set(key, note);
    const ended = { at: new Date(at), messageId };
    if (statusEvent.type === "status.message.sent") note.lastSent = later(note.lastSent, ended);
    else note.failures.push({ ...ended, reason: reasonOf(statusEvent) });
  }
  return [...notes.values()].map(({ failures, ...note }) => ({
    ...note,
    ...failed(note, failures),
  }));
}

/** Returns the attempt of a status event, if mail was handed over to an integration or should have been. */
function attemptOf({ type, data }: StatusEvent) {
  switch (type) {
    case "status.message.sent":
    case "status.message.deferred":
    case "status.message.unknown":
      return data;
    case "status.message.failed":
      return data.stage === "mailer" ? data : undefined;
  }
}

function failed({ lastSent }: ResultsNote, failures: readonly FailedAttempt[]) {
  const sorted = failures.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const lastFailed = sorted.at(-1);
  if (lastFailed === undefined) return {};
  const [first = lastFailed] = sorted.filter(({ at }) =>
    lastSent === undefined || at > lastSent.at
  );
  return { lastFailed, failedFrom: first.at };
}

function later(a: EndedAttempt | undefined, b: EndedAttempt): EndedAttempt {
  return a !== undefined && a.at >= b.at ? a : b;
}

/** Without the server's text: it may contain personal data. */
function reasonOf({ data }: StatusEvent): string {
  const reason = "reason" in data ? data.reason : "";
  const codes = "reply" in data && data.reply !== undefined ? codesOf(data.reply) : "";
  return codes === "" ? reason : `${reason} (${codes})`;
}

function codesOf({ code, enhanced }: SmtpReply): string {
  return [code, enhanced].filter((part) => part !== undefined).join(" ");
}

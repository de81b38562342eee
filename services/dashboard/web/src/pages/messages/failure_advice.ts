import type { CauseView } from "../../../../interface/messages.ts";

/** What is known about a failure. */
export type Failure = Pick<CauseView, "state" | "reason" | "code" | "enhanced">;

/** Advice by the status that a server gives, from the special to the general (RFC 3463, section 3). */
const BY_STATUS: readonly (readonly [status: RegExp, advice: string])[] = [
  [/^[45]\.2\.2$/, "The mailbox is full. Try again later, or reach the recipient in another way."],
  [/^[45]\.2\.3$|^[45]\.3\.4$/, "The mail is too large. Send smaller attachments, or a link."],
  [/^[45]\.1\.[78]$/, "Check the sender address, and whether its domain exists."],
  [
    /^5\.(1\.(1|2|3|6|10)|2\.1)$/,
    "The address does not work. Correct it, or add it to the suppressed addresses.",
  ],
  [
    /^4\.7\.1$/,
    "Wait: the server may only delay unknown senders. Posthaste tries again by itself.",
  ],
  [/^5\.7\.8$/, "Check the login of the integration."],
  [
    /^5\.7\./,
    "The server blocks the mail. Check the reputation of your sender, its SPF and its DKIM.",
  ],
];

/** Advice by our own reason. It says more than a status: 5.7.0 may be about a login or about the mail. */
const BY_REASON: readonly (readonly [reason: RegExp, advice: string])[] = [
  [/larger than the SMTP server allows/, "Send smaller attachments, or a link to the files."],
  [
    /user name or the password|access token|requires authentication|has a login/,
    "Check the login of the integration.",
  ],
  [
    /host or port|certificate|encrypt|name of the SMTP server/,
    "Check host, port and encryption of the integration, and test its connection.",
  ],
  [/international email addresses/, "Use an address without international characters."],
  [
    /^(The template could not be filled|A PDF could not be printed|PDF template )/,
    "Check the template and the variables of the request. Then send the mail with a new request.",
  ],
];

/** Advice without a status: the size or the login may be the cause at this step too. */
const OF_SENDER: typeof BY_REASON = [
  [/refused the sender address/, "Check that the integration may send from this address."],
];

/** Returns what to do about a failure, in one or two sentences; null if its cause says too little. */
export function adviceOf({ state, reason, code, enhanced }: Failure): string | null {
  if (state === "unknown") {
    return "Ask the recipient, or look at the log of the server, before you send it again.";
  }
  if (state !== "failed" && state !== "deferred") return null;
  const found = find(BY_REASON, reason) ?? find(BY_STATUS, enhanced) ??
    find(OF_SENDER, reason);
  if (found !== undefined) return found;
  // RFC 5321, 4.2.3: a mailbox that is busy, or out of service for now. Greylisting replies with them.
  if (code === 450 || code === 451) return find(BY_STATUS, "4.7.1") ?? null;
  return state === "deferred" ? "Wait: Posthaste tries again by itself." : null;
}

function find(list: typeof BY_STATUS, text: string | null): string | undefined {
  return text === null ? undefined : list.find(([pattern]) => pattern.test(text))?.[1];
}

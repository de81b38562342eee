import { ENCRYPTION_REQUIRED, isEncryptionRequired } from "./encryption_required.ts";
import { isGreeting, type SmtpFailure, type SmtpFault } from "./smtp_failure.ts";

/** Consequence of a failure for a mail or its integration. */
export interface SmtpVerdict {
  /**
   * `defer`: try again later. `fail`: never again. `login_refused`: no mail of the integration can be
   * sent; it is tried again after a minute, and the second refusal suspends. `suspend_integration`:
   * nothing can be sent until the owner changes the settings; the mail waits. `unknown`: the server may
   * have the mail.
   */
  readonly kind: "defer" | "fail" | "login_refused" | "suspend_integration" | "unknown";
  /** A sentence for the sender of the mail. */
  readonly reason: string;
  /** The server's reply, where there is one. */
  readonly code?: number;
  readonly enhanced?: string;
  readonly response?: string;
}

type Judged = Pick<
  SmtpFailure,
  "phase" | "fault" | "unknown" | "code" | "enhanced" | "response" | "detail" | "remedy"
>;

/**
 * The only message about a server that did not prove to speak SMTP: a caller must not learn which ports of
 * other hosts are open, and what listens there.
 */
const UNREACHABLE = "The SMTP server does not answer, or accepts no mail at the moment";

const withoutReply: Record<
  Exclude<SmtpFault, "reply">,
  readonly [kind: SmtpVerdict["kind"], reason: string]
> = {
  dns: ["defer", "The name of the SMTP server could not be resolved"],
  refused: ["defer", UNREACHABLE],
  timeout: ["defer", "The SMTP server did not answer in time"],
  lost: ["defer", "The connection to the SMTP server was lost before it accepted the mail"],
  out_of_order: ["defer", "The SMTP server's replies do not match the commands"],
  tls: ["defer", "The connection to the SMTP server could not be encrypted"],
  certificate: ["defer", "The certificate of the SMTP server is not valid"],
  stalled: ["defer", "The SMTP server stopped answering before it accepted the mail"],
  aborted: ["defer", "Sending was interrupted before the SMTP server accepted the mail"],
  held: ["defer", "Sending was interrupted before the SMTP server accepted the mail"],
  host: [
    "suspend_integration",
    "The integration's host or port is not allowed here: change it, or ask the operator",
  ],
  "insecure_auth": [
    "suspend_integration",
    "The integration has a login but no encryption, and logins are not sent unencrypted",
  ],
  "bad_ca": [
    "suspend_integration",
    "The integration's own certificate authority cannot be read as PEM",
  ],
  "no_auth": ["defer", "The integration has a login, but the SMTP server offers none"],
  "no_token": ["defer", "The provider issues no access token at the moment"],
  "token_refused": ["suspend_integration", "The SMTP server refused the access token"],
  "no_smtputf8": ["fail", "The SMTP server does not support international email addresses"],
  "too_large": ["fail", "The mail is larger than the SMTP server allows"],
};

/**
 * Judges a failure. It never reads the text of a reply, only phases, codes (RFC 5321, 4.2.1) and enhanced
 * codes (RFC 3463): 4xx defers and 5xx fails, except where they are about the session or the login. Replies
 * from before the session was ready are not passed on.
 */
export function judgeSmtpFailure(failure: Judged): SmtpVerdict {
  const [kind, reason] = judge(failure);
  return { kind, reason, ...replyOf(failure) };
}

function replyOf({ phase, code, enhanced, response }: Judged): Partial<SmtpVerdict> {
  if (isGreeting(phase) || phase === "tls") return {};
  return {
    ...(code === undefined ? {} : { code }),
    ...(enhanced === undefined ? {} : { enhanced }),
    // A server that checks a login is a mail server, but its owner is unknown until it accepts one.
    ...(response === undefined || phase === "auth" ? {} : { response }),
  };
}

function judge(failure: Judged): readonly [SmtpVerdict["kind"], string] {
  if (failure.unknown) {
    return [
      "unknown",
      "The connection was lost after the mail was handed over, before the SMTP server confirmed it",
    ];
  }
  const { phase, code, enhanced } = failure;
  if (failure.fault === "reply" && code !== undefined) {
    if (phase === "auth") {
      const [kind, reason] = judgeLogin(code, enhanced);
      return [kind, sentenceOf(failure) ?? reason];
    }
    const [kind, reason] = judgeReply(phase, { code, enhanced });
    return [kind, kind === "defer" ? failure.detail ?? reason : reason];
  }
  const fault = failure.fault === "reply" ? "lost" : failure.fault;
  if (isGreeting(phase) && COARSE.has(fault)) return ["defer", UNREACHABLE];
  const [kind, reason] = withoutReply[fault];
  return [kind, sentenceOf(failure) ?? reason];
}

function sentenceOf({ detail, remedy }: Judged): string | undefined {
  return detail === undefined || remedy === undefined ? detail : `${detail}. ${remedy}`;
}

/** Faults that show how a server failed before it proved to speak SMTP. */
const COARSE: ReadonlySet<SmtpFault> = new Set([
  ...["refused", "timeout", "lost", "out_of_order", "stalled"] as const,
]);

/**
 * Replies to a command that a server does not know, accept in this order, or have. They do not concern a
 * password.
 */
const OF_COMMANDS: ReadonlySet<number> = new Set([500, 501, 502, 503, 504]);

/** Security or policy status (RFC 3463, section 3.8): a login that is wrong, too weak, or not allowed. */
const OF_LOGIN = /^5\.7\./;

/** Authentication required (RFC 4954, section 6). */
const LOGIN_MISSING = "5.7.0";

/** Too many recipients (RFC 3463, section 3.6). */
const TOO_MANY_RECIPIENTS = "5.5.3";

function judgeLogin(
  code: number,
  enhanced: string | undefined,
): readonly [SmtpVerdict["kind"], string] {
  if (code < 500) return ["defer", "The SMTP server could not check the login at the moment"];
  if (isEncryptionRequired({ code, enhanced })) return ["suspend_integration", ENCRYPTION_REQUIRED];
  if (OF_COMMANDS.has(code) && !OF_LOGIN.test(enhanced ?? "")) {
    return ["defer", "The SMTP server does not accept this login method, or not at the moment"];
  }
  return ["login_refused", "The SMTP server refused the user name or the password"];
}

function judgeReply(
  phase: Exclude<SmtpFailure["phase"], "auth">,
  { code, enhanced }: { code: number; enhanced: string | undefined },
): readonly [SmtpVerdict["kind"], string] {
  const permanent = code >= 500;
  switch (phase) {
    case "connect":
    case "greeting":
    case "ehlo":
      return ["defer", UNREACHABLE];
    case "tls":
      return [
        "defer",
        "The SMTP server does not offer the encryption that the integration requires",
      ];
  }
  // RFC 3207 and 4954: 530 asks for a login or encryption. After MAIL was accepted it may be about the
  // recipient: only the enhanced code shows it.
  if (code === 530 && (phase === "mail" || enhanced === LOGIN_MISSING)) {
    return ["suspend_integration", "The SMTP server requires authentication or encryption"];
  }
  // 552 at RCPT means too many recipients (RFC 5321, 4.5.3.1.10), unless the enhanced code differs: 5.2.2 is
  // a mailbox that is full.
  const isTooMany = code === 552 && phase === "rcpt" &&
    (enhanced === undefined || enhanced === TOO_MANY_RECIPIENTS);
  // 503 is about the order of commands.
  const temporary = !permanent || code === 503 || isTooMany;
  const what = {
    mail: "the sender address",
    rcpt: "the recipient address",
    data: "the mail",
    body: "the mail",
    dot: "the mail",
  }[phase];
  return temporary
    ? ["defer", `The SMTP server did not accept ${what} for now`]
    : ["fail", `The SMTP server refused ${what}`];
}

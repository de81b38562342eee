import type { SmtpFailure, SmtpFault } from "./smtp_failure.ts";

/** What becomes of a mail, or of its integration, after a failure. */
export interface SmtpVerdict {
  /**
   * `defer`: try again later. `fail`: never again. `suspend_integration`: nothing can be sent until
   * the owner changes the login; the mail waits. `unknown`: the server may have the mail.
   */
  readonly kind: "defer" | "fail" | "suspend_integration" | "unknown";
  /** A sentence for the sender of the mail. */
  readonly reason: string;
  /** The server's reply, where there is one. */
  readonly code?: number;
  readonly enhanced?: string;
  readonly response?: string;
}

type Judged = Pick<
  SmtpFailure,
  "phase" | "fault" | "unknown" | "code" | "enhanced" | "response"
>;

const withoutReply: Record<
  Exclude<SmtpFault, "reply">,
  readonly [kind: SmtpVerdict["kind"], reason: string]
> = {
  dns: ["defer", "The name of the SMTP server could not be resolved"],
  refused: ["defer", "The SMTP server refused the connection"],
  timeout: ["defer", "The SMTP server did not answer in time"],
  lost: ["defer", "The connection to the SMTP server was lost before it accepted the mail"],
  tls: ["defer", "The connection to the SMTP server could not be encrypted"],
  certificate: ["defer", "The certificate of the SMTP server is not valid for its name"],
  stalled: ["defer", "The SMTP server stopped answering before it accepted the mail"],
  aborted: ["defer", "Sending was interrupted before the SMTP server accepted the mail"],
  closed: ["defer", "Sending was interrupted before the SMTP server accepted the mail"],
  gate: ["defer", "Sending was interrupted before the SMTP server accepted the mail"],
  host: ["defer", "The SMTP server may not be connected to from here"],
  "insecure_auth": [
    "suspend_integration",
    "The integration has a login but no encryption, and logins are not sent in the clear",
  ],
  "no_auth": ["defer", "The integration has a login, but the SMTP server offers none"],
  "no_smtputf8": ["fail", "The SMTP server does not support international email addresses"],
  "too_large": ["fail", "The mail is larger than the SMTP server allows"],
};

/**
 * Judges a failure. It never reads the text of a reply, only phases and codes (RFC 5321, 4.2.1):
 * 4xx defers and 5xx fails, except where the code is about the session or the login.
 */
export function judgeSmtpFailure(failure: Judged): SmtpVerdict {
  const { code, enhanced, response } = failure;
  const reply = {
    ...(code === undefined ? {} : { code }),
    ...(enhanced === undefined ? {} : { enhanced }),
    ...(response === undefined ? {} : { response }),
  };
  const [kind, reason] = judge(failure);
  return { kind, reason, ...reply };
}

function judge(failure: Judged): readonly [SmtpVerdict["kind"], string] {
  if (failure.unknown) {
    return [
      "unknown",
      "The connection was lost after the mail was handed over, before the SMTP server confirmed it",
    ];
  }
  if (failure.fault !== "reply" || failure.code === undefined) {
    return withoutReply[failure.fault === "reply" ? "lost" : failure.fault];
  }
  return judgeReply(failure.phase, failure.code);
}

function judgeReply(
  phase: SmtpFailure["phase"],
  code: number,
): readonly [SmtpVerdict["kind"], string] {
  const permanent = code >= 500;
  switch (phase) {
    case "connect":
    case "greeting":
    case "ehlo":
      return ["defer", "The SMTP server does not take mail at the moment"];
    case "tls":
      return [
        "defer",
        "The SMTP server does not offer the encryption that the integration asks for",
      ];
    case "auth":
      return permanent
        ? ["suspend_integration", "The SMTP server refused the user name or the password"]
        : ["defer", "The SMTP server could not check the login at the moment"];
  }
  // RFC 3207: 530 asks for a login or encryption; it says nothing about this mail.
  if (code === 530) {
    return ["suspend_integration", "The SMTP server asks for a login or for encryption"];
  }
  // 503 is about the order of commands; 552 at RCPT means too many recipients (4.5.3.1.10).
  const temporary = !permanent || code === 503 || (code === 552 && phase === "rcpt");
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

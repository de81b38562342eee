import type { SmtpFault, SmtpPhase } from "./smtp_failure.ts";

/** nodemailer's connection errors carry more than its types say. */
export interface ConnectionError extends Error {
  code?: string;
  originalCode?: string;
  command?: string;
  response?: string;
}

/** The phase a command starts. RCPT and DATA may be sent ahead of the replies (RFC 2920), so they do not count. */
export function commandPhase(command: string): SmtpPhase | undefined {
  if (/^(EHLO|HELO) /.test(command)) return "ehlo";
  if (command === "STARTTLS") return "tls";
  if (command.startsWith("AUTH ")) return "auth";
  if (command.startsWith("MAIL ")) return "mail";
  return undefined;
}

/** The phase an error belongs to; what the error itself names is surer than what was reached. */
export function phaseOf(error: ConnectionError, reached: SmtpPhase): SmtpPhase {
  if (error.command === "MAIL FROM") return "mail";
  if (error.command === "RCPT TO") return "rcpt";
  if (error.command === "DATA" && error.code === "EENVELOPE") return "data";
  return reached;
}

/** Why a step failed that got no reply. */
export function faultOf(error: ConnectionError, phase: SmtpPhase): SmtpFault {
  const code = error.originalCode ?? "";
  if (/CERT|VERIFY_LEAF|ISSUER/.test(code)) return "certificate";
  if (phase === "tls" || /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code)) return "tls";
  if (error.code === "EDNS") return "dns";
  if (error.code === "ETIMEDOUT") return "timeout";
  if (error.code === "EMESSAGE") return "too_large";
  if (code === "ECONNREFUSED") return "refused";
  return "lost";
}

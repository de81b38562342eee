import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { bearerResponse, BY_TOKEN, type TokenMechanism } from "./_bearer_response.ts";
import type { SmtpReply } from "./reply_parser.ts";
import { SmtpError } from "./smtp_error.ts";

/** A login mechanism (RFC 4954). With `XOAUTH2` and `OAUTHBEARER`, the password is an access token. */
export type SmtpMechanism = "PLAIN" | "LOGIN" | "CRAM-MD5" | TokenMechanism;

/** The credentials of a login. */
export interface SmtpLogin {
  readonly user: string;
  readonly password: string;
  /** The server's first of PLAIN, LOGIN and CRAM-MD5 by default. */
  readonly method?: SmtpMechanism | undefined;
  /** Whether the password is an access token: then the default is XOAUTH2, or OAUTHBEARER. */
  readonly isToken?: boolean | undefined;
}

type Ask = (line: string) => Promise<SmtpReply>;

// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x1f\x7f]/;

/** By preference. */
const BY_PASSWORD = ["PLAIN", "LOGIN", "CRAM-MD5"] as const satisfies SmtpMechanism[];

/** Logs in. Returns the server's positive reply. @throws {SmtpError} */
export async function logIn(
  login: SmtpLogin,
  offered: readonly string[],
  ask: Ask,
): Promise<SmtpReply> {
  const method = methodOf(login, offered);
  const reply = await MECHANISMS[method](login, ask);
  if (!isGood(reply)) throw refusal(reply);
  return reply;
}

function methodOf(
  { method, isToken = false }: SmtpLogin,
  offered: readonly string[],
): SmtpMechanism {
  if (method !== undefined) return method;
  if (!isToken) return BY_PASSWORD.find((each) => offered.includes(each)) ?? "PLAIN";
  const found = BY_TOKEN.find((each) => offered.includes(each));
  if (found !== undefined) return found;
  throw new SmtpError("the server offers no login by access tokens", {
    ...{ phase: "auth", fault: "no_auth" },
  });
}

const MECHANISMS: Record<
  SmtpMechanism,
  (login: SmtpLogin, ask: Ask) => Promise<SmtpReply>
> = {
  "PLAIN": ({ user, password }, ask) => ask(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`),
  async "LOGIN"({ user, password }, ask) {
    await challenge(ask("AUTH LOGIN"));
    await challenge(ask(base64(user)));
    return await ask(base64(password));
  },
  async "CRAM-MD5"({ user, password }, ask) {
    const { lines } = await challenge(ask("AUTH CRAM-MD5"));
    const text = Buffer.from(lines[0] ?? "", "base64");
    const digest = createHmac("md5", password).update(text).digest("hex");
    return await ask(base64(`${user} ${digest}`));
  },
  "XOAUTH2": (login, ask) => logInByToken({ method: "XOAUTH2", login, dismissal: "" }, ask),
  // A single control-A, in base64 (RFC 7628, section 3.2.3).
  "OAUTHBEARER": (login, ask) =>
    logInByToken({ method: "OAUTHBEARER", login, dismissal: "AQ==" }, ask),
};

interface TokenAttempt {
  readonly method: TokenMechanism;
  readonly login: SmtpLogin;
  /** The answer to the challenge that contains the reason of a refusal. */
  readonly dismissal: string;
}

async function logInByToken(
  { method, login, dismissal }: TokenAttempt,
  ask: Ask,
): Promise<SmtpReply> {
  // Control-A separates the fields: a user with one could add fields of its own.
  if (CONTROL.test(login.user + login.password)) {
    throw new SmtpError("the user or the access token contains a control character", {
      ...{ phase: "auth", fault: "no_auth" },
    });
  }
  const reply = await ask(`AUTH ${method} ${bearerResponse(method, login)}`);
  if (reply.code !== 334) return reply;
  // The refusal itself follows the client's answer.
  const last = await ask(dismissal);
  if (isGood(last)) return last;
  const tokenStatus = statusOf(reply);
  throw new SmtpError(last.text, { phase: "auth", fault: "reply", reply: last, tokenStatus });
}

const STATUS = /^[\w-]{1,40}$/;

/** Returns the status in the challenge of a refusal (RFC 7628, section 3.2.2), or `unknown`. */
function statusOf({ lines }: SmtpReply): string {
  try {
    const { status } = JSON.parse(Buffer.from(lines[0] ?? "", "base64").toString());
    return STATUS.test(String(status)) ? String(status) : "unknown";
  } catch {
    return "unknown";
  }
}

async function challenge(asking: Promise<SmtpReply>): Promise<SmtpReply> {
  const reply = await asking;
  if (reply.code !== 334) throw refusal(reply);
  return reply;
}

function isGood({ code }: SmtpReply): boolean {
  return code < 300;
}

function refusal(reply: SmtpReply): SmtpError {
  return new SmtpError(reply.text, { phase: "auth", fault: "reply", reply });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

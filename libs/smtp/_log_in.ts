import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { SmtpReply } from "./reply_parser.ts";
import { SmtpError } from "./smtp_error.ts";

/** A login mechanism (RFC 4954). With `XOAUTH2`, the password is an access token. */
export type SmtpMechanism = "PLAIN" | "LOGIN" | "CRAM-MD5" | "XOAUTH2";

/** The credentials of a login. */
export interface SmtpLogin {
  readonly user: string;
  readonly password: string;
  /** The server's first of PLAIN, LOGIN and CRAM-MD5 by default. */
  readonly method?: SmtpMechanism | undefined;
}

type Ask = (line: string) => Promise<SmtpReply>;

/** By preference. */
const BY_PASSWORD = ["PLAIN", "LOGIN", "CRAM-MD5"] as const satisfies SmtpMechanism[];

/** Logs in. Returns the server's positive reply. @throws {SmtpError} */
export async function logIn(
  login: SmtpLogin,
  offered: readonly string[],
  ask: Ask,
): Promise<SmtpReply> {
  const method = login.method ?? BY_PASSWORD.find((each) => offered.includes(each)) ?? "PLAIN";
  const reply = await MECHANISMS[method](login, ask);
  if (!isGood(reply)) throw refusal(reply);
  return reply;
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
  async "XOAUTH2"({ user, password }, ask) {
    const token = `user=${user}\x01auth=Bearer ${password}\x01\x01`;
    const reply = await ask(`AUTH XOAUTH2 ${base64(token)}`);
    // The challenge contains the reason; the refusal follows an empty answer.
    return reply.code === 334 ? await ask("") : reply;
  },
};

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

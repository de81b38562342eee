import { OAUTH_ENDPOINTS, type OauthProvider } from "@posthaste/contracts";
import { z } from "zod";
import { OauthFailure, unavailable } from "./oauth_failure.ts";
import type { OpenedLogin } from "./opened_login.ts";
import type { FormAnswer } from "./post_form.ts";
import { refusalOf } from "./refusal.ts";

/** An access token that a provider issued. */
export interface IssuedToken {
  accessToken: string;
  expiresInMs: number;
  /** The one to use from now on, if it is another one. */
  refreshToken?: string | undefined;
}

/** Whose answer it is. `code`: to the exchange of a code. */
export interface Asked {
  provider: OauthProvider;
  kind: OpenedLogin["kind"] | "code";
}

/** As an initial response in base64, it fits into a command line (RFC 4954, section 4). */
const MAX_TOKEN = 8000;
const MIN_LIFE_S = 30;
const MAX_LIFE_S = 24 * 3600;
/** Of a token without a lifetime (RFC 6749, section 5.1). */
const USUAL_LIFE_S = 3600;
const MAX_RETRY_AFTER_S = 300;

const printable = (max: number) => z.string().min(1).max(max).regex(/^[\x21-\x7e]+$/);

const issuedSchema = z.object({
  access_token: printable(MAX_TOKEN),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive().catch(USUAL_LIFE_S),
  refresh_token: printable(8_000).optional(),
  scope: z.string().max(8_000).optional(),
});

const errorSchema = z.object({
  error: z.string().regex(/^[a-z_]{1,50}$/),
  error_description: z.string().max(20_000).catch(""),
});

/** Part of a scope that allows mail by SMTP. */
const MAIL_SCOPE: Record<OauthProvider, RegExp> = {
  microsoft: /\bSMTP\.Send\b/i,
  google: /(^| )https:\/\/mail\.google\.com\/( |$)/,
};

/** Reads the answer of a token endpoint. @throws {OauthFailure} If it is no token. */
export function readTokenAnswer(answer: FormAnswer, asked: Asked): IssuedToken {
  const json = jsonOf(answer.body);
  if (answer.status !== 200) throw failureOf(answer, json, asked);
  const read = issuedSchema.safeParse(json);
  const { name } = OAUTH_ENDPOINTS[asked.provider];
  if (!read.success) throw unavailable(`The answer of ${name} is not an access token`);
  const { access_token: accessToken, expires_in, refresh_token: refreshToken, scope } = read.data;
  checkScope(scope, asked);
  const lifeS = Math.min(Math.max(expires_in, MIN_LIFE_S), MAX_LIFE_S);
  return { accessToken, expiresInMs: lifeS * 1000, refreshToken };
}

/** People may consent to a part of what was asked. */
function checkScope(scope: string | undefined, { provider, kind }: Asked): void {
  if (scope === undefined || (kind !== "code" && kind !== "oauthRefreshToken")) return;
  if (MAIL_SCOPE[provider].test(scope)) return;
  throw new OauthFailure("The consent does not include the permission to send mail", {
    isPermanent: true,
    remedy: provider === "google"
      ? "Give consent again, and tick the box for mail"
      : "Add the delegated permission SMTP.Send to the app registration, and give consent again",
  });
}

function failureOf({ status, retryAfter }: FormAnswer, json: unknown, asked: Asked): OauthFailure {
  const read = errorSchema.safeParse(json);
  const { name } = OAUTH_ENDPOINTS[asked.provider];
  // Errors of the server, and limits of its rate, pass.
  if (read.success && status < 500 && status !== 429) {
    const { error, error_description: description } = read.data;
    const refusal = refusalOf({ error, description }, asked);
    if (refusal !== undefined) return refusal;
  }
  return unavailable(`The sign-in service of ${name} answered ${status}`, {
    retryAfterMs: retryAfterOf(retryAfter),
  });
}

function retryAfterOf(value: string | undefined): number | undefined {
  const seconds = Number(value);
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_S) * 1000 : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

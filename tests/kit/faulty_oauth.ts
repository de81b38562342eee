import { createHash, type KeyObject, randomUUID, verify } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ConsentFault,
  type OauthClient,
  type OauthCode,
  openConsentPage,
} from "./_faulty_oauth_consent.ts";
import { testCertificate } from "./test_certificate.ts";

/** A fault of a token endpoint. */
export type OauthFault =
  | { do: "error"; status: number; error: string; description?: string; retryAfter?: string }
  | { do: "answer"; status: number; body: string; headers?: Record<string, string> }
  /** Answers with more bytes than any token has. */
  | { do: "oversize" }
  /** Answers rightly, but late. */
  | { do: "delay"; ms: number }
  /** Never answers. */
  | { do: "hang" }
  | { do: "close" };

/** Settings of {@linkcode openFaultyOauth}. */
export interface FaultyOauthOptions {
  client?: OauthClient;
  /** The first refresh token. */
  refreshToken?: string;
  /** Whether each use of a refresh token replaces it, and ends the old one. */
  rotates?: boolean;
  serviceAccount?: { email: string; keyId: string; publicKey: KeyObject };
  codes?: Record<string, OauthCode>;
  /** @default {3600} */
  expiresInS?: number;
  scope?: string;
}

/** A request to the token endpoint. */
export interface OauthRequest {
  path: string;
  form: Readonly<Record<string, string>>;
}

/**
 * A provider that checks every request, and has every fault that it is set to: a token endpoint for POST, and a
 * page with the links "Allow" and "Cancel" for GET, on which a person consents.
 */
export interface FaultyOauth extends AsyncDisposable {
  /** `https://localhost:<port>`, with {@linkcode testCertificate}. */
  readonly origin: string;
  /** The parameters of every consent that was asked for. */
  readonly consents: readonly URLSearchParams[];
  /** Changes what the page of consents sends back from now on; `undefined` for nothing. */
  answerConsents(fault: ConsentFault | undefined): void;
  /** Every request to the token endpoint so far. */
  readonly requests: readonly OauthRequest[];
  /** The refresh token that is valid now. */
  readonly refreshToken: string;
  /** Returns whether a token was issued, and not revoked. */
  isValid(token: string): boolean;
  /** Revokes every access token. */
  revoke(): void;
  /** Changes its faults from now on, by the number of the request from 0; `undefined` for none. */
  behave(plan: ((before: number) => OauthFault | undefined) | undefined): void;
}

type Answer = [status: number, body: object];

const INVALID_GRANT: Answer = [400, { error: "invalid_grant", error_description: "Bad Request" }];
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Opens a provider on loopback, below any path. */
export async function openFaultyOauth(options: FaultyOauthOptions = {}): Promise<FaultyOauth> {
  const { client, rotates = false, expiresInS = 3600, scope } = options;
  const codes = new Map(Object.entries(options.codes ?? {}));
  const consent = openConsentPage(codes, client);
  const requests: OauthRequest[] = [];
  let valid = new Set<string>();
  let refreshToken = options.refreshToken ?? randomUUID();
  let plan: ((before: number) => OauthFault | undefined) | undefined;

  const server = createServer(testCertificate, (request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      return consent.handle(new URL(request.url ?? "", origin), response);
    }
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    requests.push({ path: request.url ?? "", form });
    const fault = plan?.(requests.length - 1);
    if (fault?.do === "close") return void request.socket.destroy();
    if (fault?.do === "hang") return;
    if (fault?.do === "delay") await delay(fault.ms);
    const [status, body, headers] = fault === undefined || fault.do === "delay"
      ? jsonOf(answerTo(form))
      : faultAnswer(fault);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  }

  function answerTo(form: Record<string, string>): Answer {
    const fault = form["grant_type"] === JWT_BEARER ? undefined : clientFault(form);
    return fault ?? answerToGrant(form);
  }

  function answerToGrant(form: Record<string, string>): Answer {
    switch (form["grant_type"]) {
      case "client_credentials":
        return issue();
      case "refresh_token":
        return form["refresh_token"] === refreshToken ? issue(rotates) : INVALID_GRANT;
      case "authorization_code":
        return redeems(form) ? issue(true) : INVALID_GRANT;
      case JWT_BEARER:
        return assertionFault(form["assertion"] ?? "") ?? issue();
      default:
        return [400, { error: "unsupported_grant_type" }];
    }
  }

  function clientFault(form: Record<string, string>): Answer | undefined {
    const { id, secret } = client ?? { id: form["client_id"], secret: form["client_secret"] };
    const isRight = form["client_id"] === id && form["client_secret"] === (secret ?? undefined);
    return isRight ? undefined : [401, { error: "invalid_client" }];
  }

  function redeems(form: Record<string, string>): boolean {
    const code = codes.get(form["code"] ?? "");
    codes.delete(form["code"] ?? "");
    const challenge = createHash("sha256").update(form["code_verifier"] ?? "").digest("base64url");
    return code?.challenge === challenge && code.redirectUri === form["redirect_uri"];
  }

  function assertionFault(assertion: string): Answer | undefined {
    const { serviceAccount } = options;
    const [head = "", claims = "", signature = ""] = assertion.split(".");
    const fault = (error_description: string): Answer => [
      ...[400, { error: "invalid_grant", error_description }] as const,
    ];
    if (serviceAccount === undefined) return fault("Invalid grant: account not found");
    const signed = Buffer.from(`${head}.${claims}`);
    const bytes = Buffer.from(signature, "base64url");
    if (!verify("RSA-SHA256", signed, serviceAccount.publicKey, bytes)) {
      return fault("Invalid JWT Signature.");
    }
    const { alg, kid } = partOf(head);
    const { iss, sub, aud, iat, exp, scope } = partOf(claims);
    const nowS = Date.now() / 1000;
    if (Number(iat) > nowS + 60 || Number(exp) < nowS || Number(exp) - Number(iat) > 3600) {
      return fault("Invalid JWT: Token must be a short-lived token");
    }
    const isRight = alg === "RS256" && kid === serviceAccount.keyId &&
      iss === serviceAccount.email && String(aud).startsWith(origin) && sub !== undefined &&
      scope === "https://mail.google.com/";
    return isRight ? undefined : [400, { error: "invalid_request" }];
  }

  function issue(withRefreshToken = false): Answer {
    const token = `at-${randomUUID()}`;
    valid.add(token);
    if (withRefreshToken) refreshToken = `rt-${randomUUID()}`;
    return [200, {
      ...{ access_token: token, token_type: "Bearer", expires_in: expiresInS },
      ...(withRefreshToken ? { refresh_token: refreshToken } : {}),
      ...(scope === undefined ? {} : { scope }),
    }];
  }

  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    consents: consent.asked,
    answerConsents: consent.answer,
    requests,
    get refreshToken() {
      return refreshToken;
    },
    isValid: (token) => valid.has(token),
    revoke: () => void (valid = new Set()),
    behave: (next) => void (plan = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function jsonOf([status, body]: Answer): [number, string, Record<string, string>] {
  return [status, JSON.stringify(body), {}];
}

function faultAnswer(
  fault: Extract<OauthFault, { do: "error" | "answer" | "oversize" }>,
): [number, string, Record<string, string>] {
  if (fault.do === "oversize") return [200, JSON.stringify({ padding: "x".repeat(1_000_000) }), {}];
  if (fault.do === "answer") return [fault.status, fault.body, fault.headers ?? {}];
  const { status, error, description: error_description, retryAfter } = fault;
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return [status, JSON.stringify({ error, error_description }), headers];
}

function partOf(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return {};
  }
}

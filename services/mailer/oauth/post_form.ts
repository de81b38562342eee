import { EgressError, type GuardedResolver } from "@posthaste/egress";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { OauthFailure, unavailable } from "./oauth_failure.ts";

/** Options of {@linkcode postForm}. */
export interface PostFormOptions {
  /** Decides which addresses may be reached. */
  resolveHost: GuardedResolver;
  /** For the whole request, in milliseconds. */
  timeoutMs: number;
  /** CA certificates to trust instead of the usual ones, as PEM. */
  ca?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** An answer of a token endpoint. */
export interface FormAnswer {
  status: number;
  body: string;
  /** Value of `Retry-After`. */
  retryAfter: string | undefined;
}

/** No account names the hosts of providers. */
const PROVIDERS = "";

/** A token has at most some kilobytes. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * Posts a form to a provider's token endpoint: only by https, only to the address that was checked, without
 * redirects and compression.
 *
 * @throws {OauthFailure} If there is no answer.
 */
export async function postForm(
  { url, form }: { url: string; form: Readonly<Record<string, string>> },
  options: PostFormOptions,
): Promise<FormAnswer> {
  const limit = AbortSignal.timeout(options.timeoutMs);
  const end = options.signal ? AbortSignal.any([limit, options.signal]) : limit;
  const at = new URL(url);
  const name = `The sign-in service of the provider (${at.hostname})`;
  try {
    const address = await addressOf(at, options);
    const body = new URLSearchParams(form).toString();
    return await read(await send(at, { body, address, end, ca: options.ca }), name);
  } catch (cause) {
    if (cause instanceof OauthFailure) throw cause;
    throw unavailable(sentenceOf(cause, { name, isLate: end.aborted }), { cause });
  }
}

async function addressOf(at: URL, { resolveHost }: PostFormOptions): Promise<string> {
  if (at.protocol !== "https:") {
    throw new OauthFailure("The token endpoint is not reached by https", {
      isPermanent: true,
      remedy: "Ask the operator to correct OAUTH_ENDPOINTS",
    });
  }
  try {
    return await resolveHost({ host: hostOf(at), port: portOf(at), owner: PROVIDERS });
  } catch (cause) {
    if (!(cause instanceof EgressError) || cause.fault !== "forbidden") throw cause;
    throw new OauthFailure("The address of the token endpoint is not allowed here", {
      isPermanent: true,
      remedy: "Ask the operator: a provider inside the network needs EGRESS_ALLOW",
      cause,
    });
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function portOf({ port }: URL): number {
  return Number(port) || 443;
}

interface Sending {
  body: string;
  /** Address to dial. */
  address: string;
  end: AbortSignal;
  ca: string | undefined;
}

function send(at: URL, { body, address, end, ca }: Sending): Promise<IncomingMessage> {
  const lookup: LookupFunction = (_host, { all }, callback) => {
    const family = isIP(address);
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request({
    method: "POST",
    ...{ host: hostOf(at), port: portOf(at), path: at.pathname + at.search },
    headers: {
      host: at.host,
      accept: "application/json",
      "accept-encoding": "identity",
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
      "user-agent": "Posthaste",
    },
    ...{ agent: false, lookup, signal: end, minVersion: "TLSv1.2" },
    ...(ca === undefined ? {} : { ca }),
  });
  sent.on("response", resolve).on("error", reject);
  sent.on("upgrade", (_response, socket) => {
    socket.destroy();
    reject(new Error("the server speaks another protocol"));
  });
  sent.end(body);
  return promise;
}

async function read(response: IncomingMessage, name: string): Promise<FormAnswer> {
  const { statusCode: status = 0, headers: { "retry-after": retryAfter } } = response;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    size += part.length;
    // Leaving the loop closes the connection.
    if (size > MAX_ANSWER_BYTES) throw unavailable(`${name} answered more than a token`);
    parts.push(part);
  }
  return { status, body: Buffer.concat(parts).toString(), retryAfter };
}

function sentenceOf(
  error: unknown,
  { name, isLate }: { name: string; isLate: boolean },
): string {
  if (isLate) return `${name} did not answer in time`;
  const { code } = error as { code?: string };
  const isTls = typeof code === "string" && /CERT|TLS|SSL|SELF_SIGNED|VERIFY|ALTNAME/.test(code);
  return isTls ? `The certificate of ${name} is not valid` : `${name} cannot be reached`;
}

import { EgressError, STRANGERS_CIPHERS } from "@posthaste/egress";
import { Agent as PlainAgent, type IncomingMessage, request as requestPlain } from "node:http";
import { Agent as TlsAgent, request as requestTls } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { WebhookEgress } from "./config.ts";
import { MAX_CONCURRENCY } from "./endpoint_state.ts";

/** A request to an endpoint. */
export interface Post {
  accountId: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The result of a request. */
export interface Posted {
  /** Null if no answer came. */
  status: number | null;
  /** A sentence; missing when it succeeded. */
  error?: string;
  /** The first 1 KB of the answer. */
  answer?: string;
  /** Value of `Retry-After`. */
  retryAfter?: string | undefined;
}

/** Options of {@linkcode openPoster}. */
export interface PosterOptions extends WebhookEgress {
  /** For the whole of a request, in milliseconds. */
  timeoutMs: number;
  /** CA certificates to trust instead of the usual ones, as PEM. */
  ca?: string | undefined;
}

/** Makes requests, and reuses connections. */
export interface Poster extends Disposable {
  /** Never throws: the error is in the result. */
  post(post: Post, signal: AbortSignal): Promise<Posted>;
}

const MAX_ANSWER_BYTES = 1024;
/** An answer is read up to here, so that its connection can be used again. */
const MAX_READ_BYTES = 65_536;
const IDLE_MS = 5000;
/** As many as an endpoint has requests in flight: closing some between two parts of a feed costs handshakes. */
const MAX_IDLE = MAX_CONCURRENCY;

/**
 * Opens a poster for endpoints: only to addresses that customers may reach, and it dials exactly the address
 * that was checked; no redirects, no credentials, no compression.
 */
export function openPoster(options: PosterOptions): Poster {
  const agentOptions = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE };
  const agents = {
    plain: new PlainAgent(agentOptions),
    tls: new TlsAgent({ ...agentOptions, ciphers: STRANGERS_CIPHERS }),
  };
  const { timeoutMs } = options;
  return {
    async post(post, signal) {
      const limit = AbortSignal.timeout(timeoutMs);
      const end = AbortSignal.any([limit, signal]);
      try {
        const url = new URL(post.url);
        const address = await addressOf(url, post.accountId, options);
        const response = await send(post, { url, address, agents, end, ca: options.ca });
        return await read(response);
      } catch (error) {
        return { status: null, error: limit.aborted ? lateIn(timeoutMs) : sentenceOf(error) };
      }
    },
    [Symbol.dispose]() {
      agents.plain.destroy();
      agents.tls.destroy();
    },
  };
}

/** The endpoint may not be reached. */
class PostError extends Error {
  override readonly name = "PostError";
}

async function addressOf(
  url: URL,
  owner: string,
  { resolve, mayBePlain }: WebhookEgress,
): Promise<string> {
  const isTls = url.protocol === "https:";
  const host = hostOf(url);
  const port = Number(url.port) || (isTls ? 443 : 80);
  const address = await resolve({ host, port, owner });
  if (!isTls && !mayBePlain(address)) throw new PostError("The URL must begin with https");
  return address;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

interface Sending {
  url: URL;
  /** Address to dial. */
  address: string;
  agents: { plain: PlainAgent; tls: TlsAgent };
  end: AbortSignal;
  ca: string | undefined;
}

function send(
  { headers, body }: Post,
  { url, address, agents, end, ca }: Sending,
): Promise<IncomingMessage> {
  const lookup: LookupFunction = (_host, { all }, callback) => {
    const family = isIP(address);
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
  const isTls = url.protocol === "https:";
  const given = {
    method: "POST",
    host: hostOf(url),
    port: Number(url.port) || (isTls ? 443 : 80),
    path: url.pathname + url.search,
    headers: { host: url.host, "content-length": Buffer.byteLength(body), ...headers },
    lookup,
    signal: end,
    ...(ca === undefined ? {} : { ca }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = isTls
    ? requestTls({ ...given, agent: agents.tls })
    : requestPlain({ ...given, agent: agents.plain });
  request.on("response", resolve).on("error", reject);
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    reject(new PostError("The endpoint speaks another protocol"));
  });
  request.end(body);
  return promise;
}

async function read(response: IncomingMessage): Promise<Posted> {
  const { statusCode: status = 0, headers: { "retry-after": retryAfter } } = response;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    if (size < MAX_ANSWER_BYTES) parts.push(part);
    size += part.length;
    // Leaving the loop closes the connection.
    if (size > MAX_READ_BYTES) break;
  }
  const answer = Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES).toString();
  const isSuccess = status >= 200 && status < 300;
  return {
    status,
    answer,
    retryAfter,
    ...(isSuccess ? {} : { error: `The endpoint answered ${status}` }),
  };
}

function lateIn(timeoutMs: number): string {
  return `The endpoint did not answer within ${timeoutMs / 1000} s`;
}

/** The sentence must not reveal what an address that is not a web server answers. */
function sentenceOf(error: unknown): string {
  if (error instanceof PostError) return error.message;
  if (error instanceof EgressError) {
    return error.message.replace(/^Cannot reach "[^"]*": /, "The endpoint cannot be reached: ");
  }
  const { code } = error as { code?: string };
  const isTls = typeof code === "string" && /CERT|TLS|SSL|SELF_SIGNED|VERIFY|ALTNAME/.test(code);
  return isTls
    ? "The certificate of the endpoint is not valid"
    : "The endpoint cannot be reached, or closed the connection";
}

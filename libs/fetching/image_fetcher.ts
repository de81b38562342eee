import {
  type Destination,
  EgressError,
  type GuardedResolver,
  openGuardedResolver,
  STRANGERS_CIPHERS,
} from "@posthaste/egress";
import type { GuardedResolverOptions, Networks } from "@posthaste/egress";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { FetchError } from "./fetch_error.ts";
import { imageFormat } from "./image_format.ts";

const PORTS = [80, 443];
const MAX_REDIRECTS = 3;
const MAX_URL_LENGTH = 4096;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Temporary statuses: a later request may succeed. */
const UNAVAILABLE = [408, 425, 429, 500, 502, 503, 504];

/** Options of {@linkcode openImageFetcher}. */
export interface ImageFetcherOptions {
  /** Networks that may be reached, on any port, although they are not public. */
  allowed: Networks;
  /** Time limit of one image, including redirects, in milliseconds. @default {10000} */
  timeLimitMs?: number;
  /** @default {2 MiB} */
  maxBytes?: number;
  /** Width times height. @default {50 million} */
  maxPixels?: number;
  /** Returns all addresses of a host name. @default the system's resolver */
  lookup?: GuardedResolverOptions["lookup"];
  /** Certificates of authorities to trust instead of the usual ones, as PEM. */
  ca?: string | Buffer;
}

/** An image, with the type that its bytes show. */
export interface FetchedImage {
  type: string;
  bytes: Buffer;
}

/** For whom an image is fetched. */
export interface FetchOptions {
  /** The account that named it. */
  owner: string;
  signal?: AbortSignal;
}

/**
 * Fetches an image by `http` or `https`.
 *
 * @throws {FetchError} If it is not fetched.
 */
export type FetchImage = (url: string, options: FetchOptions) => Promise<FetchedImage>;

/**
 * Returns a function that fetches images from customers' addresses: only by GET, without cookies, credentials
 * and compression. It connects only to checked public addresses, on ports 80 and 443, and follows at most
 * three redirects, each checked like the first address. Accepts PNG, JPEG, GIF, WebP and SVG.
 */
export function openImageFetcher(options: ImageFetcherOptions): FetchImage {
  const { allowed, lookup, timeLimitMs = 10_000 } = options;
  const resolve = openGuardedResolver({
    ports: PORTS,
    allowed,
    timeoutMs: Math.min(5000, timeLimitMs),
    ...(lookup ? { lookup } : {}),
  });
  return async (url, { owner, signal }) => {
    const limit = AbortSignal.timeout(timeLimitMs);
    const end = signal ? AbortSignal.any([limit, signal]) : limit;
    try {
      return await follow(url, { ...options, resolve, owner, end });
    } catch (cause) {
      if (cause instanceof FetchError) throw cause;
      const reason = limit.aborted
        ? `it took longer than ${timeLimitMs / 1000} s`
        : "its server cannot be reached, or closed the connection";
      throw new FetchError(url, { fault: "unavailable", reason, cause });
    }
  };
}

interface Fetching extends ImageFetcherOptions {
  resolve: GuardedResolver;
  owner: string;
  end: AbortSignal;
}

async function follow(url: string, fetching: Fetching): Promise<FetchedImage> {
  let at = parse(url, url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await get(url, { ...fetching, at });
    const { statusCode = 0, headers } = response;
    try {
      if (statusCode === 200) return await read(url, { ...fetching, response });
      const { location } = headers;
      if (!REDIRECTS.includes(statusCode) || location === undefined) {
        const fault = UNAVAILABLE.includes(statusCode) ? "unavailable" : "refused";
        throw new FetchError(url, { fault, reason: `its server returned ${statusCode}` });
      }
      at = parse(url, location, at);
    } finally {
      response.destroy();
    }
  }
  const reason = `it is redirected more than ${MAX_REDIRECTS} times`;
  throw new FetchError(url, { fault: "refused", reason });
}

function parse(asked: string, text: string, base?: URL): URL {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text, base) : null;
  const isWeb = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  if (isWeb && url.username === "" && url.password === "") return url;
  const reason = isWeb ? "its URL contains a user name" : "its URL is not http or https";
  throw new FetchError(asked, { fault: "forbidden", reason });
}

async function get(
  asked: string,
  { at, resolve, owner, end, ca }: Fetching & { at: URL },
): Promise<IncomingMessage> {
  const host = at.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(at.port) || (at.protocol === "https:" ? 443 : 80);
  const address = await unlessEnded(checked(asked, { resolve, host, port, owner }), end);
  const lookup: LookupFunction = (_host, { all }, callback) => {
    const family = isIP(address);
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
  const request = at.protocol === "https:" ? requestTls : requestPlain;
  return await new Promise((resolve, reject) => {
    const sent = request({
      host,
      port,
      path: at.pathname + at.search,
      headers: {
        host: at.host,
        accept: "image/*",
        "accept-encoding": "identity",
        "user-agent": "Posthaste",
      },
      agent: false,
      ciphers: STRANGERS_CIPHERS,
      lookup,
      signal: end,
      ...(ca === undefined ? {} : { ca }),
    });
    sent.on("response", resolve).on("error", reject).end();
    sent.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("the server speaks another protocol"));
    });
  });
}

async function checked(
  asked: string,
  { resolve, ...destination }: Destination & { resolve: GuardedResolver },
): Promise<string> {
  try {
    return await resolve(destination);
  } catch (cause) {
    if (!(cause instanceof EgressError)) throw cause;
    const fault = cause.fault === "not_found" ? "refused" : cause.fault;
    const reason = cause.message.replace(/^Cannot reach "[^"]*": /, "");
    throw new FetchError(asked, { fault, reason, cause });
  }
}

async function unlessEnded<T>(work: Promise<T>, end: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(end.reason);
  end.addEventListener("abort", stop, { once: true });
  try {
    if (end.aborted) stop();
    return await Promise.race([work, promise]);
  } finally {
    end.removeEventListener("abort", stop);
    work.catch(() => undefined);
  }
}

async function read(
  asked: string,
  { response, maxBytes = 2 * 1024 ** 2, maxPixels = 50_000_000 }: Fetching & {
    response: IncomingMessage;
  },
): Promise<FetchedImage> {
  const tooLarge = (reason: string) => new FetchError(asked, { fault: "too_large", reason });
  const unusable = (reason: string) => new FetchError(asked, { fault: "unusable", reason });
  const encoding = response.headers["content-encoding"] ?? "identity";
  // Not decompressed, so that a small answer cannot become a large one.
  if (encoding !== "identity") throw unusable("its server compressed it without a request");
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    size += part.length;
    if (size > maxBytes) throw tooLarge(`it has more than ${maxBytes} bytes`);
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  const format = imageFormat(bytes);
  if (format === undefined) throw unusable("it is not a PNG, JPEG, GIF, WebP or plain SVG image");
  const { type, width, height } = format;
  if (width * height > maxPixels) throw tooLarge(`it has more than ${maxPixels} pixels`);
  return { type, bytes };
}

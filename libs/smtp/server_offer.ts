/** A server's offer in its answer to EHLO (RFC 5321, section 4.1.1.1). */
export interface ServerOffer {
  /** The lines as received, without the first, which names the server. */
  readonly keywords: readonly string[];
  /** RFC 2920. */
  readonly pipelining: boolean;
  /** RFC 3207. */
  readonly startTls: boolean;
  /** RFC 6152. */
  readonly eightBitMime: boolean;
  /** RFC 6531. */
  readonly smtpUtf8: boolean;
  /** Whether it accepts the size of a mail in advance (RFC 1870). */
  readonly size: boolean;
  /** The largest mail in bytes. */
  readonly maxBytes?: number;
  /** The mechanisms of AUTH in capitals (RFC 4954), in the server's order. */
  readonly auth: readonly string[];
}

/** The offer of a server that only supports HELO. */
export const NO_OFFER: ServerOffer = parseOffer([]);

/** Parses the lines of an answer to EHLO, each without its code. Keywords may be in any case. */
export function parseOffer(lines: readonly string[]): ServerOffer {
  const keywords = lines.slice(1).map((line) => line.trim()).filter((line) => line !== "");
  const parameters = new Map<string, string[]>();
  for (const line of keywords) {
    // Old servers write "AUTH=PLAIN", beside the right form or instead of it.
    const [keyword = "", ...words] = line.toUpperCase().split(/[\s=]+/);
    parameters.set(keyword, [...parameters.get(keyword) ?? [], ...words]);
  }
  const maxBytes = Number(parameters.get("SIZE")?.[0]);
  return {
    keywords,
    pipelining: parameters.has("PIPELINING"),
    startTls: parameters.has("STARTTLS"),
    eightBitMime: parameters.has("8BITMIME"),
    smtpUtf8: parameters.has("SMTPUTF8"),
    size: parameters.has("SIZE"),
    // 0 means that there is no fixed limit.
    ...(maxBytes > 0 ? { maxBytes } : {}),
    auth: [...new Set(parameters.get("AUTH"))].filter((word) => word !== ""),
  };
}

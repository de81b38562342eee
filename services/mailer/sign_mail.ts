import { Buffer } from "node:buffer";
import type { KeyObject } from "node:crypto";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import RelaxedBody from "nodemailer/lib/dkim/relaxed-body";
import sign from "nodemailer/lib/dkim/sign";

/** A key to sign mail with, its secret already opened. */
export interface DkimSigner {
  readonly domain: string;
  readonly selector: string;
  readonly privateKey: KeyObject;
}

/** Maximum size of a signature in bytes. */
export const MAX_SIGNATURE_BYTES = 2048;

/**
 * The headers that a signature covers if a mail has them: all that people see, those that describe the body,
 * and how to unsubscribe (RFC 8058, 4).
 */
const SIGNED_HEADERS = "From:To:Cc:Reply-To:Subject:Date:Message-ID:MIME-Version:Content-Type:" +
  "List-Unsubscribe:List-Unsubscribe-Post";

/** The body is hashed in pieces of this many bytes, so that a large mail does not hold up the others. */
const PIECE_BYTES = 256 * 1024;

const END_OF_HEADERS = "\r\n\r\n";

/**
 * Puts a DKIM signature in front of a mail (RFC 6376, rsa-sha256, relaxed/relaxed). It contains no time: the
 * same mail and key give the same bytes, so every attempt is the same.
 *
 * @param raw The whole mail, with CRLF line ends.
 * @throws {Error} If the key cannot sign.
 */
export async function signMail(raw: Buffer, signer: DkimSigner): Promise<Buffer> {
  const end = raw.indexOf(END_OF_HEADERS);
  const body = raw.subarray(end + END_OF_HEADERS.length);
  const headers = headersOf(raw.subarray(0, end).toString("latin1"));
  const signature = sign(headers, "sha256", await hashBody(body), {
    domainName: signer.domain,
    keySelector: signer.selector,
    privateKey: signer.privateKey,
    headerFieldNames: SIGNED_HEADERS,
  });
  if (signature === false) throw new Error("Cannot sign the mail: its key cannot be used to sign");
  return Buffer.concat([Buffer.from(`${signature}\r\n`, "latin1"), raw]);
}

/** One entry for each header, with its folded lines. */
function headersOf(head: string): { key: string; line: string }[] {
  return head.split(/\r\n(?![ \t])/).map((line) => ({
    key: line.slice(0, line.indexOf(":")).trim().toLowerCase(),
    line,
  }));
}

async function hashBody(body: Buffer): Promise<string> {
  const hasher = new RelaxedBody({ hashAlgo: "sha256" });
  let hash = "";
  hasher.on("hash", (found: string) => hash = found);
  await finished(Readable.from(piecesOf(body)).pipe(hasher).resume());
  return hash;
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    yield body.subarray(start, start + PIECE_BYTES);
  }
}

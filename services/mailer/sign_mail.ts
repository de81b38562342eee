import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import RelaxedBody from "nodemailer/lib/dkim/relaxed-body";
import { type DkimSigner, signHeaders } from "./sign_headers.ts";

/** Maximum size of a signature in bytes. */
export const MAX_SIGNATURE_BYTES = 2048;

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
  const head = raw.subarray(0, end).toString("latin1");
  const signature = signHeaders(head, await hashBody(body), signer);
  return Buffer.concat([Buffer.from(`${signature}\r\n`, "latin1"), raw]);
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

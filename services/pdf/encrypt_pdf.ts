import { createCipheriv, createHash, randomBytes } from "node:crypto";
import type { PdfEncryption } from "@posthaste/contracts";
import { PdfObjects } from "./pdf_objects.ts";
import { scanObject, type StringPlace } from "./scan_object.ts";

const IV_BYTES = 16;

/** Everything is allowed: bits 1 and 2 are reserved (ISO 32000-2, table 22). */
const PERMISSIONS = -4;

/** AES-256 is not part of PDF 1.7, but an extension of it (Adobe extension level 8). */
const EXTENSION = "/Extensions <</ADBE <</BaseVersion /1.7 /ExtensionLevel 8>>>>";

const HEADER = Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1");

/**
 * Returns a PDF encrypted with AES-256, that a password opens (ISO 32000-2, 7.6.4, revision 6). The printed PDF
 * is written anew, with every string and stream encrypted: an incremental update would leave them readable.
 *
 * @throws {RangeError} If the PDF is not as Chromium writes it.
 */
export function encryptedPdf(pdf: Buffer, encryption: PdfEncryption): Buffer {
  const key = Buffer.from(encryption.key, "base64");
  const objects = new PdfObjects(pdf);
  const parts: Buffer[] = [HEADER];
  const places = new Map<number, number>();
  let length = HEADER.length;
  const write = (id: number, body: readonly Buffer[]) => {
    places.set(id, length);
    for (const part of [latin1(`${id} 0 obj`), ...body, latin1("endobj\n")]) {
      parts.push(part);
      length += part.length;
    }
  };
  for (const id of objects.ids()) {
    const body = encryptedObject(objects, { id, key });
    write(id, id === objects.root ? extended(body) : body);
  }
  const encrypt = objects.size;
  write(encrypt, [latin1(encryptionDictionary(encryption, key))]);
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  const id = hash.digest("hex").slice(0, 32);
  const trailer = `trailer\n<</Size ${encrypt + 1}\n/Root ${objects.root} 0 R\n` +
    `/Info ${objects.info} 0 R\n/Encrypt ${encrypt} 0 R\n/ID [<${id}><${id}>]>>\n`;
  parts.push(latin1(`${tableOf(places, encrypt + 1)}${trailer}startxref\n${length}\n%%EOF\n`));
  return Buffer.concat(parts);
}

interface EncryptedPart {
  id: number;
  key: Buffer;
}

/** Returns the parts of an object between `obj` and `endobj`. */
function encryptedObject(objects: PdfObjects, { id, key }: EncryptedPart): Buffer[] {
  const { pdf } = objects;
  const { start, end, strings, stream } = scanObject(pdf, objects.placeOf(id));
  const parts: Buffer[] = [];
  let at = start;
  const copy = (until: number) => {
    parts.push(pdf.subarray(at, until));
    at = until;
  };
  for (const string of inOrder(strings, stream?.lengthAt)) {
    copy(string.from);
    parts.push(
      "bytes" in string
        ? latin1(`<${encrypted(string.bytes, key).toString("hex")}>`)
        : latin1(`${encryptedLength(objects.integer(string.value))}`),
    );
    at = string.to;
  }
  copy(end);
  if (stream !== undefined) {
    const content = pdf.subarray(end, end + objects.integer(stream.lengthAt.value));
    const after = pdf.toString("latin1", end + content.length, end + content.length + 11);
    if (!/^\r?\n?endstream/.test(after)) {
      throw new RangeError(`Cannot encrypt the PDF: the stream ${id} has another length`);
    }
    parts.push(encrypted(content, key), latin1("\nendstream\n"));
  }
  return parts;
}

type Replaced = StringPlace | { from: number; to: number; value: string };

function inOrder(strings: readonly StringPlace[], length: Replaced | undefined): Replaced[] {
  const all: Replaced[] = length === undefined ? [...strings] : [...strings, length];
  return all.sort((one, other) => one.from - other.from);
}

function encrypted(bytes: Buffer, key: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  return Buffer.concat([iv, cipher.update(bytes), cipher.final()]);
}

function encryptedLength(length: number): number {
  return IV_BYTES + length + IV_BYTES - length % IV_BYTES;
}

/** Adds the extension to the catalog. */
function extended(body: readonly Buffer[]): Buffer[] {
  const [first, ...rest] = body;
  const text = first?.toString("latin1") ?? "";
  if (!/^\s*<</.test(text)) {
    throw new RangeError("Cannot encrypt the PDF: its catalog is no dictionary");
  }
  return [latin1(text.replace("<<", `<<${EXTENSION}\n`)), ...rest];
}

function encryptionDictionary({ u, ue, o, oe }: PdfEncryption, key: Buffer): string {
  const hex = (base64: string) => `<${Buffer.from(base64, "base64").toString("hex")}>`;
  return `\n<</Filter /Standard\n/V 5\n/R 6\n/Length 256\n/P ${PERMISSIONS}\n` +
    "/CF <</StdCF <</Type /CryptFilter\n/CFM /AESV3\n/AuthEvent /DocOpen\n/Length 32>>>>\n" +
    `/StmF /StdCF\n/StrF /StdCF\n/U ${hex(u)}\n/UE ${hex(ue)}\n/O ${hex(o)}\n/OE ${hex(oe)}\n` +
    `/Perms <${encryptedPermissions(key).toString("hex")}>>>\n`;
}

/** Algorithm 10 of ISO 32000-2. */
function encryptedPermissions(key: Buffer): Buffer {
  const block = Buffer.alloc(16, 0xff);
  block.writeInt32LE(PERMISSIONS, 0);
  block.write("Tadb", 8, "latin1");
  randomBytes(4).copy(block, 12);
  return createCipheriv("aes-256-ecb", key, null).setAutoPadding(false).update(block);
}

function tableOf(places: ReadonlyMap<number, number>, size: number): string {
  const lines = Array.from({ length: size }, (_, id) => {
    const at = places.get(id);
    return at === undefined
      ? "0000000000 65535 f \n"
      : `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  return `xref\n0 ${size}\n${lines.join("")}`;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

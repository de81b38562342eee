import { generateKeyPair } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { promisify } from "node:util";
import type { DnsCheck, DnsRecord } from "./interface/integrations.ts";

const BITS = 2048;
/** The most bytes in a string of a TXT record (RFC 1035, 3.3). */
const LONGEST_STRING = 255;
const DNS_TIMEOUT_MS = 2_500;

/** A new key pair to sign mail with. */
export interface DkimPair {
  /** PKCS #8, as PEM. */
  privateKey: string;
  /** SPKI in DER, as base64. */
  publicKey: string;
}

/** Generates a key of 2048 bits, which all receivers accept and name servers can hold. */
export async function newDkimPair(): Promise<DkimPair> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: BITS,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "der" },
  });
  return { privateKey, publicKey: publicKey.toString("base64") };
}

/** Returns the record that receivers look up (RFC 6376, 3.6). */
export function dkimRecord(
  { domain, selector, publicKey }: { domain: string; selector: string; publicKey: string },
): DnsRecord {
  const value = `v=DKIM1; k=rsa; p=${publicKey}`;
  const strings = value.match(new RegExp(`.{1,${LONGEST_STRING}}`, "g")) ?? [];
  return {
    type: "TXT",
    name: `${selector}._domainkey.${domain}`,
    value,
    quoted: strings.map((text) => `"${text}"`).join(" "),
  };
}

/** Finds all TXT records of a name. */
export type FindTxt = (name: string) => Promise<string[][]>;

/** Queries the system's name servers, with a time limit of some seconds. */
export function findTxt(name: string): Promise<string[][]> {
  return new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 }).resolveTxt(name);
}

/** Checks whether a record is published correctly. It never throws. */
export async function checkRecord({ name, value }: DnsRecord, find: FindTxt): Promise<DnsCheck> {
  let found: string[];
  try {
    found = (await find(name)).map((strings) => strings.join(""));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOTFOUND" || code === "ENODATA") {
      const detail =
        `There is no TXT record at ${name} yet. A new record may take an hour to appear`;
      return { outcome: "missing", detail, found: [] };
    }
    const detail = "The name servers do not answer. Retry in a minute";
    return { outcome: "unavailable", detail, found: [] };
  }
  const isPublished = found.some((text) => keyOf(text) === keyOf(value));
  if (isPublished && found.length === 1) {
    return { outcome: "published", detail: "The record is published correctly", found };
  }
  const detail = isPublished
    ? `There are ${found.length} records at ${name}, but receivers expect one. Remove the others`
    : `The record at ${name} has another key. Replace it, or create a key with another selector`;
  return { outcome: "different", detail, found };
}

function keyOf(record: string): string | undefined {
  const tags = record.split(";").map((tag) => tag.trim());
  if (tags.some((tag) => /^v\s*=/.test(tag) && !/^v\s*=\s*DKIM1$/.test(tag))) return undefined;
  return tags.find((tag) => /^p\s*=/.test(tag))?.replace(/^p\s*=/, "").replace(/\s+/g, "");
}

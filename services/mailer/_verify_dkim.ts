import { createHash, createPublicKey, createVerify } from "node:crypto";

/**
 * Verifies the first DKIM signature of a mail by RFC 6376, sections 3.4 to 3.7 and 6.1, without the code that
 * made it. Returns the tags of the signature; `undefined` if it is invalid.
 *
 * @param publicKey The value of `p=` in the record: SPKI in DER, as base64.
 */
export function verifyDkim(raw: Buffer, publicKey: string): Map<string, string> | undefined {
  const text = raw.toString("latin1");
  const split = text.indexOf("\r\n\r\n");
  const fields = text.slice(0, split).replace(/\r\n(?=[ \t])/g, "\0").split("\r\n")
    .map((line) => line.replaceAll("\0", "\r\n"));
  const signature = fields.find((field) => /^dkim-signature:/i.test(field)) ?? "";
  const tags = new Map(
    signature.slice(signature.indexOf(":") + 1).split(";").map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return [name.trim(), value.join("=").replace(/\s+/g, "")] as const;
    }),
  );
  if (tags.get("v") !== "1" || tags.get("a") !== "rsa-sha256") return undefined;
  if (tags.get("c") !== "relaxed/relaxed") return undefined;
  const lines = text.slice(split + 4).split("\r\n")
    .map((line) => line.replace(/[ \t]+/g, " ").replace(/ $/, ""));
  while (lines.at(-1) === "") lines.pop();
  const body = lines.length === 0 ? "" : `${lines.join("\r\n")}\r\n`;
  const bodyHash = createHash("sha256").update(body, "latin1").digest("base64");
  if (bodyHash !== tags.get("bh")) return undefined;
  const rest = fields.toReversed();
  const signed = (tags.get("h") ?? "").split(":").flatMap((name) => {
    const at = rest.findIndex((field) => nameOf(field) === name.trim().toLowerCase());
    return at < 0 ? [] : rest.splice(at, 1).map(relaxed);
  });
  const unsigned = relaxed(signature.replace(/(;\s*b=)[^;]*/, "$1"));
  const verifier = createVerify("rsa-sha256");
  verifier.update(`${signed.join("\r\n")}\r\n${unsigned}`, "latin1");
  const key = createPublicKey({
    ...{ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" },
  });
  return verifier.verify(key, tags.get("b") ?? "", "base64") ? tags : undefined;
}

function nameOf(field: string): string {
  return field.slice(0, field.indexOf(":")).trim().toLowerCase();
}

function relaxed(field: string): string {
  const value = field.slice(field.indexOf(":") + 1).replace(/\r\n/g, "");
  return `${nameOf(field)}:${value.replace(/[ \t]+/g, " ").trim()}`;
}

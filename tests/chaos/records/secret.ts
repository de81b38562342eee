import { createHash } from "node:crypto";

/** A secret that must never be exposed, for which a run searches. */
export interface Secret {
  /** What it is, for the table's readers. */
  name: string;
  /** Its bytes, one character each. */
  value: string;
}

/** A description of a secret that was found where it must not be. It does not contain the secret. */
export type Leak = string;

/**
 * Returns a password to search for: of letters and digits only, which are unchanged in a URL, in JSON and in
 * HTML, and long enough to be unique.
 */
export function canaryOf(seed: string): string {
  return `Canary${createHash("sha256").update(`canary ${seed}`).digest("hex").slice(0, 26)}`;
}

/** Returns every encoding of a secret, by its name. */
function formsOf({ value }: Secret): Map<string, string> {
  const bytes = Buffer.from(value, "latin1");
  const forms = new Map([["in the clear", value], ["in hex", bytes.toString("hex")]]);
  // Three ways: what stands before it, as in "\0user\0password", shifts the digits.
  for (const before of [0, 1, 2]) {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    // Only the digits that no neighbour has a part in.
    const digits = all.toString("base64").slice(Math.ceil(before * 4 / 3), all.length * 4 / 3);
    forms.set(`in base64, ${before} bytes on`, digits);
    forms.set(`in base64url, ${before} bytes on`, digits.replaceAll("+", "-").replaceAll("/", "_"));
    forms.set(`in base64 in a URL, ${before} bytes on`, encodeURIComponent(digits));
  }
  if (/^[ -~]*$/.test(value)) {
    forms.set("in a URL", encodeURIComponent(value));
    forms.set("in JSON", JSON.stringify(value).slice(1, -1));
  }
  return forms;
}

/** Searches for secrets in texts and files. */
export interface SecretSearch {
  /** Returns which secrets a text contains, and in which encoding. */
  (text: string | Buffer): Leak[];
}

/** Prepares a search for some secrets. */
export function searchFor(secrets: readonly Secret[]): SecretSearch {
  const needles = new Map<string, { leak: Leak; bytes: Buffer }>();
  for (const secret of secrets) {
    for (const [form, text] of formsOf(secret)) {
      if (needles.has(text)) continue;
      needles.set(text, { leak: `${secret.name} ${form}`, bytes: Buffer.from(text, "latin1") });
    }
  }
  return (text) => {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    return [...needles.values()].filter((needle) => bytes.includes(needle.bytes))
      .map(({ leak }) => leak);
  };
}

/** Returns a text without the secrets, so that it can be shown. */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  return secrets.flatMap((secret) => [...formsOf(secret).values()])
    .reduce((rest, form) => rest.replaceAll(form, "[secret]"), text);
}

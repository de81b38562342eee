const HIDDEN = "[redacted]";

/** Shorter texts also occur in other words: hiding them would damage the log more than it protects. */
const SHORTEST = 6;

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

// For the whole process, like the tracer: a writer of texts need not know who has secrets. The longest come
// first: replacing a part of one would leave the rest.
let known: readonly string[] = [];

/**
 * Removes values of secret settings from every text that {@linkcode hideSecrets} processes from now on. Of a
 * connection string, that is its password in every form in which an error may quote it, since parsers cut a
 * malformed one in odd places. Of other values, it is the whole value and each long part.
 */
export function rememberSecrets(values: Iterable<string>): void {
  const parts = [...values].flatMap((value) => partsOf(value.trim()));
  known = [...new Set([...known, ...parts])].toSorted((a, b) => b.length - a.length);
}

/** Removes the secrets of this process from a text. */
export function hideSecrets(text: string): string {
  let shown = text;
  for (const secret of known) {
    if (shown.includes(secret)) shown = shown.replaceAll(secret, HIDDEN);
  }
  return shown;
}

function partsOf(value: string): string[] {
  const parts = SCHEME.test(value)
    ? value.split(/,(?=[a-z][a-z0-9+.-]*:\/\/)/i).flatMap(passwordsIn)
    : [value, ...value.split(/[,:\s]+/).filter((part) => part.length >= 16)];
  return parts.filter((part) => part.length >= SHORTEST);
}

function passwordsIn(url: string): string[] {
  const rest = url.replace(SCHEME, "");
  const end = rest.lastIndexOf("@");
  // Without a host, the password is in the port's place.
  const user = end === -1 ? rest.replace(/[/?].*$/s, "") : rest.slice(0, end);
  if (end === -1 && /^[^:]*(:\d*)?(,[^:]*(:\d*)?)*$/.test(user)) return [];
  const password = user.includes(":") ? user.slice(user.indexOf(":") + 1) : user;
  const cuts = [...password.matchAll(/[@/?#,:]/g)].flatMap(({ index }) => [
    password.slice(0, index),
    password.slice(index + 1),
  ]);
  return [password, decoded(password), ...cuts, ...password.split(/[@/?#,:]/)]
    .flatMap((form) => [form, encodeURIComponent(form)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const MAX_LENGTH = 63;

/** Returns an alias for the name of a template: `Größe & Preis` becomes `grosse-preis`, or `grosse-preis-2`. */
export function suggestAlias(name: string, taken: ReadonlySet<string>): string {
  const words = name.normalize("NFKD").toLowerCase().replaceAll("ß", "ss")
    .replace(/[\u0300-\u036f]/g, "").replace(/[^a-z\d]+/g, "-").replace(/^-+|-+$/g, "");
  const stem = /^[a-z]/.test(words) ? words : `template-${words}`;
  for (let number = 1;; number++) {
    const end = number === 1 ? "" : `-${number}`;
    const alias = `${stem.slice(0, MAX_LENGTH - end.length).replace(/-+$/, "")}${end}`;
    if (!taken.has(alias)) return alias;
  }
}

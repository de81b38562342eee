/** Returns the name under which a new file is stored: `Our Logo.PNG` becomes `our-logo`, or `our-logo-2`. */
export function nameForFile(filename: string, taken: ReadonlySet<string>): string {
  const stem = filename.replace(/\.[a-z\d]{1,5}$/i, "").normalize("NFKD").toLowerCase()
    .replace(/[\u0300-\u036f]/g, "").replace(/[^a-z\d_.]+/g, "-").replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 56);
  const name = stem === "" ? "file" : stem;
  if (!taken.has(name)) return name;
  for (let number = 2;; number++) {
    if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
  }
}

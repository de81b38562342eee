/** Files by what they import, both from the root. Files that are no keys import nothing. */
export type ImportedFiles = ReadonlyMap<string, readonly string[]>;

/**
 * Finds files that import themselves through others. Returns each circle as its files in the order of
 * their imports: the last one imports the first. No circles remain when the last import of each is removed.
 */
export function findCircles(imports: ImportedFiles): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];

  function visit(file: string): void {
    const start = path.indexOf(file);
    if (start !== -1) circles.push(path.slice(start));
    if (start !== -1 || done.has(file)) return;
    path.push(file);
    for (const target of new Set(imports.get(file))) visit(target);
    path.pop();
    done.add(file);
  }

  for (const file of imports.keys()) visit(file);
  return circles;
}

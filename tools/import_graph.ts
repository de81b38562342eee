import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { packageOf, scanSource } from "./scan_imports.ts";
import { listEntries, listUnits } from "./workspace_units.ts";

/** The files of a repository that a file runs or names, directly or through others. */
export interface ImportGraph {
  /**
   * Returns all that a file reaches, itself included: files from the root
   * (`libs/storage/store.ts`), packages (`npm:mongodb`) and modules of Node (`node:net`).
   *
   * - A file that has only re-exports (a `mod.ts`) leads to the files of the imported names, not to all.
   * - Imports of types lead nowhere.
   * - A string that names a source file counts as an import: it is a program that the file starts.
   */
  reachOf(file: string): ReadonlySet<string>;
  /** Returns the part of it that a file loads into its own process: without the programs that it starts. */
  loadedBy(file: string): ReadonlySet<string>;
}

type Names = ReadonlyMap<string, string> | undefined;

interface Edge {
  target: string;
  /** Names in the file, with their names in the target; undefined for all. */
  names: Names;
  /** Whether the target is a program that the file starts. */
  isStarted?: boolean;
}

interface Source {
  edges: readonly Edge[];
  isOnlyReexports: boolean;
  /** The words that follow an `export`: the names that the file defines are among them. */
  exported: ReadonlySet<string>;
}

const OUTSIDE = /^(node|npm):/;
const EXPORTS = /\bexport\b[^;=(]*/g;
const WORDS = /[\w$]+/g;
const SOURCE_FILE = /\.[cm]?[jt]sx?$/;

/** Opens the graph of the sources below a folder; each is read once, on first use. */
export function openImportGraph(root: string): ImportGraph {
  const entries = listEntries(listUnits(root));
  const sources = new Map<string, Source | undefined>();

  function sourceOf(file: string): Source | undefined {
    if (!sources.has(file)) sources.set(file, readSource(file));
    return sources.get(file);
  }

  function readSource(file: string): Source | undefined {
    if (OUTSIDE.test(file) || !existsSync(join(root, file))) return undefined;
    const text = SOURCE_FILE.test(file) ? readFileSync(join(root, file), "utf8") : "";
    const { imports, paths, isOnlyReexports } = scanSource(text);
    const ofValues = imports.filter(({ isType }) => !isType);
    return {
      isOnlyReexports,
      exported: new Set(text.match(EXPORTS)?.flatMap((part) => part.match(WORDS) ?? [])),
      edges: [
        ...ofValues.map(({ specifier, names }) => ({ target: targetOf(specifier, file), names })),
        ...paths.flatMap((path) => startedBy(path, file)),
      ],
    };
  }

  function targetOf(specifier: string, from: string): string {
    if (specifier.startsWith("node:")) return specifier;
    if (specifier.startsWith(".")) return normalize(join(dirname(from), specifier));
    return entries.get(specifier) ?? `npm:${packageOf(specifier)}`;
  }

  /** Returns the program of a path in a string, which starts at the file's folder or at the root. */
  function startedBy(path: string, file: string): Edge[] {
    const target = [normalize(join(dirname(file), path)), normalize(path)]
      .find((each) => !each.startsWith("..") && existsSync(join(root, each)));
    return target === undefined ? [] : [{ target, names: undefined, isStarted: true }];
  }

  function isDefinedIn(name: string, file: string): boolean {
    const source = sourceOf(file);
    return source === undefined ? OUTSIDE.test(file) : source.exported.has(name);
  }

  function follow(file: string, { withStarted }: { withStarted: boolean }): ReadonlySet<string> {
    const reached = new Set<string>();
    const followed = new Set<string>();
    const visit = (target: string, names: Names): void => {
      const source = sourceOf(target);
      if (source === undefined && !OUTSIDE.test(target)) return;
      reached.add(target);
      if (source === undefined) return;
      if (source.isOnlyReexports && names !== undefined) {
        for (const name of names.values()) passOn({ name, target, edges: source.edges });
        return;
      }
      if (followed.has(target)) return;
      followed.add(target);
      for (const { target: next, names, isStarted = false } of source.edges) {
        if (withStarted || !isStarted) visit(next, names);
      }
    };
    const passOn = (
      { name, target, edges }: { name: string; target: string; edges: readonly Edge[] },
    ) => {
      const key = `${target}#${name}`;
      if (followed.has(key)) return;
      followed.add(key);
      const named = edges.filter((edge) => edge.names?.has(name));
      const found = named.length > 0
        ? named
        : edges.filter((edge) => edge.names === undefined && isDefinedIn(name, edge.target));
      for (const edge of found) {
        visit(edge.target, new Map([[name, edge.names?.get(name) ?? name]]));
      }
    };
    visit(normalize(file), undefined);
    return reached;
  }

  return {
    reachOf: (file) => follow(file, { withStarted: true }),
    loadedBy: (file) => follow(file, { withStarted: false }),
  };
}

/** One import of a source file. */
export interface FoundImport {
  /** The specifier: `./step.ts`, `node:http`, `zod`. */
  specifier: string;
  /** Its line, from 1. */
  line: number;
  /** Whether only types come in: such an import is gone when the program runs. */
  isType: boolean;
  /**
   * Names of values in this file, each with its name in the imported file; undefined for all (`*`, a default,
   * `import "x"`, `import("x")` unless as `const { a } = await import("x")`).
   */
  names: ReadonlyMap<string, string> | undefined;
}

const STATEMENT = /\b(?:import|export)\b((?:[\w\s{},*$@]|\\u)*?)\bfrom\s*(?=")/g;
const BARE_OR_DYNAMIC = /(?:(\{[\w\s:,$]+\})\s*=\s*await\s+)?\bimport\s*\(?\s*(?=")/g;
const BEFORE_REGEX =
  /(?:^|[(,=:[!&|?{};+*%<>~^-]|\b(?:return|typeof|case|in|of|await|yield|throw))\s*$/;

/**
 * Finds static imports, re-exports, type imports and `import("…")` with a literal, without being
 * misled by comments, strings, templates and regular expressions.
 */
export function scanImports(source: string): FoundImport[] {
  return findImports(source, maskSource(source));
}

/** The relations of a source file to others. */
export interface ScannedSource {
  imports: readonly FoundImport[];
  /** Strings that name a source file, except those of imports: `"./worker.ts"`. */
  paths: readonly string[];
  /** Whether it has re-exports (`export … from "…"`) and nothing else. */
  isOnlyReexports: boolean;
}

/** Returns the relations of a source file to others. */
export function scanSource(source: string): ScannedSource {
  const masking = maskSource(source);
  const imports = findImports(source, masking);
  const imported = new Set(imports.map(({ specifier }) => specifier));
  const { masked, strings } = masking;
  const rest = masked.replace(/\bexport\b[\w\s{},*$]*?\bfrom\s*"[^"]*"\s*;?/g, "");
  return {
    imports,
    paths: [...strings.values()]
      .filter((text) => /^[\w@./-]+\.(ts|tsx|mjs|sh)$/.test(text) && !imported.has(text)),
    isOnlyReexports: rest !== masked && rest.trim() === "",
  };
}

/** Returns the package of a specifier: `@x/a` of `@x/a/b`, `zod` of `zod/v4`. */
export function packageOf(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

function findImports(source: string, { masked, strings }: MaskedSource): FoundImport[] {
  const found: FoundImport[] = [];
  for (const pattern of [STATEMENT, BARE_OR_DYNAMIC]) {
    for (const match of masked.matchAll(pattern)) {
      const at = match.index + match[0].length;
      const specifier = strings.get(at);
      if (specifier === undefined) continue;
      const line = source.slice(0, at).split("\n").length;
      found.push({ specifier, line, ...readClause(match[1] ?? "") });
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

/** Parses the clause between `import` or `export` and `from`, or the names on the left of `await import()`. */
function readClause(clause: string): Pick<FoundImport, "isType" | "names"> {
  const text = clause.trim();
  const isType = /^type\b\s*[{*\w]/.test(text);
  const list = /^\{([^}]*)\}$/.exec(text)?.[1];
  if (list === undefined) return { isType, names: undefined };
  const names = new Map<string, string>();
  for (const item of list.split(",").map((each) => each.trim())) {
    if (item === "" || /^type\s/.test(item)) continue;
    const [name = "", alias = name] = item.split(/\s+as\s+|\s*:\s*/);
    // `import { a as b }` and `const { a: b }` declare b and import a; `export { a as b }` exports b and imports a.
    names.set(alias, name);
  }
  return { isType: isType || names.size === 0, names };
}

/** Finds the lines, from 1, that contain a name as an identifier or a string, except in comments. */
export function scanName(source: string, name: string): number[] {
  if (!source.includes(name)) return [];
  const { masked, strings } = maskSource(source);
  const code = [...masked.matchAll(new RegExp(`\\b${name}\\b`, "g"))].map(({ index }) => index);
  const quoted = [...strings].filter(([, text]) => text === name).map(([at]) => at);
  return [...code, ...quoted].map((at) => source.slice(0, at).split("\n").length)
    .toSorted((a, b) => a - b);
}

interface MaskedSource {
  masked: string;
  /** Texts of the strings, by their offset. */
  strings: Map<number, string>;
}

/** Blanks out comments, strings, templates and regular expressions; strings are kept by their offset. */
function maskSource(source: string): MaskedSource {
  const strings = new Map<number, string>();
  let masked = "";
  let at = 0;
  while (at < source.length) {
    const end = endOfToken(source, at, masked);
    if (end === at) {
      masked += source[at++];
      continue;
    }
    const char = source[at];
    const token = source.slice(at, end);
    if (char === '"' || char === "'") {
      strings.set(at, token.slice(1, -1));
      masked += `"${blank(token.slice(1, -1))}"`;
    } else {
      masked += char === "/" && (token[1] === "/" || token[1] === "*")
        ? blank(token)
        : `0${blank(token.slice(1))}`;
    }
    at = end;
  }
  return { masked, strings };
}

/**
 * Returns the end of the comment, string, template or regular expression that starts here, otherwise this
 * position.
 */
function endOfToken(source: string, at: number, before: string): number {
  const char = source[at];
  const next = source[at + 1];
  if (char === "/" && next === "/") return indexOrEnd(source, "\n", at);
  if (char === "/" && next === "*") return indexOrEnd(source, "*/", at + 2) + 2;
  if (char === '"' || char === "'") return endOfQuoted(source, at, char);
  if (char === "`") return endOfTemplate(source, at);
  if (char === "/" && BEFORE_REGEX.test(before.slice(-40))) return endOfRegex(source, at);
  return at;
}

function endOfQuoted(source: string, at: number, quote: string): number {
  let end = at + 1;
  while (end < source.length && source[end] !== quote && source[end] !== "\n") {
    end += source[end] === "\\" ? 2 : 1;
  }
  return end + 1;
}

function endOfTemplate(source: string, at: number): number {
  let end = at + 1;
  while (end < source.length && source[end] !== "`") {
    if (source[end] === "$" && source[end + 1] === "{") end = endOfHole(source, end + 2);
    else end += source[end] === "\\" ? 2 : 1;
  }
  return end + 1;
}

function endOfHole(source: string, at: number): number {
  let end = at;
  let depth = 1;
  while (end < source.length) {
    const skipped = endOfToken(source, end, source.slice(Math.max(0, end - 40), end));
    if (skipped > end) {
      end = skipped;
      continue;
    }
    if (source[end] === "{") depth++;
    if (source[end] === "}" && --depth === 0) return end + 1;
    end++;
  }
  return end;
}

function endOfRegex(source: string, at: number): number {
  let inClass = false;
  for (let end = at + 1; end < source.length && source[end] !== "\n"; end++) {
    const char = source[end];
    if (char === "\\") end++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return end + 1;
  }
  return at;
}

function indexOrEnd(source: string, text: string, from: number): number {
  const index = source.indexOf(text, from);
  return index === -1 ? source.length : index;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

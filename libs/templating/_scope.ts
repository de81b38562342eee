import {
  type BlockStatement,
  isScoped,
  type Node,
  type PathExpression,
  type StringLiteral,
  type SubExpression,
} from "./_handlebars.ts";

/** The target of names: the steps from the top, or nothing if that is unknown. */
export type Context = readonly string[] | undefined;

/** The meaning of names at a place of a template. */
export interface Scope {
  readonly contexts: readonly Context[];
  /** The names that a `{{#let}}` gave, by the position of its context. */
  readonly given?: ReadonlyMap<number, ReadonlyMap<string, Context>>;
  readonly names: ReadonlyMap<string, Context>;
}

/** Returns whether names have another meaning inside of a block. */
export function entersContext(name: string): boolean {
  return name === "each" || name === "with" || name === "let";
}

/** Returns the scope inside of an `each`, `with` or `let`. */
export function entered(block: BlockStatement, scope: Scope): Scope {
  if ((block.path as PathExpression).original === "let") return named(block, scope);
  const target = targetOf(block.params[0], scope);
  const isEach = (block.path as PathExpression).original === "each";
  const inner = isEach && target ? [...target, "[]"] : target;
  const names = new Map(scope.names);
  const [value, key] = block.program.blockParams ?? [];
  if (value !== undefined) names.set(value, inner);
  if (key !== undefined) names.set(key, undefined);
  return { ...scope, contexts: [...scope.contexts, inner], names };
}

function named({ params, hash }: BlockStatement, scope: Scope): Scope {
  const pairs = hash?.pairs ?? [];
  const [subject] = params;
  if (subject === undefined && pairs.length === 0) return scope;
  const own = new Map(pairs.map(({ key, value }) => [key, targetOf(value, scope)]));
  const names = new Map([...scope.names].filter(([name]) => !own.has(name)));
  const before = scope.given?.get(scope.contexts.length - 1);
  // Without an object, names that a block around it gave stay.
  const given = subject === undefined ? new Map([...before ?? [], ...own]) : own;
  return {
    contexts: [
      ...scope.contexts,
      subject === undefined ? scope.contexts.at(-1) : targetOf(subject, scope),
    ],
    given: new Map([...scope.given ?? [], [scope.contexts.length, given]]),
    names,
  };
}

/**
 * Returns the path of a value from the top: of a name, or of a field that `lookup` finds under a written name.
 *
 * @param inside Steps from the value on. A `{{#let}}` may have given the first: of all paths, only the whole one
 * shows that.
 */
export function targetOf(
  node: Node | undefined,
  scope: Scope,
  inside: readonly string[] = [],
): Context {
  if (node?.type === "PathExpression") {
    const path = node as PathExpression;
    return resolve({ ...path, parts: [...path.parts, ...inside] }, scope);
  }
  if (node?.type !== "SubExpression") return undefined;
  const { path, params: [holder, key] } = node as SubExpression;
  if ((path as PathExpression).original !== "lookup") return undefined;
  const name = writtenName(key);
  return name === undefined ? undefined : targetOf(holder, scope, [name, ...inside]);
}

/**
 * Returns the name of a field that is written as a text. Leaves out a name with a dot or a bracket: as a step of a
 * path, it would look like several steps.
 */
export function writtenName(node: Node | undefined): string | undefined {
  const name = node?.type === "StringLiteral" ? (node as StringLiteral).value : "";
  return name === "" || /[.[\]]/.test(name) ? undefined : name;
}

/** Returns the path of a name from the top, as far as it is known. */
export function resolve(path: PathExpression, { contexts, names, given }: Scope): Context {
  const parts = path.parts as string[];
  const [head, ...tail] = parts;
  if (path.data) return head === "root" ? tail : undefined;
  if (head !== undefined && path.depth === 0 && !isScoped(path) && names.has(head)) {
    const start = names.get(head);
    return start && [...start, ...tail];
  }
  const own = given?.get(contexts.length - 1 - path.depth);
  if (head !== undefined && own?.has(head)) {
    const start = own.get(head);
    return start && [...start, ...tail];
  }
  const context = contexts.at(-1 - path.depth);
  return context && [...context, ...parts];
}

import { type BlockStatement, isScoped, type Node, type PathExpression } from "./_handlebars.ts";

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
  const [subject] = block.params;
  const isPath = subject?.type === "PathExpression";
  const target = isPath ? resolve(subject as PathExpression, scope) : undefined;
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
  const target = (node: Node | undefined): Context =>
    node?.type === "PathExpression" ? resolve(node as PathExpression, scope) : undefined;
  const own = new Map(pairs.map(({ key, value }) => [key, target(value)]));
  const names = new Map([...scope.names].filter(([name]) => !own.has(name)));
  const before = scope.given?.get(scope.contexts.length - 1);
  // Without an object, names that a block around it gave stay.
  const given = subject === undefined ? new Map([...before ?? [], ...own]) : own;
  return {
    contexts: [...scope.contexts, subject === undefined ? scope.contexts.at(-1) : target(subject)],
    given: new Map([...scope.given ?? [], [scope.contexts.length, given]]),
    names,
  };
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

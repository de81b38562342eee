import type { BlockStatement, Node, PathExpression } from "./_handlebars.ts";
import { isScoped } from "./_handlebars.ts";
import { type Call, callsHelper, type TemplateParts } from "./check_template.ts";
import { childrenOf, parseTemplate } from "./_parse_template.ts";
import { TEMPLATE_PARTS, type TemplatePart } from "./template_error.ts";

/** A variable that a template reads from its request. */
export interface TemplateVariable {
  /** The top-level name, as a request gives it. */
  readonly name: string;
  /** All paths that are read of it: `customer.name`, or `lines[].price` inside an `each`. */
  readonly paths: readonly string[];
  readonly usedIn: readonly TemplatePart[];
  /** The place of its first use, from 1. */
  readonly line: number;
  readonly column: number;
  /** Name of the partial with its first use; missing for the template itself. */
  readonly partial?: string | undefined;
  /** The fields that are read of it, except those with a dot or a bracket in a name. */
  readonly fields?: readonly FieldRead[] | undefined;
}

/** The first use of a path inside of a variable. */
export interface FieldRead {
  readonly path: string;
  readonly part: TemplatePart;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Name of the partial with it; missing for the template itself. */
  readonly partial?: string | undefined;
}

/** The most fields to record for one template. */
const MAX_FIELDS = 1_000;

/** The target of names: the steps from the top, or nothing if that is unknown. */
export type Context = readonly string[] | undefined;

/** The meaning of names at a place of a template. */
export interface Scope {
  readonly contexts: readonly Context[];
  /** The names that a `{{#let}}` gave, by the position of its context. */
  readonly given?: ReadonlyMap<number, ReadonlyMap<string, Context>>;
  readonly names: ReadonlyMap<string, Context>;
}

/**
 * Returns the variables of a template, in the order of their first use in subject, HTML, text and invoice. A name
 * inside `each` or `with` belongs to the list or object, not to the top; `@root.` and `../` lead back. A
 * variable that occurs only inside an `{{#if}}` also counts. Parts that cannot be parsed are left out.
 */
export function templateVariables(parts: TemplateParts): TemplateVariable[] {
  const found = new Map<string, Variable>();
  let fields = 0;
  for (const part of TEMPLATE_PARTS) {
    const ast = parseTemplate(part, parts[part] ?? "").ast;
    if (!ast) continue;
    walk(ast, { contexts: [[]], names: new Map() }, (steps, node) => {
      const [name] = steps;
      if (name === undefined || name === "[]") return;
      const { line, column } = node.loc.start;
      const variable = found.get(name) ??
        { name, paths: [], usedIn: [], line, column: column + 1 };
      found.set(name, variable);
      const path = steps.join(".").replaceAll(".[]", "[]");
      // Inside many blocks, the path of a name can be far longer than its source.
      if (path.length <= 1_000 && !variable.paths.includes(path)) {
        variable.paths.push(path);
        if (steps.length > 1 && steps.every(isPlain) && ++fields <= MAX_FIELDS) {
          variable.fields ??= [];
          variable.fields.push({ path, part, line, column: column + 1 });
        }
      }
      if (!variable.usedIn.includes(part)) variable.usedIn.push(part);
    });
  }
  return [...found.values()];
}

interface Variable extends TemplateVariable {
  paths: string[];
  usedIn: TemplatePart[];
  fields?: FieldRead[];
}

/** Returns whether a step of a path can be recognized in the path. */
function isPlain(step: string): boolean {
  return step === "[]" || !/[.[\]]/.test(step);
}

type Report = (steps: readonly string[], node: Node) => void;

function walk(node: Node, scope: Scope, report: Report): void {
  if (node.type === "PathExpression") {
    const steps = resolve(node as PathExpression, scope);
    if (steps) report(steps, node);
    return;
  }
  if (node.type === "BlockStatement") return walkBlock(node as BlockStatement, scope, report);
  const call = node as Call;
  const isCall = "params" in node && callsHelper(call);
  for (const child of childrenOf(node)) {
    if (!isCall || child !== call.path) walk(child, scope, report);
  }
}

function walkBlock(block: BlockStatement, scope: Scope, report: Report): void {
  for (const child of [...block.params, ...block.hash ? [block.hash] : []]) {
    walk(child, scope, report);
  }
  const name = (block.path as PathExpression).original;
  if (block.program) {
    walk(block.program, entersContext(name) ? entered(block, scope) : scope, report);
  }
  if (block.inverse) walk(block.inverse, scope, report);
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
  return { contexts: [...scope.contexts, inner], names };
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

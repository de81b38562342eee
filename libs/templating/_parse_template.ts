import { type Ast, handlebars, type Node } from "./_handlebars.ts";
import { excessOf } from "./_excess.ts";
import { TEMPLATE_LIMITS } from "./limits.ts";
import { explainSyntaxError } from "./_syntax_error.ts";
import type { TemplateError, TemplatePart } from "./template_error.ts";

/** A template that Handlebars can parse and that is within the limits, or its fault. */
export type ParsedTemplate =
  | { readonly ast: Ast; readonly error?: never }
  | { readonly ast?: never; readonly error: TemplateError };

/**
 * Parses one part. Cheap counts come first, so that the parser never sees a source made to exhaust it. It
 * accepts only text: a ready-made syntax tree could contain code.
 */
export function parseTemplate(part: TemplatePart, source: string): ParsedTemplate {
  if (typeof source !== "string") return { error: at(part, "A template must be a text") };
  const refused = refuseAtSight(part, source);
  if (refused) return { error: refused };
  let ast: Ast;
  try {
    ast = handlebars.parse(source);
  } catch (error) {
    if (error instanceof RangeError) return { error: at(part, TOO_DEEP) };
    return { error: { part, ...explainSyntaxError(source, error) } };
  }
  const beyond = findBeyondLimits(ast);
  return beyond ? { error: { part, ...beyond } } : { ast };
}

function refuseAtSight(part: TemplatePart, source: string): TemplateError | undefined {
  const most = TEMPLATE_LIMITS.characters[part];
  if (source.length > most) {
    return at(part, `The ${part} has ${source.length} characters, more than the limit of ${most}`);
  }
  let count = 0;
  for (let from = source.indexOf("{{"); from !== -1; from = source.indexOf("{{", from + 2)) {
    if (++count > TEMPLATE_LIMITS.nodes) {
      return { part, ...lineOf(source, from), message: TOO_MANY };
    }
  }
  const excess = excessOf(source, TEMPLATE_LIMITS);
  return excess && at(part, excess === "depth" ? TOO_DEEP : TOO_MANY);
}

const TOO_MANY = `The template has more than ${TEMPLATE_LIMITS.nodes} placeholders and blocks`;
const TOO_DEEP = `Blocks and parentheses are nested more than ${TEMPLATE_LIMITS.depth} deep`;
const TOO_LONG = `A name has more than ${TEMPLATE_LIMITS.name} characters`;

function at(part: TemplatePart, message: string): TemplateError {
  return { part, line: 1, column: 1, message };
}

function lineOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/**
 * Walks without recursion. The lexer has counted the depth already. It is checked again here, in case the
 * grammar of another version of Handlebars nests more than {@linkcode excessOf} counts.
 */
function findBeyondLimits(ast: Ast): Omit<TemplateError, "part"> | undefined {
  const open: [Node, number][] = [[ast, 0]];
  let count = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, depth] = next;
    count += weight(node);
    const message = depth > TEMPLATE_LIMITS.depth
      ? TOO_DEEP
      : isLongName(node)
      ? TOO_LONG
      : count > TEMPLATE_LIMITS.nodes
      ? TOO_MANY
      : undefined;
    const { line = 1, column = 0 } = node.loc?.start ?? {};
    if (message) return { line, column: column + 1, message };
    const inner = deepens(node) ? depth + 1 : depth;
    for (const child of childrenOf(node)) open.push([child, inner]);
  }
  return undefined;
}

function isLongName(node: Node): boolean {
  if (node.type !== "PathExpression") return false;
  return String((node as hbs.AST.PathExpression).original).length > TEMPLATE_LIMITS.name;
}

/** Returns the weight of a node: `{{a}}` weighs 1, each argument 1, each further step of a path 1. */
function weight(node: Node): number {
  if (node.type === "PathExpression") {
    return Math.max(1, (node as hbs.AST.PathExpression).parts.length);
  }
  return WEIGHTLESS.includes(node.type) ? 0 : 1;
}

const WEIGHTLESS = ["Program", "ContentStatement", "MustacheStatement", "SubExpression", "Hash"];

function deepens(node: Node): boolean {
  return node.type === "BlockStatement" || node.type === "SubExpression";
}

/** Returns every node directly inside this one. */
export function childrenOf(node: Node): Node[] {
  const { body, path, params, hash, pairs, value, program, inverse } = node as unknown as Record<
    string,
    Node[] & Node | undefined
  >;
  const inside = [path, hash, program, inverse, node.type === "HashPair" ? value : undefined];
  return [...body ?? [], ...params ?? [], ...pairs ?? [], ...inside].filter((each) =>
    each !== undefined && each !== null && typeof each === "object"
  ) as Node[];
}

import type { BlockStatement, Node, PathExpression } from "./_handlebars.ts";
import { type Call, callsHelper, type TemplateParts } from "./check_template.ts";
import { namedFields } from "./_named_fields.ts";
import { childrenOf, parseTemplate } from "./_parse_template.ts";
import { entered, entersContext, resolve, type Scope } from "./_scope.ts";
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
  if (!isCall) return;
  for (const { steps, node: name } of namedFields(call, scope)) report(steps, name);
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

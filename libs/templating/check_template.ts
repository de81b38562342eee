import {
  type BlockStatement,
  type Expression,
  isScoped,
  type MustacheStatement,
  type Node,
  type PathExpression,
  type SubExpression,
} from "./_handlebars.ts";
import { assetFaults } from "./_asset_calls.ts";
import { type HelperDescription, helperNamed, HELPERS } from "./helper_list.ts";
import { nearest } from "./_nearest.ts";
import { childrenOf, parseTemplate } from "./_parse_template.ts";
import {
  reportable,
  TEMPLATE_PARTS,
  type TemplateError,
  type TemplatePart,
} from "./template_error.ts";

/** The sources of an email template by part; of a PDF template, `html` and `invoice`. */
export type TemplateParts = Partial<Readonly<Record<TemplatePart, string>>>;

/** A node that may call a helper. */
export type Call = MustacheStatement | SubExpression | BlockStatement;
type Report = (node: Node, message: string) => void;

/** Blocks that bind their value to names of the author's choice. */
const NAMING = ["each", "with"];

/** The data variables that `@name` may refer to. */
const DATA = ["root", "index", "key", "first", "last"];

/**
 * Returns every fault of a template: limits, syntax, helpers that do not exist or are used wrongly, partials,
 * decorators. A part that cannot be parsed has one error, the others all of theirs. An empty list means that
 * the template may be published.
 *
 * On a malicious source this takes up to a second: a service checks inside the sandbox.
 */
export function checkTemplate(parts: TemplateParts): TemplateError[] {
  return TEMPLATE_PARTS.flatMap((part) => {
    const source = parts[part];
    return source === undefined ? [] : checkPart(part, source);
  });
}

function checkPart(part: TemplatePart, source: string): TemplateError[] {
  const { ast, error } = parseTemplate(part, source);
  if (error) return reportable([error]);
  const errors: TemplateError[] = [];
  check(ast, (node, message) => {
    const { line, column } = node.loc.start;
    errors.push({ part, line, column: column + 1, message });
  });
  for (const { node: { loc: { start } }, message } of assetFaults(part, ast)) {
    errors.push({ part, line: start.line, column: start.column + 1, message });
  }
  return reportable(errors.sort((a, b) => a.line - b.line || a.column - b.column));
}

function check(node: Node, report: Report): void {
  switch (node.type) {
    case "PartialStatement":
    case "PartialBlockStatement":
      return report(node, "Partials ({{> name}}) are not known here");
    case "Decorator":
    case "DecoratorBlock":
      return report(node, "Decorators ({{* name}}) are not supported");
    case "MustacheStatement":
    case "SubExpression":
      checkInline(node as MustacheStatement | SubExpression, report);
      break;
    case "BlockStatement":
      checkBlock(node as BlockStatement, report);
      break;
    case "PathExpression":
      checkPath(node as PathExpression, report);
  }
  // The path of a call is a helper's name, and was checked with the call.
  const isCall = "params" in node && callsHelper(node as Call);
  for (const child of childrenOf(node)) {
    if (!isCall || child !== (node as Call).path) check(child, report);
  }
}

function checkInline(node: MustacheStatement | SubExpression, report: Report): void {
  if (node.path.type.endsWith("Literal")) {
    return report(node, "A placeholder must name a variable: write fixed text without braces");
  }
  if (!callsHelper(node)) return;
  const helper = helperOf(node, report);
  if (!helper) return;
  if (helper.kind === "block") {
    return report(node, `"${helper.name}" is a block: write ${helper.signature}`);
  }
  checkArguments(node, helper, report);
}

function checkBlock(node: BlockStatement, report: Report): void {
  const name = (node.path as PathExpression).original;
  const plain = node.params.length === 0 && !node.hash?.pairs.length;
  if (plain && !helperNamed(name)) {
    const forms = [`{{#each ${name}}} for a list`, `{{#with ${name}}} for an object`];
    const message = `There is no block "${name}": write ${forms.join(", ")}`;
    return report(node, `${message}, or {{#if ${name}}} for a condition`);
  }
  const helper = helperOf(node, report);
  if (!helper) return;
  if (helper.kind === "inline") {
    return report(node, `"${helper.name}" is not a block: write {{${helper.signature}}}`);
  }
  checkNames(node, helper, report);
  checkArguments(node, helper, report);
}

/** Checks block parameters: a block without values to name would fail at its first one. */
function checkNames(node: BlockStatement, { name }: HelperDescription, report: Report): void {
  const { program, inverse } = node;
  const gives = NAMING.includes(name);
  if ((gives || !program?.blockParams?.length) && !inverse?.blockParams?.length) return;
  report(node, `"as |name|" is for ${NAMING.map((each) => `{{#${each}}}`).join(" and ")}`);
}

/**
 * Returns whether a node calls a helper. `{{date}}` is the variable of that name; with arguments it is the
 * helper.
 */
export function callsHelper(node: Call): boolean {
  return node.type !== "MustacheStatement" || node.params.length > 0 ||
    (node.hash?.pairs.length ?? 0) > 0;
}

function helperOf(node: Call, report: Report): HelperDescription | undefined {
  const path = node.path as PathExpression;
  const name = path.original;
  const helper = path.data || path.depth > 0 || isScoped(path) ? undefined : helperNamed(name);
  if (!helper) {
    const guess = nearest(name, HELPERS.map((each) => each.name));
    const hint = guess ? `: did you mean "${guess}"?` : "; variable names have no spaces";
    report(node, `There is no helper "${name}"${hint}`);
  }
  return helper;
}

function checkArguments(node: Call, helper: HelperDescription, report: Report): void {
  const [least, most] = helper.arguments;
  const given = node.params.length;
  if (given < least || given > most) {
    const problem = given < least ? "needs more arguments" : "has too many arguments";
    const form = helper.kind === "block" ? helper.signature : `{{${helper.signature}}}`;
    report(node, `"${helper.name}" ${problem}: write ${form}`);
  }
  for (const { key, loc } of node.hash?.pairs ?? []) {
    if (helper.takesNames || helper.options.includes(key)) continue;
    const guess = nearest(key, helper.options);
    const hint = guess ? `: did you mean "${guess}"?` : "";
    report({ type: "HashPair", loc }, `"${helper.name}" has no option "${key}"${hint}`);
  }
}

function checkPath(path: PathExpression & Expression, report: Report): void {
  const [name] = path.parts;
  if (path.data && !DATA.includes(name ?? "")) {
    report(path, `There is no "@${name}": there are ${DATA.map((each) => `@${each}`).join(", ")}`);
  }
}

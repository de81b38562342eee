import type { Expression, MustacheStatement, Node, PathExpression } from "./_handlebars.ts";
import { TEMPLATE_LIMITS } from "./limits.ts";
import { childrenOf } from "./_parse_template.ts";
import type { TemplatePart } from "./template_error.ts";

/** A call of `{{asset "name"}}` in a syntax tree. */
export interface AssetCall {
  node: Node;
  /** Undefined if it is not a fixed text. */
  name: string | undefined;
}

/** Lists the calls of the helper `asset`, in the order of the source. */
export function assetCalls(ast: Node): AssetCall[] {
  const calls: AssetCall[] = [];
  const open: Node[] = [ast];
  for (let node = open.pop(); node; node = open.pop()) {
    const { path, params = [] } = node as Partial<MustacheStatement>;
    const isCall = node.type === "SubExpression" || node.type === "MustacheStatement";
    // Without arguments, a placeholder is the variable of that name.
    if (isCall && params.length > 0 && (path as PathExpression).original === "asset") {
      calls.push({ node, name: textOf(params[0]) });
    }
    open.push(...childrenOf(node));
  }
  const offset = ({ node: { loc: { start } } }: AssetCall) => start.line * 1e6 + start.column;
  return calls.sort((a, b) => offset(a) - offset(b));
}

function textOf(param: Expression | undefined): string | undefined {
  return param?.type === "StringLiteral" ? (param as hbs.AST.StringLiteral).value : undefined;
}

/** Returns the faults of these calls: publishing must know every file, and only HTML shows images. */
export function assetFaults(part: TemplatePart, ast: Node): { node: Node; message: string }[] {
  const calls = assetCalls(ast);
  const faults = calls.flatMap(({ node, name }) => {
    if (part !== "html") return [{ node, message: '"asset" works in the HTML only' }];
    return name === undefined ? [{ node, message: NOT_FIXED }] : [];
  });
  const names = new Set<string>();
  const beyond = calls.find(({ name }) => names.add(name ?? "").size > TEMPLATE_LIMITS.images);
  const message = `A template shows at most ${TEMPLATE_LIMITS.images} different images`;
  return beyond === undefined ? faults : [...faults, { node: beyond.node, message }];
}

const NOT_FIXED = '"asset" takes the name of a stored image in quotes: write {{asset "logo"}}';

import {
  isBinaryExpression,
  isCallExpression,
  isDoStatement,
  isForStatement,
  isIfStatement,
  isWhileStatement,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import { parseSources } from "./_parse_sources.ts";
import { type TimeKind, WallTimeFacts } from "./_wall_time_facts.ts";

/** A place where a test judges a duration. */
export interface WallTime {
  /** The given path of the source. */
  file: string;
  /** From 1. */
  line: number;
  /** The comparison or assertion, on one line. */
  text: string;
}

const COMPARISONS = [
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
];

/**
 * Finds where tests compare or assert durations of wall time: differences of two readings of the
 * clock, followed through variables, properties, lists, and functions of the same and of other given
 * sources. A loop may wait for a time, and a date that the product stored may be compared with now.
 *
 * @param sources TypeScript by path.
 */
export function findWallTime(sources: ReadonlyMap<string, string>): WallTime[] {
  const parsed = parseSources(sources);
  const facts = new WallTimeFacts(parsed);
  const found: WallTime[] = [];
  for (const [file, source] of parsed.files) {
    const visit = (node: Node): void => {
      if (judges(node, facts)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ file, line: line + 1, text: node.getText().replace(/\s+/g, " ") });
      } else node.forEachChild(visit);
    };
    visit(source);
  }
  return found;
}

function judges(node: Node, facts: WallTimeFacts): boolean {
  if (isCallExpression(node)) {
    return /^(t\.|context\.)?assert\b/.test(node.expression.getText()) &&
      node.arguments.some((argument) => facts.kindOf(argument) === "elapsed");
  }
  if (!isBinaryExpression(node) || !COMPARISONS.includes(node.operatorToken.kind)) return false;
  const kinds = [node.left, node.right].map((side) => facts.kindOf(side));
  if (kinds.includes("elapsed")) return !isCondition(node, ["loop"]);
  return kinds.every(isReading) && !isCondition(node, ["loop", "if"]);
}

function isReading(kind: TimeKind | undefined): boolean {
  return kind === "now" || kind === "date";
}

/** Returns whether a comparison decides only whether a loop continues, or a branch is taken. */
function isCondition(node: Node, of: readonly ("loop" | "if")[]): boolean {
  let inner = node;
  while (
    isBinaryExpression(inner.parent) || inner.parent.kind === SyntaxKind.ParenthesizedExpression
  ) {
    inner = inner.parent;
  }
  const { parent } = inner;
  if (isWhileStatement(parent) || isDoStatement(parent)) return of.includes("loop");
  if (isForStatement(parent)) return of.includes("loop") && parent.condition === inner;
  return of.includes("if") && isIfStatement(parent) && parent.expression === inner;
}

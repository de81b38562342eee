import {
  type BindingName,
  type CallExpression,
  type Expression,
  isArrayBindingPattern,
  isArrayLiteralExpression,
  isArrowFunction,
  isAsExpression,
  isAwaitExpression,
  isBinaryExpression,
  isBindingElement,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isForOfStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isNewExpression,
  isNonNullExpression,
  isObjectBindingPattern,
  isParenthesizedExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isSpreadElement,
  isVariableDeclaration,
  isVariableDeclarationList,
  type Node,
  SyntaxKind,
} from "typescript/unstable/ast";
import type { ParsedSources } from "./_parse_sources.ts";
import { fakedClocks } from "./_faked_clocks.ts";

/**
 * The relation of an expression to the wall clock: `now` is a reading of it, or a time made from one; `date`
 * the same as a `Date`; `elapsed` the difference of two.
 */
export type TimeKind = "now" | "date" | "elapsed";

type FunctionNode = Node & { parameters: readonly { name: BindingName }[]; body?: Node };

const ASSIGNMENTS = [
  SyntaxKind.EqualsToken,
  SyntaxKind.PlusEqualsToken,
  SyntaxKind.MinusEqualsToken,
  SyntaxKind.QuestionQuestionEqualsToken,
];
const EITHER = [SyntaxKind.QuestionQuestionToken, SyntaxKind.BarBarToken];
/** Methods that pass the elements of a list as the first argument of a function. */
const HANDS_OVER = ["map", "filter", "find", "findLast", "some", "every", "forEach", "flatMap"];
const HANDS_OVER_TWO = ["reduce", "sort", "toSorted"];
/** Methods that convert a date or number. */
const READS = ["getTime", "valueOf"];
/** Methods of a list or number that return neither. */
const GIVES_OTHER = ["some", "every", "includes", "join", "toString", "toFixed"];
const ADDS = ["push", "unshift", "add"];

/** Finds the names and properties of tests that hold readings of the clock and durations. */
export class WallTimeFacts {
  readonly #symbols: ParsedSources["symbols"];
  readonly #faked: ReturnType<typeof fakedClocks>;
  readonly #variables = new Map<number, TimeKind>();
  readonly #results = new Map<number, TimeKind>();
  readonly #functions = new Map<number, FunctionNode>();
  /** By name: a type between where it is written and read hides which property it is. */
  readonly #properties = new Map<string, TimeKind>();
  #hasLearned = false;

  constructor({ files, symbols }: ParsedSources) {
    this.#symbols = symbols;
    this.#faked = fakedClocks({ files, symbols });
    do {
      this.#hasLearned = false;
      for (const file of files.values()) this.#learn(file);
    } while (this.#hasLearned);
  }

  /** Returns the relation of an expression to the wall clock, if there is one. */
  kindOf(node: Node | undefined): TimeKind | undefined {
    if (node === undefined) return undefined;
    if (
      isParenthesizedExpression(node) || isAsExpression(node) || isNonNullExpression(node) ||
      isSatisfiesExpression(node) || isAwaitExpression(node) || isSpreadElement(node)
    ) return this.kindOf(node.expression);
    if (isIdentifier(node)) return this.#variables.get(this.#symbol(node));
    if (isPropertyAccessExpression(node)) {
      return this.#properties.get(this.#scoped(node, node.name.text));
    }
    if (isElementAccessExpression(node)) return this.kindOf(node.expression);
    if (isArrayLiteralExpression(node)) return this.#strongest(node.elements);
    if (isConditionalExpression(node)) return this.#strongest([node.whenTrue, node.whenFalse]);
    if (isPrefixUnaryExpression(node)) {
      const kind = this.kindOf(node.operand);
      return kind === "date" ? "now" : kind;
    }
    if (isBinaryExpression(node)) return this.#calculate(node);
    if (isNewExpression(node)) return this.#construct(node);
    return isCallExpression(node) ? this.#call(node) : undefined;
  }

  #calculate({ left, operatorToken: { kind: operator }, right }: {
    left: Expression;
    operatorToken: { kind: SyntaxKind };
    right: Expression;
  }): TimeKind | undefined {
    const kinds = [this.kindOf(left), this.kindOf(right)];
    const [first, second] = kinds;
    if (EITHER.includes(operator)) return first ?? second;
    switch (operator) {
      case SyntaxKind.AmpersandAmpersandToken:
      case SyntaxKind.CommaToken:
        return second;
      case SyntaxKind.MinusToken:
        if (isTime(first) && isTime(second)) return "elapsed";
        // The age of stored data is not a duration of the test.
        if (isTime(second)) return undefined;
        return first === "date" ? "now" : first ?? second;
      case SyntaxKind.PlusToken:
        if (kinds.some(isTime)) return "now";
        return first ?? second;
      case SyntaxKind.AsteriskToken:
      case SyntaxKind.SlashToken:
      case SyntaxKind.PercentToken:
        return kinds.includes("elapsed") ? "elapsed" : kinds.find(isTime);
    }
    return undefined;
  }

  #construct({ expression, arguments: args = [] }: {
    expression: Expression;
    arguments?: readonly Expression[] | undefined;
  }): TimeKind | undefined {
    if (!isIdentifier(expression) || expression.text !== "Date") return undefined;
    if (args.length === 0) return this.#faked(expression, "Date") ? undefined : "date";
    return isTime(this.kindOf(args[0])) ? "date" : undefined;
  }

  #call(call: CallExpression): TimeKind | undefined {
    const { expression, arguments: args } = call;
    const name = expression.getText();
    if (name === "performance.now" || name === "Date.now") {
      return this.#faked(call, name === "Date.now" ? "Date" : "performance") ? undefined : "now";
    }
    if (/(^|\.)hrtime(\.bigint)?$/.test(name)) return args.length === 0 ? "now" : "elapsed";
    if (/^(Math\.\w+|Number|BigInt|Promise\.(all|race))$/.test(name)) {
      const kind = this.#strongest(args);
      return kind === "date" ? "now" : kind;
    }
    if (isIdentifier(expression)) return this.#results.get(this.#symbol(expression));
    if (!isPropertyAccessExpression(expression)) return undefined;
    if (GIVES_OTHER.includes(expression.name.text)) return undefined;
    const own = this.kindOf(expression.expression);
    if (own === "date") return READS.includes(expression.name.text) ? "now" : undefined;
    return own ?? this.#properties.get(this.#scoped(call, `${expression.name.text}()`));
  }

  #strongest(nodes: readonly Node[]): TimeKind | undefined {
    const kinds = nodes.map((node) => this.kindOf(node));
    return kinds.includes("elapsed") ? "elapsed" : kinds.find((kind) => kind !== undefined);
  }

  #learn(node: Node): void {
    if (isVariableDeclaration(node) || isBindingElement(node)) this.#learnVariable(node);
    else if (isForOfStatement(node)) this.#learnLoop(node);
    else if (isBinaryExpression(node) && ASSIGNMENTS.includes(node.operatorToken.kind)) {
      const kind = this.kindOf(node.right);
      // Adding to a time leaves a time: only a duration that is added up makes a duration.
      if (node.operatorToken.kind === SyntaxKind.EqualsToken || kind === "elapsed") {
        this.#learnTarget(node.left, kind);
      }
    } else if (isPropertyAssignment(node)) {
      this.#learnProperty(node, { name: node.name.getText(), value: node.initializer });
    } else if (isShorthandPropertyAssignment(node)) {
      this.#learnProperty(node, { name: node.name.getText(), value: node.name });
    } else if (isCallExpression(node)) this.#learnCall(node);
    else if (isFunction(node)) this.#learnFunction(node);
    node.forEachChild((child) => this.#learn(child));
  }

  #learnVariable(node: Node & { name?: BindingName | undefined; initializer?: Node | undefined }) {
    const { name, initializer } = node;
    if (name === undefined || initializer === undefined) return;
    if (isIdentifier(name) && isFunction(initializer)) {
      this.#functions.set(this.#symbol(name), initializer);
    }
    this.#bind(name, this.kindOf(initializer));
  }

  #learnLoop({ initializer, expression }: { initializer: Node; expression: Expression }): void {
    if (!isVariableDeclarationList(initializer)) return;
    for (const { name } of initializer.declarations) this.#bind(name, this.kindOf(expression));
  }

  #learnTarget(target: Node, kind: TimeKind | undefined): void {
    if (isIdentifier(target)) this.#keep(this.#variables, this.#symbol(target), kind);
    else if (isPropertyAccessExpression(target) && kind !== "date") {
      this.#keep(this.#properties, this.#scoped(target, target.name.text), kind);
    }
  }

  #learnProperty(node: Node, { name, value }: { name: string; value: Node }): void {
    if (isFunction(value)) {
      const kind = this.#resultOf(value);
      return this.#keep(this.#properties, this.#scoped(node, `${name}()`), kind);
    }
    const kind = this.kindOf(value);
    // Dates of test data are no readings of the clock.
    if (kind !== "date") this.#keep(this.#properties, this.#scoped(node, name), kind);
  }

  #learnCall({ expression, arguments: args }: CallExpression): void {
    if (isIdentifier(expression)) {
      const { parameters = [] } = this.#functions.get(this.#symbol(expression)) ?? {};
      for (const [index, { name }] of parameters.entries()) {
        this.#bind(name, this.kindOf(args[index]));
      }
    }
    if (!isPropertyAccessExpression(expression)) return;
    const method = expression.name.text;
    if (ADDS.includes(method)) this.#learnTarget(expression.expression, this.#strongest(args));
    const [callback] = args;
    if (callback === undefined || !isFunction(callback)) return;
    const count = HANDS_OVER.includes(method) ? 1 : HANDS_OVER_TWO.includes(method) ? 2 : 0;
    const kind = this.kindOf(expression.expression);
    for (const { name } of callback.parameters.slice(0, count)) this.#bind(name, kind);
  }

  #learnFunction(node: FunctionNode): void {
    const kind = this.#resultOf(node);
    if (isMethodDeclaration(node)) {
      this.#keep(this.#properties, this.#scoped(node, `${node.name.getText()}()`), kind);
    }
    const name = isFunctionDeclaration(node) ? node.name : nameOfVariable(node);
    if (name === undefined) return;
    this.#functions.set(this.#symbol(name), node);
    this.#keep(this.#results, this.#symbol(name), kind);
  }

  #resultOf({ body }: FunctionNode): TimeKind | undefined {
    if (body === undefined) return undefined;
    if (!isBlock(body)) return this.kindOf(body);
    const returned: Node[] = [];
    const visit = (node: Node): void => {
      if (isFunction(node)) return;
      if (isReturnStatement(node) && node.expression !== undefined) returned.push(node.expression);
      node.forEachChild(visit);
    };
    visit(body);
    return this.#strongest(returned);
  }

  /** Marks the names of a pattern as its value is marked; one out of an object, as its property is. */
  #bind(name: BindingName, kind: TimeKind | undefined): void {
    if (isIdentifier(name)) return this.#keep(this.#variables, this.#symbol(name), kind);
    if (isArrayBindingPattern(name)) {
      for (const element of name.elements) {
        if (isBindingElement(element) && element.name) this.#bind(element.name, kind);
      }
    }
    if (!isObjectBindingPattern(name)) return;
    for (const { name: inner, propertyName } of name.elements) {
      if (inner === undefined) continue;
      const property = (propertyName ?? inner).getText();
      this.#bind(inner, this.#properties.get(this.#scoped(name, property)));
    }
  }

  #keep<Key>(facts: Map<Key, TimeKind>, key: Key, kind: TimeKind | undefined): void {
    const known = facts.get(key);
    // A name once marked as a duration stays one, so that this ends.
    if (kind === undefined || known === kind || known === "elapsed") return;
    if (known !== undefined && kind !== "elapsed") return;
    facts.set(key, kind);
    this.#hasLearned = true;
  }

  #symbol(node: Node): number {
    return this.#symbols.get(node) ?? -1;
  }

  #scoped(node: Node, property: string): string {
    return `${node.getSourceFile().fileName} ${property}`;
  }
}

function isTime(kind: TimeKind | undefined): boolean {
  return kind === "now" || kind === "date";
}

function isFunction(node: Node): node is FunctionNode {
  return isFunctionDeclaration(node) || isFunctionExpression(node) || isArrowFunction(node) ||
    isMethodDeclaration(node);
}

function nameOfVariable({ parent }: Node) {
  return isVariableDeclaration(parent) && isIdentifier(parent.name) ? parent.name : undefined;
}

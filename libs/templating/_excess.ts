import { handlebars } from "./_handlebars.ts";

interface Parser {
  readonly symbols_: Readonly<Record<string, number>>;
  readonly lexer: { yy?: unknown; setInput(source: string): void; lex(): number };
}

/** The limit of the parser that a source exceeds. */
export type Excess = "depth" | "words";

/**
 * Returns whether blocks or parentheses are nested too deep, or the placeholders have too many words, as the
 * lexer of Handlebars sees them. Its parser needs minutes for 20,000 nested parentheses, and seconds for a
 * path of 100,000 steps or 4,000 times `{{else if}}`; its tree walker overflows the stack on 2,500 blocks.
 * The lexer is linear, so it runs first.
 */
export function excessOf(source: string, most: Record<Excess, number>): Excess | undefined {
  const { symbols_: symbols, lexer } = (handlebars as unknown as { Parser: Parser }).Parser;
  const named = (names: string[]) => new Set(names.map((name) => symbols[name]));
  const opens = named(["OPEN_SEXPR", "OPEN_BLOCK", "OPEN_INVERSE", "OPEN_PARTIAL_BLOCK"]);
  const closes = named(["CLOSE_SEXPR", "OPEN_ENDBLOCK"]);
  // One entry for each open block, with its number of nested `{{else if}}`.
  const open: number[] = [];
  let depth = 0;
  let words = 0;
  try {
    lexer.yy ??= {};
    lexer.setInput(source);
    for (let token = lexer.lex(); token !== symbols["EOF"]; token = lexer.lex()) {
      if (++words > most.words) return "words";
      const isElseIf = token === symbols["OPEN_INVERSE_CHAIN"];
      if (opens.has(token) || isElseIf) {
        open.push(1 + (isElseIf ? open.pop() ?? 0 : 0));
        depth++;
      }
      if (closes.has(token)) depth -= open.pop() ?? 0;
      if (depth > most.depth) return "depth";
    }
  } catch {
    // The parser finds the same fault and reports it in more detail.
  }
  return undefined;
}

import { handlebars } from "./_handlebars.ts";

interface Parser {
  readonly symbols_: Readonly<Record<string, number>>;
  readonly lexer: { yy?: unknown; setInput(source: string): void; lex(): number };
}

/**
 * Whether blocks or parentheses lie deeper than allowed, as the lexer of Handlebars sees them. Its
 * parser needs minutes for 20,000 parentheses inside each other, and its tree walker overflows the
 * stack on 2,500 blocks; the lexer is linear, so it looks first.
 */
export function isDeeperThan(limit: number, source: string): boolean {
  const { symbols_: symbols, lexer } = (handlebars as unknown as { Parser: Parser }).Parser;
  const opens = ["OPEN_SEXPR", "OPEN_BLOCK", "OPEN_INVERSE"].map((name) => symbols[name]);
  const closes = ["CLOSE_SEXPR", "OPEN_ENDBLOCK"].map((name) => symbols[name]);
  let depth = 0;
  try {
    lexer.yy ??= {};
    lexer.setInput(source);
    for (let token = lexer.lex(); token !== symbols["EOF"]; token = lexer.lex()) {
      if (opens.includes(token) && ++depth > limit) return true;
      if (closes.includes(token)) depth--;
    }
  } catch {
    // The parser meets the same fault and says more about it.
  }
  return false;
}

/** An object or a list that encloses the current place. */
export interface JsonContainer {
  readonly isObject: boolean;
  /** The current name or position. */
  at: string | number;
}

/**
 * Callbacks of a walk through a text. The last of `open` is the innermost container. Each returns whether to
 * stop.
 */
export interface JsonVisitor {
  /** Receives the name of a field. */
  name?(name: string, open: readonly JsonContainer[]): boolean;
  /** Receives a number as it is written. */
  number?(text: string, open: readonly JsonContainer[]): boolean;
}

const NUMBER_PATTERN = /-?\d[\d.eE+-]*/y;

/**
 * Walks through a JSON text as it is written: a parser keeps neither duplicate names nor the digits of
 * numbers.
 *
 * @param text Valid JSON.
 */
export function walkJson(text: string, visitor: JsonVisitor): void {
  const open: JsonContainer[] = [];
  let isName = false;
  for (let position = 0; position < text.length; position++) {
    const inner = open.at(-1);
    switch (text[position]) {
      case "{":
      case "[":
        isName = text[position] === "{";
        open.push({ isObject: isName, at: 0 });
        break;
      case "}":
      case "]":
        open.pop();
        isName = false;
        break;
      case ",":
        isName = inner?.isObject === true;
        if (!isName && typeof inner?.at === "number") inner.at++;
        break;
      case ":":
        isName = false;
        break;
      case '"': {
        const end = endOfString(text, position);
        if (isName && inner !== undefined) {
          inner.at = JSON.parse(text.slice(position, end + 1)) as string;
          if (visitor.name?.(inner.at, open)) return;
        }
        position = end;
        break;
      }
      case " ":
      case "\t":
      case "\n":
      case "\r":
        break;
      default: {
        NUMBER_PATTERN.lastIndex = position;
        const number = NUMBER_PATTERN.exec(text)?.[0];
        if (number === undefined) break;
        if (visitor.number?.(number, open)) return;
        position += number.length - 1;
      }
    }
  }
}

/** Returns the position of the closing quote. */
function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (position < text.length && text[position] !== '"') {
    position += text[position] === "\\" ? 2 : 1;
  }
  return position;
}

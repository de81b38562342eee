interface Container {
  /** Names so far, of an object. */
  names: Set<string> | undefined;
  /** The name or position that is read now. */
  at: string | number;
}

/**
 * Finds the first field that an object gives twice, as its path, or gives `undefined` if there is
 * none. Parsers take the last, some the first: two of them may read one body as two different ones.
 *
 * @param text Valid JSON.
 */
export function findRepeatedField(text: string): (string | number)[] | undefined {
  const open: Container[] = [];
  let isName = false;
  for (let position = 0; position < text.length; position++) {
    const inner = open.at(-1);
    switch (text[position]) {
      case "{":
      case "[": {
        const isObject = text[position] === "{";
        open.push({ names: isObject ? new Set() : undefined, at: 0 });
        isName = isObject;
        break;
      }
      case "}":
      case "]":
        open.pop();
        isName = false;
        break;
      case ",":
        isName = inner?.names !== undefined;
        if (!isName && typeof inner?.at === "number") inner.at++;
        break;
      case ":":
        isName = false;
        break;
      case '"': {
        const end = endOfString(text, position);
        if (isName && inner?.names !== undefined) {
          inner.at = JSON.parse(text.slice(position, end + 1)) as string;
          if (inner.names.has(inner.at)) return open.map(({ at }) => at);
          inner.names.add(inner.at);
        }
        position = end;
      }
    }
  }
  return undefined;
}

/** Gives the position of the closing quote. */
function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (position < text.length && text[position] !== '"') {
    position += text[position] === "\\" ? 2 : 1;
  }
  return position;
}

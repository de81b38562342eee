import { type JsonContainer, walkJson } from "./_walk_json.ts";

/**
 * Finds the first field that an object gives twice, as its path, or gives `undefined` if there is
 * none. Parsers take the last, some the first: two of them may read one body as two different ones.
 *
 * @param text Valid JSON.
 */
export function findRepeatedField(text: string): (string | number)[] | undefined {
  const namesOf = new WeakMap<JsonContainer, Set<string>>();
  let path: (string | number)[] | undefined;
  walkJson(text, {
    name(name, open) {
      const inner = open.at(-1) as JsonContainer;
      const names = namesOf.get(inner) ?? new Set();
      namesOf.set(inner, names);
      if (names.has(name)) path = open.map(({ at }) => at);
      names.add(name);
      return path !== undefined;
    },
  });
  return path;
}

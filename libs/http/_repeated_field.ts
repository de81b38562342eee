import { type JsonContainer, walkJson } from "./_walk_json.ts";

/**
 * Finds the first field that occurs twice in one object; returns its path, or `undefined` if there is none.
 * Most parsers use the last value, some the first: two of them may read one body differently.
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

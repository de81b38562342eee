interface Values {
  [name: string]: Value;
}
type Value = string | Value[] | Values;

/** Characters that HTML escapes, or that need more than one byte. */
const AWKWARD = '& ‹ " é 漢 😀';

/** Returns values for all paths that a template reads, such as `customer.name` and `lines[].price`. */
export function sampleOf(paths: readonly string[]): Values {
  const sample: Values = {};
  for (const path of paths.toSorted((a, b) => b.length - a.length)) put(sample, path);
  return sample;
}

function put(values: Values, path: string): void {
  const [, name = path, isList, rest = ""] = /^([^.[]+)(\[\])?\.?(.*)$/.exec(path) ?? [];
  const given = values[name];
  if (isList !== undefined) {
    const [item = rest === "" ? `${name} ${AWKWARD}` : {}] = Array.isArray(given) ? given : [];
    if (typeof item === "object" && !Array.isArray(item)) put(item, rest);
    values[name] = [item];
  } else if (rest === "") {
    values[name] ??= `${name} ${AWKWARD}`;
  } else {
    const inner = typeof given === "object" && !Array.isArray(given) ? given : {};
    put(inner, rest);
    values[name] = inner;
  }
}

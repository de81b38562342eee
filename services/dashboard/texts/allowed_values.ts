import { templateTags } from "./template_tags.ts";

/**
 * Returns the tags that print values of a template and may be put into its texts: those that it has, and those
 * that print a name it reads.
 */
export function allowedValues(sources: readonly string[]): Set<string> {
  const values = new Set<string>();
  for (const source of sources) {
    for (const { start, end, role, isRaw } of templateTags(source) ?? []) {
      const tag = source.slice(start, end);
      if (role === "value" && !isRaw) values.add(tag);
      if (role === "other") continue;
      for (const [name] of tag.replace(/"[^"]*"|'[^']*'/g, " ").matchAll(NAME)) {
        values.add(`{{ ${name} }}`);
      }
    }
  }
  return values;
}

const NAME = /(?<![\w.@/#])[a-z_]\w*(?:\.[a-z_]\w*)*/gi;

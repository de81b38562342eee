import { z } from "zod";

/** The uses of a value in a template. */
const READ_USES = ["printed", "tested", "iterated", "date", "number"] as const;

/** A use of a value in a template. */
export type ReadUse = (typeof READ_USES)[number];

/** A value that a template reads, and its use: stored with each version when it is published. */
export const templateReadSchema = z.object({
  /** `customer.name`, or `lines[].price` inside an `each`. */
  path: z.string(),
  uses: z.array(z.enum(READ_USES)),
  /** Whether every path through the template prints it as text. */
  always: z.boolean(),
});

/** A value that a template reads, and its use. */
export type TemplateRead = z.infer<typeof templateReadSchema>;

/**
 * Returns what the bodies of a template read, of which each message has one: a value is always printed if each of
 * them prints it.
 */
export function readsOfBodies(bodies: readonly (readonly TemplateRead[])[]): TemplateRead[] {
  const found = new Map<string, { uses: Set<ReadUse>; printedBy: number }>();
  for (const reads of bodies) {
    for (const { path, uses, always } of reads) {
      const known = found.get(path) ?? { uses: new Set(), printedBy: 0 };
      for (const use of uses) known.uses.add(use);
      if (always) known.printedBy++;
      found.set(path, known);
    }
  }
  return [...found].map(([path, { uses, printedBy }]) => ({
    ...{ path, uses: [...uses], always: printedBy === bodies.length },
  }));
}

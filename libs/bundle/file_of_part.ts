import type { Authored } from "./read_bundle.ts";

/**
 * Returns the name of the file that contains a part of a template.
 *
 * @param tag Of the language variant that has the part; null for the template's own body.
 */
export function fileOfPart(
  { kind, files, bodyFile, variants }: Authored,
  part: string | undefined,
  tag: string | null = null,
): string {
  const at = (name: string) => tag === null ? name : `${tag}/${name}`;
  const isFilename = part === "filename" || kind === "pdf" && part === "subject";
  if (isFilename) {
    const own = at("filename.hbs");
    return tag !== null && files[own] !== undefined ? own : "template.json";
  }
  if (part === "subject") return at("subject.hbs");
  if (part === "invoice") return at("invoice.xml");
  const text = at("text.txt.hbs");
  if (part === "text" && files[text] !== undefined) return text;
  return tag === null ? bodyFile : at(variants[tag] ?? "body.html.hbs");
}

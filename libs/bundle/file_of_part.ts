import type { Authored } from "./read_bundle.ts";

/** Returns the name of the file that contains a part of a template. */
export function fileOfPart({ files, bodyFile }: Authored, part: string | undefined): string {
  if (part === "subject") return "subject.hbs";
  if (part === "invoice") return "invoice.xml";
  if (part === "filename") return "template.json";
  return part === "text" && files["text.txt.hbs"] !== undefined ? "text.txt.hbs" : bodyFile;
}

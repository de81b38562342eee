import {
  BRAND,
  brandValuesSchema,
  MAX_PARTIAL_CHARACTERS,
  partialNameSchema,
} from "@posthaste/contracts";
import type { FileFault } from "./file_fault.ts";
import { MAX_FAULTS, readJson } from "./json_document.ts";

/** A partial of a bundle, or the brand. */
export interface AuthoredPartial {
  /** `@brand` for the brand. */
  name: string;
  /** `partials/footer.hbs`, `brand.json` */
  file: string;
  source: string;
}

const BRAND_FILE = "brand.json";
const PATTERN = /^partials\/([^/]+)\.hbs$/;

/** Returns the path of a partial's file. */
export function fileOfPartial(name: string): string {
  return name === BRAND ? BRAND_FILE : `partials/${name}.hbs`;
}

/** Returns whether a path of a bundle is that of a partial, or of the brand. */
export function isPartialFile(path: string): boolean {
  return path === BRAND_FILE || partialNameSchema.safeParse(PATTERN.exec(path)?.[1]).success;
}

/** Returns the source of a partial in the one form in which files have it. */
export function filedSource({ name, source }: { name: string; source: string }): string {
  return name === BRAND ? `${brandOf(source)}\n` : source.replaceAll("\r\n", "\n");
}

/** Writes partials as files, by their paths. */
export function partialFilesOf(
  partials: readonly { name: string; source: string }[],
): Record<string, string> {
  return Object.fromEntries(partials.map((one) => [fileOfPartial(one.name), filedSource(one)]));
}

/** Reads the partials and the brand out of files by their paths. Other files are ignored. */
export function readPartials(
  files: Readonly<Record<string, string>>,
): { partials: AuthoredPartial[]; faults: FileFault[] } {
  const partials: AuthoredPartial[] = [];
  const faults: FileFault[] = [];
  for (const file of Object.keys(files).filter(isPartialFile).sort()) {
    const name = PATTERN.exec(file)?.[1] ?? BRAND;
    const text = files[file] ?? "";
    const found = name === BRAND ? brandFaults(text) : [];
    if (text.length > MAX_PARTIAL_CHARACTERS) {
      found.push({ message: `has more than ${MAX_PARTIAL_CHARACTERS} characters` });
    }
    faults.push(...found.map((fault) => ({ file, ...fault })));
    if (found.length > 0) continue;
    const source = name === BRAND ? brandOf(text) : filedSource({ name, source: text });
    partials.push({ name, file, source });
  }
  return { partials, faults };
}

function brandFaults(text: string): Omit<FileFault, "file">[] {
  // Not parsed: its size is a fault already.
  if (text.length > MAX_PARTIAL_CHARACTERS) return [];
  const { document, faults } = readJson(text);
  if (document === undefined) return faults;
  const { error } = brandValuesSchema.safeParse(document.value);
  return (error?.issues ?? []).slice(0, MAX_FAULTS).map(({ path, message }) => ({
    ...document.placeOf(path),
    message: path.length === 0 ? message : `"${path.join(".")}": ${message}`,
  }));
}

/** As the dashboard writes it. */
function brandOf(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { convertTemplates } from "@posthaste/cli/convert_templates";
import type { TemplateSource } from "./sources.ts";

const CLONES = process.env["PUBLIC_TEMPLATES"];

/** Why tests of public templates are skipped, or `false`. */
export const NO_CLONES: string | false = CLONES === undefined &&
  "PUBLIC_TEMPLATES names no folder with clones of tests/e2e/public_templates/sources.ts";

/** Writes the files of a source's commit to a folder of their own below `root`, and returns it. */
export function checkOut({ name, commit }: TemplateSource, root: string): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const tar = execFileSync("git", ["-C", join(CLONES ?? "", name), "archive", commit], {
    maxBuffer: 500_000_000,
  });
  execFileSync("tar", ["x", "-C", folder], { input: tar });
  return folder;
}

/** Converts the templates of a source to a folder of templates below `root`, and returns it. */
export async function convert(source: TemplateSource, root: string): Promise<string> {
  const folder = join(checkOut(source, root), source.folder);
  const target = await mkdtemp(join(root, "converted-"));
  await convertTemplates({ product: source.product, folder, target });
  if (source.kind === "pdf") await makePdfs(target);
  return target;
}

/** Makes PDF templates of mails: the command knows only those. */
async function makePdfs(folder: string): Promise<void> {
  await rename(join(folder, "email"), join(folder, "pdf"));
  for (const alias of await readdir(join(folder, "pdf"))) {
    await rm(join(folder, "pdf", alias, "subject.hbs"));
    const settings = JSON.stringify({ name: alias, filename: `${alias}.pdf` });
    await writeFile(join(folder, "pdf", alias, "template.json"), settings);
  }
}

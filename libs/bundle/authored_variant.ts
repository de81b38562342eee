import type { Authored } from "./read_bundle.ts";
import { sourceOfAuthored } from "./source_of_authored.ts";
import { partsOfFile } from "./template_files.ts";

/** Returns a template as if one of its language variants were its own body, in the folder `email/welcome/de`. */
export function authoredVariant(template: Authored, tag: string): Authored {
  const files: Record<string, string> = {};
  for (const [name, text] of Object.entries(template.files)) {
    const parts = partsOfFile(name);
    if (parts.tag === tag) files[parts.file] = text;
  }
  const folder = `${template.folder}/${tag}`;
  const common = { ...template, folder, files, variants: {} };
  if (common.kind === "email") {
    const bodyFile = files["body.mjml"] === undefined ? "body.html.hbs" : "body.mjml";
    return { ...common, bodyFile, settings: { ...common.settings, locale: tag } };
  }
  const filename = sourceOfAuthored(template).variants?.[tag]?.filename ?? common.settings.filename;
  return { ...common, settings: { ...common.settings, locale: tag, filename } };
}

/** Returns where a fault of `authoredVariant()` is: a variant has no settings and no sample of its own. */
export function placeInTemplate<Fault extends { file: string; line?: number | undefined }>(
  fault: Fault,
  { template, tag }: { template: Authored; tag: string },
): Fault {
  const { folder, files } = template;
  const own = `${folder}/${tag}/filename.hbs`;
  if (fault.file === `${folder}/${tag}/sample.json`) {
    return { ...fault, file: `${folder}/sample.json` };
  }
  if (fault.file !== `${folder}/${tag}/template.json`) return fault;
  const hasName = files[`${tag}/filename.hbs`] !== undefined;
  if (!hasName) return { ...fault, file: `${folder}/template.json` };
  const { line: _line, ...rest } = { ...fault, file: own, column: undefined };
  return rest as unknown as Fault;
}

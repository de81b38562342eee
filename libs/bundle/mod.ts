/**
 * Templates as files, from any source: read from a folder or out of a request, and written from an account's
 * templates. This library opens no files and compiles no templates.
 *
 * ```ts
 * const { templates, faults } = readBundle({ "email/welcome/template.json": "{…}", … });
 * const files = filesOf({ kind: "email", alias: "welcome", name: "Welcome", source });
 * ```
 *
 * @module
 */
export { authoredVariant, placeInTemplate } from "./authored_variant.ts";
export type { FileFault } from "./file_fault.ts";
export { fileOfPart } from "./file_of_part.ts";
export { differingFiles, filesOf, type NamedSource } from "./files_of.ts";
export {
  type AuthoredPartial,
  filedSource,
  fileOfPartial,
  isPartialFile,
  partialFilesOf,
} from "./partial_files.ts";
export { readAssetManifest } from "./read_asset_manifest.ts";
export { readJson } from "./json_document.ts";
export {
  type Authored,
  type AuthoredEmail,
  type AuthoredPdf,
  describeTooLarge,
  type ReadBundle,
  readBundle,
} from "./read_bundle.ts";
export { sourceOfAuthored } from "./source_of_authored.ts";
export { isTemplateFile, maxBytesOf } from "./template_files.ts";

/**
 * What the command line can do that others may want to do as well: bring a folder of templates into
 * an account.
 *
 * ```ts
 * const { templates } = await importTemplates({ store, sandbox, accountId, folder: "dev/demo" });
 * ```
 *
 * @module
 */
export {
  checkTemplateFolder,
  type ImportedTemplate,
  type ImportOptions,
  importTemplates,
  TemplateFolderError,
  type TemplateImport,
} from "./import_templates.ts";

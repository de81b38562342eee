/**
 * The functions of the command line for other programs: import a folder of templates into an account.
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

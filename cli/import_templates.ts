import { type AuthoredPartial, type FileFault, readBundle } from "@posthaste/bundle";
import {
  bodiesOf,
  BRAND,
  type DraftSource,
  MAX_ASSETS,
  type Pinned,
  sourceOfVersion,
} from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { readsBrand, type Sandbox } from "@posthaste/templating";
import { checkTemplates, type ReadyTemplate, withoutRepeats } from "./check_templates.ts";
import { type DraftKeeper, followPublished, isPublished, keepAsDraft } from "./keep_as_draft.ts";
import { importPartials, type PartialKeeper } from "./import_partials.ts";
import {
  type AssetKeeper,
  type ImportedAsset,
  openAssetFinder,
  planImportedAssets,
  storeImportedAssets,
} from "./import_assets.ts";
import { type AssetFolder, readAssetFolder } from "./read_asset_folder.ts";
import { readTemplateFolder } from "./read_template_folder.ts";

import type { FindAsset } from "./used_assets.ts";

/** Options of {@linkcode importTemplates}. */
export interface ImportOptions {
  store: StorePart<"templates.publish"> & DraftKeeper & PartialKeeper & AssetKeeper;
  sandbox: Pick<Sandbox, "check" | "publishEmail" | "publishPdf" | "render">;
  accountId: string;
  /** Path of a folder with `email/<alias>/` and `pdf/<alias>/` in it. */
  folder: string;
  /** Base of the URLs by which mails show images, the setting `ASSETS_URL`; without it mails carry them. */
  assetsUrl?: string | undefined;
}

/** The result for one template. */
export interface ImportedTemplate {
  kind: "email" | "pdf";
  alias: string;
  id: number;
  /** Null if nothing of it is published. */
  version: number | null;
  name: string;
  /**
   * `new`: the first version; `updated`: a new one; `unchanged`: it is the newest already; `draft`: rules
   * for templates forbid to publish it.
   */
  outcome: "new" | "updated" | "unchanged" | "draft";
}

/** The result for a folder. */
export interface TemplateImport {
  /** Email templates first, each kind by alias. */
  templates: ImportedTemplate[];
  /** Stored files, by name. */
  assets: ImportedAsset[];
  /** Why templates were imported as drafts. */
  errors: FileFault[];
  warnings: FileFault[];
}

/** A folder of templates was refused as a whole: nothing of it was published. */
export class TemplateFolderError extends Error {
  override readonly name = "TemplateFolderError";
  /** Every fault of every file. */
  readonly faults: readonly FileFault[];
  readonly warnings: readonly FileFault[];

  constructor(folder: string, found: { faults: FileFault[]; warnings: FileFault[] }) {
    const { faults, warnings } = found;
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
    const first = faults[0] === undefined ? "" : describeFault(faults[0]);
    super(`Cannot import "${folder}": ${first}${more}`);
    this.faults = faults;
    this.warnings = warnings;
  }
}

/**
 * Imports a folder of templates into an account: each becomes a new version of the template that has its
 * alias, unless it is the newest version already. All are checked first, and nothing is published if one is
 * faulty. A template that a rule forbids to publish is imported as a draft.
 *
 * @throws {TemplateFolderError} with every fault of every file
 */
export async function importTemplates(options: ImportOptions): Promise<TemplateImport> {
  const { store, sandbox, accountId, folder, assetsUrl: baseUrl } = options;
  const authored = await readAssetFolder(folder);
  const kept = await store.assets.listNames(accountId, { limit: MAX_ASSETS });
  const files = planImportedAssets(authored.assets, { accountId, kept });
  const findAsset = openAssetFinder([...kept, ...files.ready.map(({ asset }) => asset)], {
    baseUrl,
  });
  const given = { ...authored, faults: [...authored.faults, ...files.faults] };
  const checked = await checkTemplateFolder(folder, sandbox, { authored: given, findAsset });
  const { ready, warnings, partials } = checked;
  const { pinned, faults } = await importPartials(partials, { accountId, store });
  if (faults.length > 0) throw new TemplateFolderError(folder, { faults, warnings });
  const assets = await storeImportedAssets(files.ready, store);
  const templates: ImportedTemplate[] = [];
  const errors: FileFault[] = [];
  for (const one of ready) {
    const { sample, draft, errors: found, partials: used, ...template } = one;
    if (found.length > 0) {
      // A published version stays published, even under newer rules.
      if (!await isPublished(accountId, one, store)) {
        errors.push(...found);
        templates.push(await importDraft(one, { store, accountId, errors }));
        continue;
      }
      warnings.push(...found);
    }
    const includes = pinsOf(pinned, { used, draft });
    const images = (template.assets ?? []).map(({ sha256 }) => ({ sha256 }));
    await store.assets.keep(accountId, images, new Date());
    const publication = { ...template, accountId, ...(includes.length > 0 ? { includes } : {}) };
    const { published, version, template: head } = await store.templates.publish(publication);
    // The sample is not published: the dashboard shows it with the template.
    const source = sourceOfVersion(version, sample);
    await store.drafts.create({
      ...{ _id: head._id, accountId, kind: head.kind, source },
      ...{ base: version.version, updatedAt: version.publishedAt, updatedBy: null },
    });
    if (published) await followPublished(head, { source, base: version.version }, store);
    const { kind, alias, name } = template;
    const outcome = !published ? "unchanged" : version.version === 1 ? "new" : "updated";
    templates.push({ kind, alias, id: head.id, version: version.version, name, outcome });
  }
  return { templates, assets, errors: withoutRepeats(errors), warnings };
}

/** Returns the partials that a template uses, and the brand if one of its texts reads it. */
function pinsOf(
  pinned: readonly Pinned[],
  { used, draft }: { used: readonly string[]; draft: DraftSource },
): Pinned[] {
  const partials = pinned.filter(({ name }) => used.includes(name));
  const bodies = bodiesOf(draft).flatMap(({ body: { subject, html, text, filename } }) => [
    ...[subject, html, text, filename],
  ]);
  const texts = [...bodies, ...partials.map(({ source }) => source)];
  const brand = texts.some(readsBrand) ? pinned.filter(({ name }) => name === BRAND) : [];
  return [...partials, ...brand];
}

async function importDraft(
  ready: ReadyTemplate,
  { store, accountId, errors }: Pick<ImportOptions, "store" | "accountId"> & {
    errors: FileFault[];
  },
): Promise<ImportedTemplate> {
  const { kind, alias, name } = ready;
  const { template, kept } = await keepAsDraft(accountId, ready, store);
  if (!kept) {
    const message = "the draft was changed in the dashboard and is not replaced";
    errors.push({ file: `${kind}/${alias}`, message });
  }
  return {
    kind,
    alias,
    id: template.id,
    version: template.publishedVersion,
    name,
    outcome: "draft",
  };
}

/**
 * Checks a folder of templates, as {@linkcode importTemplates} does before it publishes.
 *
 * @throws {TemplateFolderError} with every fault of every file
 */
export async function checkTemplateFolder(
  folder: string,
  sandbox: ImportOptions["sandbox"],
  known?: { authored: AssetFolder; findAsset: FindAsset },
): Promise<{ ready: ReadyTemplate[]; warnings: FileFault[]; partials: AuthoredPartial[] }> {
  const read = await readTemplateFolder(folder);
  const found = readBundle(read.files, read.faults);
  const { authored, findAsset } = known ?? await findInFolder(folder);
  const { partials } = found;
  const checked = await checkTemplates(found.templates, sandbox, { partials, findAsset });
  const faults = [...authored.faults, ...found.faults, ...checked.faults];
  const warnings = [
    ...read.warnings,
    ...authored.warnings,
    ...found.warnings,
    ...checked.warnings,
  ];
  if (faults.length > 0) throw new TemplateFolderError(folder, { faults, warnings });
  return { ready: checked.ready, warnings, partials: found.partials };
}

/** Finds the files of a folder alone: without a database, nobody knows the others. */
async function findInFolder(
  folder: string,
): Promise<{ authored: AssetFolder; findAsset: FindAsset }> {
  const authored = await readAssetFolder(folder);
  const { ready } = planImportedAssets(authored.assets, { accountId: "", kept: [] });
  const find = openAssetFinder(ready.map(({ asset }) => asset));
  return { authored, findAsset: (name, kind) => find(name, kind) ?? undefined };
}

function describeFault({ file, line, message }: FileFault): string {
  return [...file === "" ? [] : [file], ...line === undefined ? [] : [`line ${line}`], message]
    .join(", ");
}

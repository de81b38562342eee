import {
  type Bundle,
  type BundleApplied,
  bundleAppliedSchema,
  type BundleFault,
  type BundlePlan,
  bundlePlanSchema,
  bundleSchema,
  type BundleWish,
} from "@posthaste/contracts";
import { isPartialFile } from "@posthaste/bundle";
import { join } from "node:path";
import type { Api } from "./api.ts";
import { type CommandContext, openManageFor } from "./command_context.ts";
import { CommandError, notFoundError } from "./command_error.ts";
import type { BundleOptions } from "./bundle_options.ts";
import { EXIT } from "./exit_code.ts";
import { type AuthoredAsset, readAssetFolder } from "./read_asset_folder.ts";
import { isMissingFolder, readTemplateFolder } from "./read_template_folder.ts";
import { formatCount } from "./format.ts";

/** A push with its plan. */
export interface BundleApplication extends BundleWish {
  plan: string;
  overwriteDrafts: boolean;
  /** As base64, by SHA-256. */
  contents: Record<string, string>;
}

/** The templates of an account, reached with a token. */
export interface BundleClient {
  /** @throws {CommandError} */
  export(): Promise<Bundle>;
  /** @throws {CommandError} */
  plan(wish: BundleWish): Promise<BundlePlan>;
  /** @throws {CommandError} */
  apply(wish: BundleApplication): Promise<BundleApplied>;
  /** Returns the bytes of a file that the account keeps. @throws {CommandError} */
  download(name: string): Promise<Buffer>;
}

/** Opens the templates of the token's account. */
export function openBundleClient(context: CommandContext, options: BundleOptions): BundleClient {
  const api: Api = openManageFor(context, options);
  const { kind, alias } = options;
  const query = new URLSearchParams({ ...kind && { kind }, ...alias && { alias } }).toString();
  return {
    export: async () =>
      bundleSchema.parse(await api.get(query === "" ? "/bundle" : `/bundle?${query}`)),
    plan: async (wish) => bundlePlanSchema.parse(await api.post("/bundle/plan", textOf(wish))),
    apply: async (wish) => bundleAppliedSchema.parse(await api.post("/bundle/apply", textOf(wish))),
    download: (name) => api.download(`/assets/${encodeURIComponent(name)}/content`),
  };
}

/** Returns the filter of a request for a command's templates. */
export function filterOf({ kind, alias }: BundleOptions): Pick<BundleWish, "kind" | "alias"> {
  return { ...(kind === undefined ? {} : { kind }), ...(alias === undefined ? {} : { alias }) };
}

/** The content of a command's folder. */
export interface FolderContent {
  /** Texts by path. */
  files: Record<string, string>;
  assets: AuthoredAsset[];
}

/**
 * Reads the files of a command's folder; a part of it has no partials and no assets.
 *
 * @throws {CommandError} If there is no such folder, or a file cannot be read.
 */
export async function readFiles(
  { output }: CommandContext,
  { folder, path, kind, alias }: BundleOptions & { folder: string; path: string },
): Promise<FolderContent> {
  const read = await readTemplateFolder(path).catch((error: unknown) => {
    if (!isMissingFolder(error)) throw error;
    throw notFoundError(`Cannot read "${folder}": there is no such folder`);
  });
  const isWhole = kind === undefined && alias === undefined;
  const isWanted = (file: string) => {
    if (isPartialFile(file)) return isWhole;
    const [itsKind, itsAlias] = file.split("/");
    return (kind ?? itsKind) === itsKind && (alias ?? itsAlias) === itsAlias;
  };
  const kept = isWhole ? await readAssetFolder(path) : { assets: [], faults: [], warnings: [] };
  for (const { file, message } of kept.warnings) {
    output.warn(message, placeIn(folder, { file, message }));
  }
  for (const { file, message } of read.warnings) {
    if (isWanted(file)) output.warn(message, placeIn(folder, { file, message }));
  }
  refuseFaults(folder, [...read.faults.filter(({ file }) => isWanted(file)), ...kept.faults]);
  const files = Object.fromEntries(Object.entries(read.files).filter(([file]) => isWanted(file)));
  return { files, assets: kept.assets };
}

/** Throws an error with all faults, each at its file, line and column. */
export function refuseFaults(folder: string, faults: readonly BundleFault[]): void {
  if (faults.length === 0) return;
  const message = `Cannot use "${folder}": ${formatCount(faults.length, "fault")}`;
  throw new CommandError(message, {
    exitCode: EXIT.refused,
    issues: faults.map((fault) => ({ at: placeIn(folder, fault), message: fault.message })),
  });
}

/** Returns a place in the form in which the folder was given: editors open it at its line. */
export function placeIn(folder: string, { file, line, column }: BundleFault): string {
  const place = [line, column].filter((number) => number !== undefined);
  return [join(folder, file), ...place].join(":");
}

/** An older dashboard does not know the fields about assets: they are left out if they are empty. */
function textOf(wish: Partial<BundleApplication>): string {
  return JSON.stringify(wish, (key, value) => {
    const isOptional = key === "assets" || key === "contents";
    return isOptional && Object.keys(value).length === 0 ? undefined : value;
  });
}

import { hash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  ASSET_MANIFEST,
  type AssetManifest,
  assetManifestText,
  assetNameSchema,
  type BundleAsset,
  fileAssets,
  usualFilename,
} from "@posthaste/contracts";
import { CommandError } from "./command_error.ts";
import { EXIT } from "./exit_code.ts";
import { type AuthoredAsset, readAssetFolder } from "./read_asset_folder.ts";
import type { PulledTemplate } from "./write_template_folder.ts";

/** Options beside writing. */
export interface WriteAssetOptions {
  /** Whether to remove assets that the account lacks, if it has any. */
  prune: boolean;
  /** Loads the bytes of an asset, by its name. */
  download(name: string): Promise<Buffer>;
}

/**
 * Writes assets into a folder, below `assets/`, and what is said of them into `assets.json`. Only bytes that the
 * folder lacks are loaded; files keep the names that they have in the folder.
 *
 * @throws {CommandError} If a name leads out of the folder, or bytes are not those of the export.
 */
export async function writeAssetFolder(
  folder: string,
  assets: Readonly<Record<string, BundleAsset>>,
  { prune, download }: WriteAssetOptions,
): Promise<PulledTemplate[]> {
  if (Object.keys(assets).length === 0) return [];
  for (const name of Object.keys(assets)) requireName(name);
  const there = await readAssetFolder(folder);
  const before = new Map(there.assets.map((one) => [one.name, one]));
  const gone = there.assets.filter(({ name }) => prune && assets[name] === undefined);
  const manifest: AssetManifest = { ...there.manifest };
  for (const { file } of gone) delete manifest[file];
  const filed = fileAssets(assets, new Map(there.assets.map(({ name, file }) => [name, file])));
  const pulled: PulledTemplate[] = [];
  await mkdir(join(folder, "assets"), { recursive: true });
  for (const [name, file] of filed.files) {
    const asset = assets[name];
    if (asset === undefined) continue;
    const old = before.get(name);
    if (old?.sha256 !== asset.sha256) {
      await writeFile(join(folder, "assets", file), await load(name, asset, download));
    }
    const entry = filed.manifest[file];
    if (entry === undefined) delete manifest[file];
    else manifest[file] = entry;
    pulled.push({ kind: "asset", alias: name, outcome: outcomeOf(asset, old) });
  }
  for (const { file, name } of gone) {
    await rm(join(folder, "assets", file));
    pulled.push({ kind: "asset", alias: name, outcome: "removed" });
  }
  const text = assetManifestText(manifest);
  if (text !== assetManifestText(there.manifest)) {
    await writeFile(join(folder, ASSET_MANIFEST), text);
  }
  return pulled;
}

function requireName(name: string): void {
  if (assetNameSchema.safeParse(name).success) return;
  throw new CommandError(
    `Cannot write the asset "${name}": its name cannot be the name of a file`,
    {
      exitCode: EXIT.failed,
    },
  );
}

async function load(
  name: string,
  { sha256 }: BundleAsset,
  download: WriteAssetOptions["download"],
): Promise<Buffer> {
  const bytes = await download(name);
  if (hash("sha256", bytes, "hex") === sha256) return bytes;
  throw new CommandError(`Cannot pull the asset "${name}": it was replaced in the meantime`, {
    exitCode: EXIT.failed,
    remedy: "run the command again",
  });
}

function outcomeOf(asset: BundleAsset, old: AuthoredAsset | undefined): PulledTemplate["outcome"] {
  if (old === undefined) return "new";
  const { sha256, contentType, alt, filename } = asset;
  const isSame = old.sha256 === sha256 && old.contentType === contentType &&
    (old.alt ?? "") === alt && (old.filename ?? usualFilename(old.name, contentType)) === filename;
  return isSame ? "unchanged" : "updated";
}

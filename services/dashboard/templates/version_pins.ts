import type { EmailVersion, PdfVersion, Pinned, PinnedAsset } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { HttpError } from "../http_error.ts";
import type { CompiledParts } from "./ask_renderer.ts";

type Pins = Pick<EmailVersion | PdfVersion, "assets" | "includes">;

/** Returns the fields of a version with the stored files and partials that it uses; none if it uses none. */
export function pinsOf(
  { assets = [], includes = [] }: Pins,
): { assets?: PinnedAsset[]; includes?: Pinned[] } {
  return {
    ...(assets.length === 0 ? {} : { assets }),
    ...(includes.length === 0 ? {} : { includes }),
  };
}

/** Returns whether a version has the same images and partials as a source that was compiled now. */
export function hasSamePins(version: Pins, compiled: Pins): boolean {
  return listed(version) === listed(compiled);
}

function listed({ assets = [], includes = [] }: Pins): string {
  return JSON.stringify([
    assets.map(({ name, sha256, url }) => [name, sha256, url]).sort(),
    includes.map(({ name, source }) => [name, source]).sort(),
  ]);
}

/** Makes sure that the files of a version are stored when it is published, even if their names are removed now. */
export async function keepAssets(
  accountId: string,
  { assets = [] }: Pick<CompiledParts, "assets">,
  store: StorePart<"assets.keep">,
): Promise<void> {
  const needed = assets.map(({ sha256 }) => ({ sha256 }));
  if (needed.length > 0) await store.assets.keep(accountId, needed, new Date());
}

/**
 * Refuses a version that was published just now with partials that are not the published ones any more. Publishing
 * them did not find the version yet, and so did not replace it.
 *
 * @throws {HttpError} `conflict`
 */
export async function requireNewestPartials(
  { accountId, version, includes = [] }: Pick<
    EmailVersion | PdfVersion,
    "accountId" | "version" | "includes"
  >,
  { partials }: StorePart<"partials.published">,
): Promise<void> {
  if (includes.length === 0) return;
  const newest = await partials.published(accountId, includes.map(({ name }) => name));
  const isOld = ({ name, version }: Pinned) =>
    newest.some((one) => one.name === name && one.version !== version);
  const old = includes.filter(isOld).map(({ name }) => name);
  if (old.length === 0) return;
  const message = `Version ${version} is live with the old "${old.join('", "')}", ` +
    "which was published meanwhile. Publish it again";
  throw new HttpError("conflict", message);
}

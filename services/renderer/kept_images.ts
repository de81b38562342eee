import type { AssetUse, PinnedAsset, TemplateKind, UsedAsset } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { LRUCache } from "lru-cache";

/** What `{{asset "name"}}` becomes, by name. */
export type AssetAddresses = Readonly<Record<string, string>>;

/** The images that an account stores, for its templates. */
export interface KeptImages {
  /** Finds the current files of names that a template uses, or those of `instead` with these names. */
  find(
    uses: readonly AssetUse[],
    owner: { accountId: string; kind: TemplateKind; instead?: readonly PinnedAsset[] },
  ): Promise<UsedAsset[]>;
  /** Returns the images of a PDF as `data:` addresses: it is printed offline. Those that are gone are left out. */
  embedded(accountId: string, assets: readonly PinnedAsset[]): Promise<AssetAddresses>;
}

/** Settings of {@linkcode openKeptImages}. */
export interface KeptImagesOptions {
  /** Base of the URLs by which mails show images; without it mails carry them. */
  baseUrl?: string | undefined;
}

// In characters of the addresses.
const CACHE_SIZE = 32 * 1024 ** 2;

/** Opens the images that accounts store. The bytes under a hash never change, so the last ones are cached. */
export function openKeptImages(
  { assets: { find: findBytes, findName } }: StorePart<"assets.find" | "assets.findName">,
  { baseUrl }: KeptImagesOptions = {},
): KeptImages {
  const embeddings = new LRUCache<string, string>({
    maxSize: CACHE_SIZE,
    sizeCalculation: (address) => address.length,
  });

  async function embed(accountId: string, { sha256, contentType }: PinnedAsset) {
    const key = `${accountId} ${sha256} ${contentType}`;
    const known = embeddings.get(key);
    if (known !== undefined) return known;
    const bytes = await findBytes(accountId, sha256);
    if (bytes === null) return undefined;
    const address = `data:${contentType};base64,${Buffer.from(bytes).toString("base64")}`;
    embeddings.set(key, address);
    return address;
  }

  const base = baseUrl?.replace(/\/+$/, "");

  return {
    find: (uses, { accountId, kind, instead = [] }) =>
      Promise.all(uses.map(async (use) => {
        const found = instead.find(({ name }) => name === use.name) ??
          await findName(accountId, use.name);
        if (found === null) return { ...use, asset: null };
        const { name, sha256, size, filename, contentType } = found;
        const asset = { name, sha256, size, filename, contentType };
        const isShown = kind === "email" && base !== undefined &&
          contentType.startsWith("image/");
        return { ...use, asset: isShown ? { ...asset, url: `${base}/assets/${sha256}` } : asset };
      })),
    async embedded(accountId, assets) {
      const addresses: Record<string, string> = {};
      for (const asset of assets) {
        const address = await embed(accountId, asset);
        if (address !== undefined) addresses[asset.name] = address;
      }
      return addresses;
    },
  };
}

/** Returns the addresses of the images of a mail: their URLs, or the ids of the parts that it carries. */
export function mailAddresses(assets: readonly PinnedAsset[] = []): AssetAddresses {
  return Object.fromEntries(assets.map(({ name, url }) => [name, url ?? `cid:${name}`]));
}

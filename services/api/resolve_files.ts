import { hash } from "node:crypto";
import {
  type AttachmentBody,
  encodedBytes,
  type Issue,
  type MailFile,
  MAX_MAIL_BYTES,
  type SendBody,
} from "@posthaste/contracts";
import type { AssetName, NeededAsset } from "@posthaste/storage";

/** The most different names of kept files in one send: each is looked up. */
export const MAX_ASSET_NAMES = 100;

/** Finds the file that the caller's account keeps under a name. */
export type FindAssetName = (name: string) => Promise<AssetName | null>;

/** The files of a request, each by its hash. */
export interface ResolvedFiles {
  /** Returns the files among some attachments, in their order. */
  filesIn(attachments: readonly AttachmentBody[] | undefined): MailFile[];
  /** The files to store before the send is accepted. */
  needed: NeededAsset[];
  faults: Issue[];
}

/** What each mail carries besides. */
export interface MailFiles {
  images?: readonly Pick<MailFile, "size">[];
  /** Files of its batch. */
  files?: readonly MailFile[];
}

type Lists = Pick<SendBody, "attachments"> & { to: Pick<SendBody["to"][number], "attachments">[] };

/** Finds the files of a request, and hashes those that it contains. */
export async function resolveFiles(
  { attachments, to }: Lists,
  findAssetName: FindAssetName,
  { images = [], files = [] }: MailFiles = {},
): Promise<ResolvedFiles> {
  if (!hasFiles(attachments) && !to.some((one) => hasFiles(one.attachments))) return NO_FILES;
  const lists = [
    { path: "attachments", list: attachments ?? [] },
    ...to.map(({ attachments = [] }, index) => ({
      path: `to.${index}.attachments`,
      list: attachments,
    })),
  ];
  const names = new Set(lists.flatMap(({ list }) => list.flatMap(({ asset }) => asset ?? [])));
  const kept = await findKept([...names].slice(0, MAX_ASSET_NAMES), findAssetName);
  const needed = new Map<string, NeededAsset>();
  const fileOf = fileReader(kept, needed);
  const filesIn: ResolvedFiles["filesIn"] = (list = []) => list.flatMap((one) => fileOf(one) ?? []);
  // Read first: files are stored in this order.
  const common = [...files, ...filesIn(attachments)];
  const unknown = lists.flatMap(({ path, list }) =>
    list.flatMap(({ asset }, at): Issue[] =>
      asset === undefined || kept.has(asset)
        ? []
        : [{ path: `${path}.${at}.asset`, code: "unknown_asset", message: "is not a kept file" }]
    )
  );
  return {
    filesIn,
    faults: [
      ...(names.size > MAX_ASSET_NAMES ? [TOO_MANY_NAMES] : []),
      ...unknown,
      ...findMailFaults(to.map((one) => filesIn(one.attachments)), {
        common,
        imageBytes: images.reduce((sum, { size }) => sum + encodedBytes(size), 0),
      }),
    ],
    get needed() {
      return [...needed.values()];
    },
  };
}

const NO_FILES: ResolvedFiles = { filesIn: () => [], needed: [], faults: [] };

function hasFiles(list: readonly AttachmentBody[] | undefined): boolean {
  return list?.some(({ content, asset }) => content !== undefined || asset !== undefined) ?? false;
}

async function findKept(
  names: readonly string[],
  find: FindAssetName,
): Promise<Map<string, AssetName>> {
  const found = await Promise.all(names.map(find));
  return new Map(found.flatMap((asset) => asset === null ? [] : [[asset.name, asset]]));
}

/**
 * Returns a reader of attachments that decodes each once, and notes what has to be stored. Nothing is looked up
 * by its content: V8 hashes long texts by their length alone, so that many of one length are all compared.
 */
function fileReader(kept: ReadonlyMap<string, AssetName>, needed: Map<string, NeededAsset>) {
  const decoded = new Map<AttachmentBody, { sha256: string; size: number }>();

  function decode(given: AttachmentBody, content: string): { sha256: string; size: number } {
    const known = decoded.get(given);
    if (known !== undefined) return known;
    const bytes = Buffer.from(content, "base64");
    const sha256 = hash("sha256", bytes, "hex");
    if (needed.get(sha256)?.bytes === undefined) needed.set(sha256, { sha256, bytes });
    const file = { sha256, size: bytes.length };
    decoded.set(given, file);
    return file;
  }

  return (given: AttachmentBody): MailFile | undefined => {
    const { content, contentType = "", asset, contentId } = given;
    if (content === undefined && asset === undefined) return undefined;
    const inline = contentId === undefined ? {} : { contentId };
    if (content !== undefined) {
      return { ...decode(given, content), filename: given.filename ?? "", contentType, ...inline };
    }
    const found = asset === undefined ? undefined : kept.get(asset);
    if (found === undefined) return undefined;
    const { sha256, size } = found;
    if (!needed.has(sha256)) needed.set(sha256, { sha256 });
    const filename = given.filename ?? found.filename;
    return { sha256, size, filename, contentType: found.contentType, ...inline };
  };
}

const TOO_MANY_NAMES: Issue = {
  path: "to",
  code: "too_many",
  message: `must not name more than ${MAX_ASSET_NAMES} different kept files`,
};

interface SharedFiles {
  common: readonly MailFile[];
  /** Encoded. */
  imageBytes: number;
}

/**
 * Finds the faults of a mail's files together: the common ones and the recipient's. Without recipients, those of
 * the common ones.
 */
function findMailFaults(
  own: readonly MailFile[][],
  { common, imageBytes }: SharedFiles,
): Issue[] {
  const isBatch = own.length === 0;
  return (isBatch ? [[]] : own).flatMap((files, index): Issue[] => {
    const all = [...files, ...common];
    const path = isBatch ? "attachments" : `to.${index}.attachments`;
    const size = all.reduce((sum, file) => sum + encodedBytes(file.size), imageBytes);
    const ids = all.flatMap(({ contentId }) => contentId ?? []);
    return [
      ...(size > MAX_MAIL_BYTES ? [{ path, ...TOO_LARGE }] : []),
      ...(new Set(ids).size < ids.length ? [{ path, ...REPEATED_ID }] : []),
    ];
  });
}

const TOO_LARGE = {
  code: "too_long",
  message: `must not have more than ${MAX_MAIL_BYTES} bytes of files in one mail, encoded`,
} as const;

const REPEATED_ID = {
  code: "repeated_field",
  message: "must not use a contentId twice in one mail",
} as const;

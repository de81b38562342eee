import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AssetFault, PdfFault, readAsset, readPdfPages } from "@posthaste/assets";
import type { StorePart } from "@posthaste/storage";
import { HttpError } from "../http_error.ts";
import type { UploadLimit } from "../upload_limit.ts";
import { fileOfAsset, type PlannedAsset } from "./plan_assets.ts";

/**
 * Checks the bytes that a push brings, and stores them, still without their names. Returns the changes with what
 * the bytes say of themselves. Bytes that nothing uses in the end are removed like those of old sends.
 *
 * @param contents As base64, by SHA-256.
 * @param appended Names of PDFs that templates of the push append. When it was planned, nobody had their bytes.
 * @throws {HttpError} `template_failed` if bytes are missing, not those of the plan, must not be stored, or are a PDF
 * that cannot be appended. `too_many_requests`
 */
export async function storeContents(
  accountId: string,
  { planned, contents, appended, now }: {
    planned: readonly PlannedAsset[];
    contents: Readonly<Record<string, string>>;
    appended: ReadonlySet<string>;
    now: Date;
  },
  { assets, uploads }: StorePart<"assets.keep"> & { uploads: UploadLimit },
): Promise<PlannedAsset[]> {
  const issues: { path: string; message: string }[] = [];
  const checked: { change: PlannedAsset; bytes?: Uint8Array }[] = [];
  for (const change of planned) {
    if (!change.needsContent) {
      checked.push({ change });
      continue;
    }
    // Others must not wait for all of them.
    await nextTurn();
    try {
      const read = readContent(change, contents);
      if (appended.has(change.name)) checkPages(read.bytes);
      checked.push(read);
    } catch (error) {
      if (!(error instanceof AssetFault)) throw error;
      issues.push({ path: fileOfAsset(change.name), message: error.message });
    }
  }
  const [first] = issues;
  if (first !== undefined) {
    const error = `Cannot apply the bundle: ${first.path} ${first.message}`;
    throw new HttpError("template_failed", error, { issues });
  }
  const fresh = checked.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  if (fresh > 0) uploads.count(accountId, fresh);
  for (const { change: { asset: { sha256 } }, bytes } of checked) {
    await assets.keep(accountId, [{ sha256, bytes }], now);
  }
  return checked.map(({ change }) => change);
}

/** @throws {AssetFault} */
function readContent(
  change: PlannedAsset,
  contents: Readonly<Record<string, string>>,
): { change: PlannedAsset; bytes: Uint8Array } {
  const { asset } = change;
  const content = Object.hasOwn(contents, asset.sha256) ? contents[asset.sha256] : undefined;
  if (content === undefined) throw new AssetFault("has no bytes in the request: send its content");
  const { bytes, contentType, width, height } = readAsset(
    Buffer.from(content, "base64"),
    asset.contentType,
  );
  if (hash("sha256", bytes, "hex") !== asset.sha256) {
    throw new AssetFault(
      contentType === "image/svg+xml"
        ? "has other bytes than in the plan, or is an SVG image with parts that are not kept: " +
          "store it by PUT /assets first"
        : "has other bytes than in the plan",
    );
  }
  if (contentType !== asset.contentType || bytes.length !== asset.size) {
    throw new AssetFault("has another type or size than in the plan");
  }
  const { width: _w, height: _h, ...rest } = asset;
  const size = width && height ? { width, height } : {};
  return { change: { ...change, asset: { ...rest, ...size } }, bytes };
}

/** @throws {AssetFault} If the pages of a PDF cannot be appended to others. */
function checkPages(bytes: Uint8Array): void {
  try {
    readPdfPages(Buffer.from(bytes));
  } catch (error) {
    if (!(error instanceof PdfFault)) throw error;
    throw new AssetFault(`cannot be appended: ${error.message}`);
  }
}

import { MAX_BUNDLE_BYTES } from "@posthaste/contracts";
import { HttpError } from "../http_error.ts";

/** Counts the bytes of a bundle's files. */
export interface BundleBudget {
  /** Counts files, and returns whether all files so far fit into a bundle. */
  add(files: Readonly<Record<string, string>>): boolean;
  /** Counts bytes that a request brings as base64, by their number. */
  addContent(size: number): void;
  /** @throws {HttpError} `payload_too_large` if the files do not fit. */
  require(advice?: string): void;
}

/** Opens the budget of one bundle: paths and contents of all files, in bytes of UTF-8, and bytes as base64. */
export function openBundleBudget(): BundleBudget {
  let bytes = 0;
  return {
    add(files) {
      for (const [path, text] of Object.entries(files)) {
        bytes += Buffer.byteLength(path) + Buffer.byteLength(text);
      }
      return bytes <= MAX_BUNDLE_BYTES;
    },
    addContent(size) {
      bytes += Math.ceil(size / 3) * 4;
    },
    require(advice = "") {
      if (bytes <= MAX_BUNDLE_BYTES) return;
      const error = `The files have ${bytes} bytes, and a bundle has at most ${MAX_BUNDLE_BYTES}`;
      throw new HttpError("payload_too_large", `${error}${advice}`);
    },
  };
}

import type { TemplateKind } from "@posthaste/contracts";

/** A file that the account keeps. */
export interface AssetView {
  name: string;
  /** The name that recipients see if it is attached. */
  filename: string;
  contentType: string;
  /** In bytes. */
  size: number;
  /** Of its bytes, in hex. */
  sha256: string;
  /** Of an image: its description for readers who do not see it. */
  alt: string;
  /** Of an image, in pixels; null if it has no size of its own. */
  width: number | null;
  height: number | null;
  updatedAt: string;
}

/** `GET /api/assets`. */
export interface AssetList {
  assets: AssetView[];
  /** Of all of them together. */
  bytes: number;
  maxBytes: number;
}

/** `GET /api/assets/{name}`. */
export interface AssetDetail extends AssetView {
  /** The templates whose published version uses it. */
  usedBy: { kind: TemplateKind; id: number; name: string }[];
}

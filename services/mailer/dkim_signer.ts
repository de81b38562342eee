import type { KeyObject } from "node:crypto";

/** A key to sign mail with, its secret already opened. */
export interface DkimSigner {
  readonly domain: string;
  readonly selector: string;
  readonly privateKey: KeyObject;
}

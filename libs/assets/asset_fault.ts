/** A file that must not be stored. Its message says why, and what to do. */
export class AssetFault extends Error {
  override readonly name = "AssetFault";
}

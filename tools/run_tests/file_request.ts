/** One test file to run. */
export interface FileRequest {
  file: string;
  /** Variables that are set before, and stay: where the shared servers are. */
  env: Readonly<Record<string, string>>;
}

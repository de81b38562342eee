import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A repository in a temporary folder, removed when it is disposed. */
export interface TemporaryRepository extends Disposable {
  root: string;
}

/** Writes a small repository with a few workspaces and these files. */
export function makeRepository(files: Record<string, string>): TemporaryRepository {
  const root = mkdtempSync(join(tmpdir(), "check-"));
  const all = {
    "package.json": manifest({ workspaces: ["libs/*", "services/*", "tests/*", "dev"] }),
    "dev/package.json": manifest({ name: "@x/dev" }),
    "libs/contracts/package.json": manifest({ name: "@x/contracts", dependencies: { zod: "1" } }),
    "libs/messaging/package.json": manifest({ name: "@x/messaging" }),
    "libs/storage/package.json": manifest({ name: "@x/storage", dependencies: { mongodb: "1" } }),
    "tests/kit/package.json": manifest({ name: "@x/kit" }),
    "services/api/package.json": manifest({ name: "@x/api", dependencies: { mongodb: "1" } }),
    "services/pdf/package.json": manifest({ name: "@x/pdf" }),
    ...files,
  };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

function manifest(content: object): string {
  return JSON.stringify(content);
}

import { statSync } from "node:fs";
import { join } from "node:path";
import type { ImportGraph } from "../import_graph.ts";
import { needsOf } from "./needs.ts";
import { orderFiles, type PlannedFile } from "./schedule.ts";

/** Returns test files with their needs, in the order in which they start. */
export function planFiles(
  files: readonly string[],
  { root, graph }: { root: string; graph: ImportGraph },
): PlannedFile[] {
  return orderFiles(files.map((file) => ({
    file,
    needs: needsOf(file, graph),
    length: statSync(join(root, file)).size,
  })));
}

import {
  isIdentifier,
  isShorthandPropertyAssignment,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API, type Checker, type Symbol, SymbolFlags } from "typescript/unstable/sync";

/** Sources as syntax trees, with the declarations of their names. */
export interface ParsedSources {
  /** By the given path. */
  files: ReadonlyMap<string, SourceFile>;
  /** Returns an id of the variable, parameter or function that an identifier names, through imports. */
  symbols: ReadonlyMap<Node, number>;
}

const ROOT = "/parsed";
const CONFIG = `${ROOT}/tsconfig.json`;

/** Parses TypeScript. Imports are followed from one given source to another, and no further. */
export function parseSources(sources: ReadonlyMap<string, string>): ParsedSources {
  const paths = [...sources.keys()];
  const compilerOptions = {
    ...{ noLib: true, noEmit: true, types: [], allowImportingTsExtensions: true },
    ...{ target: "esnext", module: "nodenext" },
  };
  const files = Object.fromEntries([
    [CONFIG, JSON.stringify({ compilerOptions, files: paths.map((path) => `${ROOT}/${path}`) })],
    ...[...sources].map(([path, source]) => [`${ROOT}/${path}`, source]),
  ]);
  const api = new API({ cwd: ROOT, fs: createVirtualFileSystem(files) });
  try {
    const project = api.updateSnapshot({ openProjects: [CONFIG] }).getProject(CONFIG);
    if (project === undefined) throw new Error("Cannot parse: the compiler opened no project");
    const parsed = new Map(paths.map((path) => {
      const file = project.program.getSourceFile(`${ROOT}/${path}`);
      if (file === undefined) throw new Error(`Cannot parse "${path}": the compiler lacks it`);
      return [path, file] as const;
    }));
    return { files: parsed, symbols: symbolsOf([...parsed.values()], project.checker) };
  } finally {
    api.close();
  }
}

function symbolsOf(files: readonly SourceFile[], checker: Checker): Map<Node, number> {
  const symbols = new Map<Node, number>();
  const note = (node: Node, symbol: Symbol | undefined) => {
    if (symbol === undefined) return;
    const isAlias = (symbol.flags & SymbolFlags.Alias) !== 0;
    symbols.set(node, (isAlias ? checker.getAliasedSymbol(symbol) : symbol).id);
  };
  for (const file of files) {
    const names: Node[] = [];
    const visit = (node: Node): void => {
      // `{ a }` names a property and reads a variable.
      if (isShorthandPropertyAssignment(node)) {
        note(node.name, checker.getShorthandAssignmentValueSymbol(node));
      } else if (isIdentifier(node)) names.push(node);
      if (!isShorthandPropertyAssignment(node)) node.forEachChild(visit);
    };
    visit(file);
    const found = checker.getSymbolAtLocation(names);
    for (const [index, name] of names.entries()) note(name, found[index]);
  }
  return symbols;
}

import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { PartName, ServiceName } from "./stack.ts";

/** Where the parts that run on Node keep what they use. */
export interface NodeFlagsOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** Folder of the repository. */
  root: string;
  /** Unpacked Chromium and its font settings. */
  cacheDir: string;
  /** Folder of folders with code that Node has compiled: see {@linkcode compiledDirOf}. */
  compiledDir: string;
  /** Folder of the inbox's mails. */
  inboxDir: string;
}

/** Where Node keeps a service's compiled code: one that is broken into must not change another's. */
export function compiledDirOf(name: string, { compiledDir }: { compiledDir: string }): string {
  return join(compiledDir, name);
}

/**
 * The flags that Node starts a service with (Node's permission model): it reads its own code and the
 * libraries', writes what Node has compiled of it, and starts no program, thread or addon. What more a
 * service needs is here. Node 24 has no such flag for the network: that is left to what runs the processes.
 *
 * A service that may start programs is not held by these flags in what those do: Node passes them on to
 * other Nodes, such as the template sandbox, but Chromium is held by its own sandbox alone. On one machine, under one
 * user, it could also read the environments of the others in `/proc`.
 */
export function nodeFlags(
  name: Exclude<PartName, "nats" | "mongod">,
  options: NodeFlagsOptions,
): string[] {
  return flagsOf(name, {
    root: options.root,
    write: writableFolders(name, options),
    read: name === "pdf" ? readByPrinter(options) : [],
  });
}

/**
 * The flags of a service in its image (`deploy/docker/Dockerfile`): as {@linkcode nodeFlags}, but that
 * secrets come as files, and the printer knows where its browser is.
 */
export function imageFlags(name: ServiceName): string[] {
  return flagsOf(name, {
    root: "/app",
    write: name === "pdf" ? ["/tmp"] : [],
    read: ["/run/secrets", ...(name === "pdf" ? ["/opt/chromium", ...READ_OF_BROWSERS] : [])],
  });
}

function flagsOf(
  name: Exclude<PartName, "nats" | "mongod">,
  { root, write, read }: { root: string; write: readonly string[]; read: readonly string[] },
): string[] {
  const all = [
    join(root, "node_modules"),
    join(root, "libs"),
    join(root, name === "inbox" ? "dev" : `services/${name}`),
    join(root, "package.json"),
    ...write,
    ...read,
  ];
  const more = name === "renderer"
    ? [...PROGRAMS, "--allow-worker", "--disable-warning=PERM0006"]
    : name === "pdf"
    ? PROGRAMS
    : [];
  return [
    "--permission",
    ...all.map((path) => `--allow-fs-read=${path}`),
    ...write.map((path) => `--allow-fs-write=${path}`),
    ...more,
  ];
}

// Node warns of it at each start: what it costs is said above.
const PROGRAMS = ["--allow-child-process", "--disable-warning=PERM0002"];

/** What a service may write. Node lets it into folders that are there when it starts, and no others. */
export function writableFolders(
  name: Exclude<PartName, "nats" | "mongod">,
  options: NodeFlagsOptions,
): string[] {
  const { cacheDir, env, inboxDir } = options;
  return [
    compiledDirOf(name, options),
    ...(name === "inbox" ? [inboxDir] : []),
    ...(name === "pdf" ? [cacheDir, env["TMPDIR"] || tmpdir()] : []),
  ];
}

/** Where a browser may be found, and what its processes take. */
function readByPrinter({ env }: NodeFlagsOptions): string[] {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const home = env["HOME"] || homedir();
  return [
    ...folders,
    "/usr/lib/chromium",
    join(home, ".cache/ms-playwright"),
    join(home, "Library/Caches/ms-playwright"),
    ...(env["CHROMIUM_PATH"] ? [env["CHROMIUM_PATH"]] : []),
    ...READ_OF_BROWSERS,
  ];
}

/** What a process of the browser takes. */
const READ_OF_BROWSERS = ["/proc"];

import {
  DESTINATIONS,
  EVERY_PROGRAM,
  permissionsFor,
  PERMITTED_SERVICES,
  type PlaceName,
  PLACES,
} from "@posthaste/runtime";
import type { PartName } from "./part_name.ts";

/** Name of a program of ours that runs as a process of its own. */
export type OwnPart = Exclude<PartName, "nats" | "mongod">;

/**
 * What Deno lets a service do, in Deno's words: `deno run` refuses all that does not stand here. Hosts and
 * folders are given by the names of the settings that hold them, so that what is let is what is used.
 */
export interface DenoPermissions {
  /**
   * Settings with an address to dial or to listen at, or an address itself. `SMTP_PORTS` stands for
   * these ports of any IPv4 address.
   */
  net: readonly string[];
  /** Folders and files below the repository. The code itself needs no leave. */
  read: readonly string[];
  /** What reads as not there, instead of being refused: packages look for it when they are loaded. */
  hidden: readonly string[];
  /** Settings with a folder to read and write. */
  write: readonly string[];
  /** Settings with a program to start, or its path below the repository. */
  run: readonly string[];
  /** Questions about the machine. */
  sys: readonly string[];
  /** Variables that are read beside the service's settings and OpenTelemetry's. */
  env: readonly string[];
}

/** The programs of ours that Deno starts. */
export const OWN_PARTS: readonly OwnPart[] = [...PERMITTED_SERVICES, "inbox"];

/** Returns what `PERMISSIONS` of `libs/runtime` says of a service in Deno's words. */
export function denoPermissionsOf(name: OwnPart): DenoPermissions {
  const own = permissionsFor(name);
  const { reads = [], writes = [], starts = [], variables = [] } = own;
  const net = [EVERY_PROGRAM, own].flatMap(({ dials, listens = {} }) => [
    ...dials.map((destination) => DESTINATIONS[destination].setting),
    ...Object.entries(listens).map(([setting, port]) =>
      setting.includes(".") ? `${setting}:${port}` : setting
    ),
  ]);
  return {
    net,
    read: reads.filter((path) => !isPlace(path)),
    // Deno opens it to nobody who has not every permission.
    hidden: reads.includes("processes") ? [PLACES.processes.image] : [],
    write: writes.map(inWordsOfDeno),
    run: starts.map(inWordsOfDeno),
    sys: own.asks,
    env: variables,
  };
}

/** The setting of a place; a path stays what it is. */
function inWordsOfDeno(path: string): string {
  if (!isPlace(path)) return path;
  const place = PLACES[path];
  return "setting" in place ? place.setting : place.image;
}

function isPlace(path: string): path is PlaceName {
  return path in PLACES;
}

import { type PortName, PORTS } from "./settings.ts";

/** A port that another process uses. */
export interface TakenPort {
  name: PortName;
  port: number;
  /** The process that uses it, if the system shows it. */
  holder: string | undefined;
  /** A port near it that is free. */
  free: number;
}

/** Returns a text with the taken ports, their purposes, and how to choose others. */
export function portConflict(taken: readonly TakenPort[]): string {
  const sentences = taken.map(({ name, port, holder }) =>
    `port ${port}, for ${PORTS[name].purpose}, is used by ${holder ?? "another program"}`
  );
  const choice = taken.map(({ name, free }) => `${PORTS[name].setting}=${free}`).join(" ");
  const others = taken.length === 1 ? "another one" : "others";
  return `Cannot start: ${sentences.join(";\n  ")};\n  stop ${
    taken.length === 1 ? "it" : "them"
  } or choose ${others}: ${choice} npm start`;
}

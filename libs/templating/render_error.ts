import { clipped } from "./_clipped.ts";

/**
 * The cause of a failed fill.
 *
 * - `error`: the template or a value in it is wrong; the message names the fault and its place
 * - `timeout`: it ran longer than the sandbox allows
 * - `memory`: it needed more memory than the sandbox allows
 * - `output`: it made more text than the sandbox allows
 * - `data`: the values cannot be passed to a template (a function, nesting too deep)
 * - `later`: the request had made as much text as it may hold; this fill has no fault
 * - `busy`: the owner's other fills are slow, and too many wait already
 * - `closed`: the sandbox was closed before its turn came
 * - `sandbox`: the sandbox itself does not start; the template has no fault
 */
export type RenderErrorCode =
  | "error"
  | "timeout"
  | "memory"
  | "output"
  | "data"
  | "later"
  | "busy"
  | "closed"
  | "sandbox";

/** The place of an error in a template. */
export interface RenderErrorPlace {
  /** The name of the template within the fill, such as `html`. */
  readonly part?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
}

/** The longest message: quoted values and names may be of any length. */
const MESSAGE_LENGTH = 500;

/** A template that could not be filled. */
export class RenderError extends Error {
  override readonly name = "RenderError";
  readonly code: RenderErrorCode;
  readonly part?: string;
  readonly line?: number;
  readonly column?: number;

  constructor(code: RenderErrorCode, message: string, place: RenderErrorPlace = {}) {
    super(clipped(message, MESSAGE_LENGTH));
    this.code = code;
    if (place.part !== undefined) this.part = place.part;
    if (place.line !== undefined) this.line = place.line;
    if (place.column !== undefined) this.column = place.column;
  }
}

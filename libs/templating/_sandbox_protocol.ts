import type { TemplateParts } from "./check_template.ts";
import type { Includes } from "./includes.ts";
import type { RenderErrorCode, RenderErrorPlace } from "./render_error.ts";

/** A template for a worker to keep under a number until an order to forget it. */
export interface Load {
  readonly id: number;
  readonly source: string;
  readonly escape: "html" | "xml" | "none";
  readonly locale: string;
  readonly timeZone: string;
  readonly assets?: Readonly<Record<string, string>> | undefined;
}

/** One fill: the parts to make, each with the number of its template. */
export interface FillOrder {
  readonly parts: readonly (readonly [string, number])[];
  readonly data: unknown;
}

/** Work other than filling. The worker does one at a time. */
export type Call =
  | {
    readonly op: "check";
    readonly input: TemplateParts & { readonly includes?: Includes | undefined };
  }
  | { readonly op: "publishEmail"; readonly input: unknown }
  | { readonly op: "publishPdf"; readonly input: unknown };

/** A message from the host to a worker. */
export type Order =
  | {
    readonly load: readonly Load[];
    readonly forget: readonly number[];
    readonly fills: readonly FillOrder[];
    readonly outputLimit: number;
  }
  | { readonly call: Call };

/** One filled: the texts in the order of the requested parts. */
export type Filled =
  | readonly string[]
  | { readonly code: RenderErrorCode; readonly message: string; readonly place: RenderErrorPlace };

/**
 * A message from a worker to the host. A batch may be answered in several pieces, in order. A batch that is
 * done may leave its last fills unfilled: the host sends them again in their turn.
 */
export type Report =
  | { readonly ready: true }
  | { readonly filled: readonly Filled[]; readonly done: false }
  /** With the processor's time that the batch took, in milliseconds. */
  | { readonly filled: readonly Filled[]; readonly done: true; readonly cpuMs: number }
  | { readonly value: unknown }
  | {
    readonly failed: { readonly name: string; readonly message: string; readonly errors?: unknown };
  };

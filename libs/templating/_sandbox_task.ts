import type { Call } from "./_sandbox_protocol.ts";
import type { FillResult, TemplateSource } from "./fill.ts";

/** A fill that waits or is done. */
export interface FillTask {
  readonly templates: readonly (readonly [string, TemplateSource])[];
  readonly data: unknown;
  readonly request: Request;
  readonly done: (result: FillResult) => void;
  /** It was in a batch whose worker died: it now runs by itself. */
  alone?: boolean;
}

/** The data that the fills of one request share. */
export interface Request {
  readonly owner: string;
  readonly textBudget: number;
  readonly urgent: boolean;
  /** How many in a row had to be killed. */
  killed: number;
  /** Characters that were made. */
  made: number;
}

/** A check or a publication that waits or is done. */
export interface CallTask {
  readonly call: Call;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export type Task = FillTask | CallTask;
/** The current work of a worker, its owner, and its start. */
export type Job =
  & { readonly owner: string; readonly started: number }
  & ({ readonly fills: FillTask[]; next: number } | CallTask);

/**
 * Parts of the torture for other harnesses: a system whose processes can be ended and started one by
 * one, and a run of load after which four ledgers must agree.
 *
 * ```ts
 * await using rig = await openRig({ three: true, each: 2 });
 * const { problems } = await runFault(rig, { fault, run: "r1", seed: "1", messages: 500, seconds: 30 });
 * ```
 *
 * @module
 */
export { type Chaos, type Fault, threeOf } from "./faults/fault.ts";
export { readJournal } from "./ledgers/journal.ts";
export type { ClientLine, SinkLine } from "./ledgers/ledgers.ts";
export { openSink, type Sink } from "./load/sink_process.ts";
export { problemsOf, writeReport } from "./report.ts";
export { descendants } from "./rig/descendants.ts";
export { MASTER_KEY, openPods, type Pod, type Pods } from "./rig/pods.ts";
export { openRig, OUTLASTING, type Rig } from "./rig/rig.ts";
export { runFault, type RunResult } from "./run_fault.ts";
export { writeTable } from "./text_table.ts";

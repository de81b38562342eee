/**
 * Parts of the chaos tests for other harnesses: a system whose processes can be ended and started one by
 * one, and a run of load after which four records must agree.
 *
 * ```ts
 * await using fixture = await openFixture({ three: true, each: 2 });
 * const { problems } = await runFault(fixture, { fault, run: "r1", seed: "1", messages: 500, seconds: 30 });
 * ```
 *
 * @module
 */
export { type Chaos, type Fault, threeOf } from "./faults/fault.ts";
export { findFaults } from "./faults/fault_list.ts";
export { searchFolder } from "./records/find_leaks.ts";
export { readJournal } from "./records/journal.ts";
export type { ClientLine, SinkLine } from "./records/records.ts";
export { DATABASE } from "./records/read_records.ts";
export { canaryOf, searchFor, type Secret } from "./records/secret.ts";
export { openSink, type Sink } from "./load/sink_process.ts";
export { problemsOf, writeReport } from "./report.ts";
export { makeAccount, type RunAccount, SENDER } from "./fixture/account.ts";
export { descendants } from "./fixture/descendants.ts";
export { MASTER_KEY, MASTER_SECRET, openPods, type Pod, type Pods } from "./fixture/pods.ts";
export { openFixture, OUTLASTING } from "./fixture/open_fixture.ts";
export type { Fixture } from "./fixture/fixture.ts";
export { runFault, type RunResult } from "./run_fault.ts";
export { openRandom, type Random } from "./random.ts";
export { writeTable } from "./text_table.ts";

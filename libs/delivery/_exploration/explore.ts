import { Violation } from "./model_ledger.ts";
import { copyOf, firstState, keyOf, type State } from "./state.ts";
import { checkState, isSettled, steps } from "./steps.ts";
import type { World } from "./world.ts";

/** The result of an exploration. */
export interface Explored {
  states: number;
  transitions: number;
  /** The most steps from the first state to any other. */
  depth: number;
  /** States with two copies of a mail, all of them marked. */
  copies: number;
  /** States with a `sent` that was written over an unknown outcome. */
  lateSent: number;
  held: number;
  /** The invariant that does not hold; missing if all do. */
  violation?: string;
  /** The steps to the violation. */
  trace?: string[];
}

/**
 * Explores every interleaving of a world, breadth first: any loss, delay and duplication of events, and a
 * crash or a freeze before every step. Stops at the first violation, with the shortest path to it.
 */
export function explore(world: World): Explored {
  const ids = new Map<string, number>();
  const parents: number[] = [];
  const labels: string[] = [];
  const settled: boolean[] = [];
  const fairFrom: number[] = [];
  const fairTo: number[] = [];
  const found = { transitions: 0, depth: 0, copies: 0, lateSent: 0, held: 0 };
  let level: { id: number; state: State }[] = [];

  function add(state: State, parent: number, label: string): number {
    const key = keyOf(state);
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = ids.size;
    ids.set(key, id);
    parents.push(parent);
    labels.push(label);
    settled.push(isSettled(state));
    for (const { accepted, outcome } of state.messages) {
      if (accepted & (accepted - 1)) found.copies++;
      if (outcome?.state === "sent" && outcome.unknown & (1 << (outcome.sentBy - 1))) {
        found.lateSent++;
      }
      if (outcome?.state === "unknown") found.held++;
    }
    level.push({ id, state });
    return id;
  }

  function traceTo(id: number, last?: string): string[] {
    const lines = last === undefined ? [] : [last];
    for (let at = id; at > 0; at = parents[at] ?? 0) lines.unshift(labels[at] ?? "");
    return lines;
  }

  function result(more: Pick<Explored, "violation" | "trace"> = {}): Explored {
    return { states: ids.size, ...found, ...more };
  }

  add(firstState(world), -1, "");
  while (level.length > 0) {
    const now = level;
    level = [];
    found.depth++;
    for (const { id, state } of now) {
      let broken: Explored | undefined;
      steps(state, world, (label, isFair, change) => {
        if (broken !== undefined) return;
        found.transitions++;
        const next = copyOf(state);
        try {
          change(next);
          checkState(next);
        } catch (error) {
          if (!(error instanceof Violation)) throw error;
          broken = result({ violation: error.message, trace: traceTo(id, label) });
          return;
        }
        const nextId = add(next, id, label);
        if (isFair && nextId !== id) {
          fairFrom.push(id);
          fairTo.push(nextId);
        }
      });
      if (broken !== undefined) return broken;
    }
  }
  const stuck = findStuck(settled, fairFrom, fairTo);
  if (stuck === -1) return result();
  return result({
    violation: "stuck: nothing that is bound to happen settles it",
    trace: traceTo(stuck),
  });
}

/** Finds a state from which fair steps alone lead to no settled one; -1 if there is none. */
function findStuck(settled: readonly boolean[], from: readonly number[], to: readonly number[]) {
  const heads = new Int32Array(settled.length).fill(-1);
  const nexts = new Int32Array(from.length);
  for (const [edge, target] of to.entries()) {
    nexts[edge] = heads[target] ?? -1;
    heads[target] = edge;
  }
  const isGood = Uint8Array.from(settled, (value) => value ? 1 : 0);
  const stack = settled.flatMap((value, id) => value ? [id] : []);
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    for (let edge = heads[id] ?? -1; edge !== -1; edge = nexts[edge] ?? -1) {
      const source = from[edge] ?? 0;
      if (isGood[source]) continue;
      isGood[source] = 1;
      stack.push(source);
    }
  }
  return isGood.indexOf(0);
}

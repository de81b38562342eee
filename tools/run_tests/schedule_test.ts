import assert from "node:assert/strict";
import { test } from "node:test";
import type { Needs } from "./needs.ts";
import { nextFile, orderFiles, type PlannedFile, type Situation } from "./schedule.ts";

const NOTHING: Needs = {
  ...{ sharedSystem: false, ownSystem: false, browser: false },
  ...{ programs: false, database: false, ownProcess: false, night: false, long: false },
};

function planned(file: string, needs: Partial<Needs> = {}, length = 100): PlannedFile {
  return { file, needs: { ...NOTHING, ...needs }, length };
}

const SITUATION: Situation = {
  ...{ cores: 2, idle: 0, running: [], isPrepared: true, hasSystem: true },
};

function nextOf(waiting: PlannedFile[], situation: Partial<Situation>): string | undefined {
  return nextFile(waiting, { ...SITUATION, ...situation })?.file;
}

const pure = planned("pure");
const stored = planned("stored", { database: true });
const system = planned("system", { ownSystem: true });
const shared = planned("shared", { sharedSystem: true });

test("orderFiles() begins with the shared system and what takes long, then with what starts most", () => {
  const files = [
    pure,
    planned("longer", {}, 200),
    planned("long", { long: true }),
    stored,
    planned("program", { programs: true }),
    planned("browser", { browser: true }),
    system,
    shared,
  ];
  assert.deepEqual(orderFiles(files).map(({ file }) => file), [
    ...["shared", "long", "system", "browser", "program", "stored", "longer", "pure"],
  ]);
});

test("nextFile() starts a file for each core, and more only while the processor is idle", () => {
  const two = [system, planned("b")];
  assert.equal(nextOf([pure], { running: two.slice(1), idle: 0 }), "pure");
  assert.equal(nextOf([pure], { running: two, idle: 0.05 }), undefined);
  assert.equal(nextOf([pure], { running: two, idle: 0.5 }), "pure");
  assert.equal(nextOf([pure], { running: [...two, ...two, ...two, ...two], idle: 1 }), undefined);
});

test("nextFile() starts two files for each core while none is heavy, whatever is idle", () => {
  const three = [planned("a"), stored, planned("c")];
  assert.equal(nextOf([pure], { running: three, idle: 0 }), "pure");
  assert.equal(nextOf([pure], { running: [...three, pure], idle: 0.05 }), undefined);
});

test("nextFile() runs pure files while the servers start", () => {
  const starting = { isPrepared: false, hasSystem: false };
  assert.equal(nextOf([shared, system, stored, pure], starting), "pure");
  assert.equal(nextOf([shared, system, stored], starting), undefined);
  assert.equal(nextOf([shared, stored], { hasSystem: false }), "stored");
});

test("nextFile() starts no more whole systems and browsers than there are cores, and one more while much is idle", () => {
  const browser = planned("browser", { browser: true });
  const busy = { running: [system, shared], idle: 0.2 };
  assert.equal(nextOf([browser, stored], busy), "stored");
  assert.equal(nextOf([browser, stored], { ...busy, idle: 0.5 }), "browser");
  const three = { running: [system, shared, browser], idle: 0.9 };
  assert.equal(nextOf([browser, stored], three), "stored");
});

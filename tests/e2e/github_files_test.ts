import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { IMAGES } from "./images/build_images.ts";

interface Step {
  run?: string;
  uses?: string;
}

interface Job {
  needs?: string;
  uses?: string;
  permissions?: Record<string, string>;
  steps?: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  env?: Record<string, string>;
  jobs: Record<string, Job>;
}

interface IssueForm {
  name: string;
  description: string;
  body: { type: string; id?: string; attributes: { label?: string } }[];
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

function read<T>(file: string): T {
  return parse(readFileSync(join(ROOT, file), "utf8"));
}

function jobOf(workflow: Workflow, name: string): Required<Pick<Job, "steps">> & Job {
  const job = workflow.jobs[name];
  assert.ok(job, `there is a job "${name}"`);
  return { ...job, steps: job.steps ?? [] };
}

function scriptOf({ steps }: Pick<Job, "steps">): string {
  return (steps ?? []).map(({ run = "" }) => run).join("\n");
}

test("every workflow is YAML, grants nothing by itself, and its steps are valid for the shell", () => {
  const files = globSync(".github/workflows/*.yml", { cwd: ROOT });
  assert.ok(files.includes(".github/workflows/release.yml"));
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const file of files) {
    const workflow = read<Workflow>(file);
    assert.ok(Object.keys(workflow.on).length > 0, file);
    const granted = Object.values(workflow.permissions);
    assert.ok(granted.every((level) => level === "read"), `${file} grants ${granted}`);
    for (const [name, job] of Object.entries(workflow.jobs)) {
      const script = scriptOf(job).replace(/\$\{\{.*?\}\}/g, "expression");
      execFileSync("bash", ["-n"], { input: script });
      for (const [, command = ""] of script.matchAll(/npm run ([\w:]+)/g)) {
        assert.ok(command === "expression" || command in scripts, `${file}, ${name}: ${command}`);
      }
      if (job.needs !== undefined) assert.ok(job.needs in workflow.jobs, `${file}, ${name}`);
    }
  }
});

test("release.yml publishes and signs every image that buildImages() builds, of a tag only", () => {
  const workflow = read<Workflow>(".github/workflows/release.yml");
  assert.deepEqual(workflow.env?.["IMAGES"]?.split(" "), [...IMAGES]);
  assert.deepEqual(workflow.on, { push: { tags: ["v[0-9]+.[0-9]+.[0-9]+"] } });
  const [build, publish] = [jobOf(workflow, "build"), jobOf(workflow, "publish")];
  assert.match(scriptOf(build), /npm run images -- --prove/);
  for (const { steps } of [build, publish]) {
    assert.ok(scriptOf({ steps }).includes("for image in $IMAGES; do"));
  }
  const pushed = scriptOf(publish).indexOf("docker push");
  const signed = scriptOf(publish).indexOf('cosign sign --yes "$digest"');
  const released = scriptOf(publish).indexOf("gh release create");
  assert.ok(0 < pushed && pushed < signed && signed < released, "push, sign, release");
  assert.match(scriptOf(publish), /cosign sign-blob --yes --bundle \S+ SHA256SUMS/);
});

test("release.yml runs code of packages only in jobs that cannot write or sign", () => {
  const workflow = read<Workflow>(".github/workflows/release.yml");
  assert.deepEqual(workflow.permissions, {});
  const { gate, ...rest } = workflow.jobs;
  assert.deepEqual(gate?.permissions, { contents: "read" });
  assert.ok("workflow_call" in read<Workflow>(gate?.uses ?? "").on);
  assert.deepEqual(Object.keys(rest), ["build", "publish"]);
  assert.equal(rest["build"]?.needs, "gate");
  assert.deepEqual(rest["build"]?.permissions, { contents: "read" });
  const publish = jobOf(workflow, "publish");
  assert.equal(publish.needs, "build");
  assert.deepEqual(publish.permissions, {
    contents: "write",
    packages: "write",
    "id-token": "write",
  });
  assert.doesNotMatch(scriptOf(publish), /\b(npm|npx|node)\b/);
  for (const { uses = "" } of publish.steps) {
    // Actions that GitHub itself does not maintain are pinned to a commit.
    assert.match(uses, /^$|^actions\/download-artifact@|@[\da-f]{40}$/);
  }
});

test("the forms of issues have names, descriptions, and questions with labels and ids of their own", () => {
  const files = globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: ROOT });
  assert.equal(files.length, 2);
  for (const file of files) {
    const { name, description, body } = read<IssueForm>(file);
    assert.ok(name && description, file);
    const questions = body.filter(({ type }) => type !== "markdown");
    assert.ok(questions.length > 0, file);
    for (const { type, attributes } of questions) {
      assert.ok(["textarea", "input", "dropdown", "checkboxes"].includes(type), `${file}: ${type}`);
      assert.ok(attributes.label, `${file}: every question has a label`);
    }
    assert.equal(new Set(questions.map(({ id }) => id)).size, questions.length, file);
  }
});

test("the links of the pages for contributors work", () => {
  const pages = [...globSync("*.md", { cwd: ROOT }), "docs/glossary.md", "docs/releases.md"];
  assert.ok(pages.includes("CONTRIBUTING.md"));
  for (const page of pages) {
    const text = readFileSync(join(ROOT, page), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const linked = path === "" ? join(ROOT, page) : join(ROOT, page, "..", path);
      assert.ok(existsSync(linked), `${page}: ${target}`);
      if (anchor === undefined) continue;
      const anchors = anchorsIn(readFileSync(linked, "utf8"));
      assert.ok(anchors.includes(anchor), `${page}: ${target}`);
    }
  }
});

/** As GitHub derives them from headings. */
function anchorsIn(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-")
  );
}

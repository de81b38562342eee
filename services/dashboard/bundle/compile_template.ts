import { type Authored, fileOfPart, fileOfPartial, sourceOfAuthored } from "@posthaste/bundle";
import type { BundleFault, Pinned, PinnedAsset } from "@posthaste/contracts";
import { describeFinding } from "@posthaste/templating";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { askRenderer, type CompiledParts } from "../templates/ask_renderer.ts";
import { type BodyFinding, type CheckPrints, judgeSource } from "../templates/judge_source.ts";
import { sourceSchema } from "../templates/template_input.ts";

/** The result of compiling a template. */
export interface CompiledTemplate {
  /** Missing if there are faults. */
  compiled?: CompiledParts;
  faults: BundleFault[];
  warnings: BundleFault[];
}

const COMPILE_LIMIT_MS = 11_000;

/**
 * Has a template of a bundle compiled and filled with its sample, as publishing it would. Where it is to be
 * published, it must break no rule that prevents that.
 *
 * @throws {HttpError} `no_answer` or `unavailable`
 */
export async function compileTemplate(
  template: Authored,
  { accountId, isPublished, instead, assets, prints }: {
    accountId: string;
    isPublished: boolean;
    /** Partials to use instead of the published ones of the same name. */
    instead: readonly Pinned[];
    /** Files to use instead of the kept ones of the same name. */
    assets: readonly PinnedAsset[];
    prints: CheckPrints;
  },
  deps: Pick<DashboardDeps, "bus" | "store">,
): Promise<CompiledTemplate> {
  const { kind, folder, sample } = template;
  const source = sourceOfAuthored(template);
  const tooLarge = sizeFaults(template);
  if (tooLarge.length > 0) return { faults: tooLarge, warnings: [] };
  const given = { accountId, kind, source, instead, assets };
  const wish = { ...given, compiled: true, timeoutMs: COMPILE_LIMIT_MS };
  const rendering = await askRenderer(wish, deps);
  const at = (file: string) => `${folder}/${file}`;
  if (!rendering.ok) {
    const { errors, reason, variant } = rendering;
    const placed = errors.map(({ part, line, column, partial, message }) => ({
      ...(partial === undefined
        ? placeOf(template, { part, line, column, variant })
        : { file: fileOfPartial(partial), line, column }),
      message,
    }));
    const advice = sample === undefined ? "without sample.json" : "with sample.json";
    const file = at(fileOfPart(template, "html", variant));
    const whole = { file, message: `${advice}: ${reason}` };
    return { faults: placed.length > 0 ? placed : [whole], warnings: [] };
  }
  const { compiled, missing } = rendering;
  const lacking = sample === undefined ? [] : missing;
  const { errors, unprinted } = isPublished
    ? await judgeSource({ accountId, kind, source, rendering }, { bus: deps.bus, prints })
    : { errors: [], unprinted: [] };
  return {
    ...(compiled === undefined ? {} : { compiled }),
    faults: compiled === undefined ? [{ file: folder, message: "was not compiled. Try again" }] : [
      ...lacking.map((name) => ({
        file: at("sample.json"),
        message: `variable "${name}" is required, but the sample does not have it`,
      })),
      ...errors.map((finding) => faultOf(template, finding)),
    ],
    warnings: [
      ...[[null, rendering] as const, ...Object.entries(rendering.variants)].flatMap(
        ([tag, { warnings }]) => {
          const file = at(fileOfPart(template, "html", tag));
          return warnings.map((message) => ({ file, message }));
        },
      ),
      ...unprinted.map(({ variant, message }) => ({
        file: at(fileOfPart(template, "html", variant)),
        message: `was not checked: ${message}`,
      })),
    ],
  };
}

function faultOf(template: Authored, finding: BodyFinding): BundleFault {
  const { part, line, column, partial, variant } = finding;
  const place = partial !== undefined && line !== null && column !== null
    ? { file: fileOfPartial(partial), line, column }
    : line === null || column === null
    ? { file: `${template.folder}/${fileOfPart(template, part, variant)}` }
    : placeOf(template, { part, line, column, variant });
  return { ...place, message: describeFinding(finding) };
}

interface PartPlace {
  part: string;
  line: number;
  column: number;
  /** The tag of its language variant; null for the template's own body. */
  variant: string | null;
}

/**
 * Returns the place of a fault. The file name's template is one line of `template.json`: its place
 * is that of the field.
 */
function placeOf(template: Authored, { part, line, column, variant }: PartPlace) {
  const name = fileOfPart(template, part, variant);
  const file = `${template.folder}/${name}`;
  return name === "template.json"
    ? { file, ...template.document.placeOf(["filename"]) }
    : { file, line, column };
}

/** Finds sources that are too large: files have the same limits as the editor. */
function sizeFaults(template: Authored): BundleFault[] {
  const { error } = sourceSchema.safeParse(sourceOfAuthored(template));
  return (error?.issues ?? []).map(({ path, message }) => ({
    file: `${template.folder}/${fileOfField(template, path.map(String))}`,
    message,
  }));
}

/** Returns the file with a field of a source: `html`, or `variants.de.html`. */
function fileOfField(template: Authored, [field = "", tag = "", ofVariant = ""]: string[]): string {
  if (field === "sample") return "sample.json";
  if (field === "variants" && ofVariant !== "") return fileOfPart(template, ofVariant, tag);
  return PARTS.includes(field) ? fileOfPart(template, field) : "template.json";
}

const PARTS = ["subject", "html", "text", "filename", "invoice"];

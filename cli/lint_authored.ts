import {
  type Authored,
  type FileFault,
  fileOfPart,
  fileOfPartial,
  sourceOfAuthored,
} from "@posthaste/bundle";
import type { TemplateFault, UsedAsset } from "@posthaste/contracts";
import {
  describeFinding,
  type LintedPartial,
  type LintFinding,
  lintTemplate,
  type TemplateVariable,
} from "@posthaste/templating";

/** A template and its result. */
export interface LintedTemplate {
  template: Authored;
  /** The variables that its parts and its file name read. */
  variables: readonly TemplateVariable[];
  /** The message rendered with the sample, if there is one. */
  output: Readonly<Record<string, string>> | undefined;
  /** The stored images that it shows. */
  assets: readonly UsedAsset[];
  /** The partials in it. */
  partials: readonly LintedPartial[];
}

/** Rules that the check of a folder covers itself, with more exact places. */
const KNOWN: readonly string[] = ["compiler", "unused_variable", "sample_lacks"];

/** Returns the findings of the rules for templates: those that prevent publishing, and the others. */
export function lintAuthored(
  { template, variables, output, assets, partials }: LintedTemplate,
): { errors: FileFault[]; warnings: FileFault[] } {
  const found = lintTemplate({
    ...{ kind: template.kind, source: sourceOfAuthored(template), missing: [] },
    ...{ assets, partials, variables },
    ...(output === undefined ? {} : {
      output: {
        ...{ subject: output["subject"] ?? "", html: output["html"] ?? "" },
        text: output["text"] ?? "",
      },
    }),
  }).filter(({ rule }) => !KNOWN.includes(rule));
  const of = (severity: LintFinding["severity"]) =>
    found.filter((one) => one.severity === severity).map((one) => faultOf(one, template));
  return { errors: of("error"), warnings: of("warning") };
}

function faultOf(
  finding: LintFinding,
  template: Authored,
): FileFault {
  const { part, line, column, rule, partial } = finding;
  if (partial !== undefined && line !== null) {
    const file = fileOfPartial(partial);
    return { file, line, column: column ?? 1, message: describeFinding(finding), rule };
  }
  const isName = part === "subject" && template.kind === "pdf";
  const file = `${template.folder}/${isName ? "template.json" : fileOfPart(template, part)}`;
  const place: Partial<Pick<TemplateFault, "line" | "column">> = isName
    ? template.document.placeOf(["filename"])
    : line === null
    ? {}
    : { line, column: column ?? 1 };
  return { file, ...place, message: describeFinding(finding), rule };
}

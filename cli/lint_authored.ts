import type { DraftSource, FoundVariable, TemplateFault } from "@posthaste/contracts";
import {
  type LintFinding,
  lintTemplate,
  sayFinding,
  type TemplateVariable,
} from "@posthaste/templating";
import {
  type AuthoredEmail,
  type AuthoredPdf,
  type FileFault,
  fileOfPart,
} from "./read_template_folder.ts";

/** A template, and what became of it. */
export interface LintedTemplate {
  template: AuthoredEmail | AuthoredPdf;
  /** What its parts read, and its file name. */
  variables: readonly TemplateVariable[];
  /** What a message would have with the sample, if there is one. */
  output: Readonly<Record<string, string>> | undefined;
}

/** What the check of a folder finds by itself, at better places. */
const KNOWN: readonly string[] = ["compiler", "unused_variable", "sample_lacks"];

/** Finds what the rules for templates say of files: what prevents publishing, and what does not. */
export function lintAuthored(
  { template, variables, output }: LintedTemplate,
): { errors: FileFault[]; warnings: FileFault[] } {
  const found = lintTemplate({
    ...{ kind: template.kind, source: draftSourceOf(template), missing: [] },
    variables: variables.map((one): FoundVariable => ({
      ...{ ...one, paths: [...one.paths], usedIn: [...one.usedIn] },
    })),
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

/** Returns a template of a folder as a draft has it. */
export function draftSourceOf(template: AuthoredEmail | AuthoredPdf): DraftSource {
  const { files, bodyFile, settings, sample = {} } = template;
  const { variables, locale } = settings;
  return {
    ...{ subject: (files["subject.hbs"] ?? "").trim(), html: files[bodyFile] ?? "" },
    ...{ text: files["text.txt.hbs"] ?? "", variables, locale, sample },
    filename: template.kind === "pdf" ? template.settings.filename : "",
    page: template.kind === "pdf" ? template.settings.page : null,
  };
}

function faultOf(
  finding: LintFinding,
  template: AuthoredEmail | AuthoredPdf,
): FileFault {
  const { part, line, column, rule } = finding;
  const isName = part === "subject" && template.kind === "pdf";
  const file = `${template.folder}/${isName ? "template.json" : fileOfPart(template, part)}`;
  const place: Partial<Pick<TemplateFault, "line" | "column">> = isName
    ? template.document.placeOf(["filename"])
    : line === null
    ? {}
    : { line, column: column ?? 1 };
  return { file, ...place, message: sayFinding(finding), rule };
}

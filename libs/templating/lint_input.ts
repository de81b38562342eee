import type { DraftSource, TemplateFault, TemplateKind, UsedAsset } from "@posthaste/contracts";
import type { TemplateVariable } from "./template_variables.ts";

/** A partial that a template includes. */
export interface LintedPartial {
  readonly name: string;
  readonly source: string;
}

/** A template, and what became of it. */
export interface LintInput {
  kind: TemplateKind;
  source: DraftSource;
  /** The partials in it, without the brand. @default {[]} */
  partials?: readonly LintedPartial[];
  /** What it reads. */
  variables: readonly TemplateVariable[];
  /** Declared variables that other bodies of the template use. @default {[]} */
  elsewhere?: readonly string[];
  /** Required variables that the sample lacks. */
  missing: readonly string[];
  /** Faults of the source. */
  errors?: readonly TemplateFault[];
  /** Why it could not be filled. */
  reason?: string;
  /** Of the compiler; those that begin with `Line 3: ` have their place. */
  warnings?: readonly string[];
  /** What a message would have; missing where it could not be filled. */
  output?: { subject: string; html: string; text: string };
  /** What the PDF asked for and was refused. */
  blocked?: readonly string[];
  /** Why no message can have the PDF, for another reason than `blocked`. */
  unprintable?: string;
  /** The characters of the PDF that have no glyph. */
  missingGlyphs?: readonly string[];
  /** Families of fonts of the PDF that the browser refused. */
  brokenFonts?: readonly string[];
  /** The stored images that it names; missing if it is not known which there are. */
  assets?: readonly UsedAsset[];
}

/** The importance of a finding. An `error` prevents publishing. */
export type LintSeverity = "error" | "warning" | "info";

/** A rule for templates. */
export interface LintRuleInfo {
  readonly severity: LintSeverity;
  /** What the author can do, as a sentence without a final period. */
  readonly remedy: string;
}

/** Every rule, by its code in findings. */
export const LINT_RULES = {
  /** It could not be filled, although its source has no fault. */
  cannot_fill: error("Change the template or the sample until it can be filled"),
  /** Messages with this PDF would fail: it requests a resource that it may not load. */
  pdf_blocked: error("Write what it loads into the document (data:), or remove it"),
  /** Messages with this PDF would fail: it cannot be printed with the sample. */
  pdf_unprintable: error("Change the template or the sample until the preview shows the PDF"),
  /** The same, because no font has a glyph for one of its characters. */
  pdf_glyphs_fail: error(
    "Use another character in the template or its sample, give the document a font that has it, " +
      "or change the page's options",
  ),
  /** No font has a glyph for a character of the PDF, which is printed all the same. */
  pdf_missing_glyphs: warning("Use another character, or give the document a font that has it"),
  /** The browser refused a font of the PDF. */
  pdf_font_broken: warning("Export the font again, as TrueType, OpenType or WOFF2"),
  /** An image of a PDF by address, which the printer may not load. */
  pdf_image_blocked: error(
    "Allow images from the web in the page's options, or write the image into the document (data:)",
  ),
  /** Images of a PDF could not be fetched, or the operator does not allow that. */
  pdf_images_fail: error("Write the images into the document (data:)"),
  /** A PDF/A with a password, which the standard forbids. */
  password_in_archive: error("Choose one of the two in the page options: PDF/A-3b or the password"),
  /** The password of a PDF is in a variable that requests may not know. */
  password_undeclared: error("Declare the variable, as required"),
  /** Everybody who knows the template knows the password. */
  password_default: warning("Remove the default, so that each request must have a password"),
  /** A variable that is neither declared nor in the sample. */
  unknown_variable: error("Correct the name, add it to the sample, or declare it"),
  /** A field that the sample does not have, with the name of another one and a slip of the finger. */
  misspelled_field: error("Correct the name, or add the field to the sample"),
  /** A stored image that does not exist. */
  unknown_asset: error("Store an image under this name, or correct the name"),
  /** A stored file that is no image, and no font of a PDF. */
  asset_not_image: error("Attach the file to the send, or link to it"),
  /** A stored file that is to be appended, and is no PDF. */
  asset_not_pdf: error("Store a PDF under this name, or remove it from the page options"),
  /** A PDF/A with appended pages, which may not conform. */
  append_in_archive: error(
    "Choose one of the two in the page options: PDF/A-3b or the appended PDFs",
  ),
  /** Stored images and fonts that are too large together. */
  assets_too_large: error("Store smaller images, or fonts with fewer characters"),
  /** An image whose address is only valid on a web page. */
  relative_image: error("Write the complete address: https://…"),
  script: error("Remove the script"),
  form: error("Link to a page that has the form"),
  javascript_link: error("Link to a page: https://…"),
  /** A merge tag of another product, which recipients would see unchanged. */
  foreign_tag: error("Write {{name}}; `posthaste convert` translates templates of other products"),
  image_without_alt: warning('Describe the image: alt="…", or alt="" if it is decoration'),
  /** A link or button that leads nowhere. */
  link_without_href: warning("Add href"),
  /** A link to `#`: a placeholder that was never replaced. */
  link_placeholder: warning("Set href"),
  /** A link whose address is only valid on a web page. */
  relative_address: warning("Write the complete address: https://…"),
  /** An image without TLS, which mail clients do not load. */
  http_image: warning("Use https"),
  /** An image in the source of a mail, which Gmail and Outlook do not show. */
  data_image: warning("Store the image at a public address: https://…"),
  /** Frames and videos, which mail clients remove. */
  not_in_mail: warning("Link to it instead"),
  /** CSS that large mail clients ignore. */
  css_unsupported: warning("Check that the mail can be read without it; tables work everywhere"),
  /** A text that is hard to distinguish from its background. */
  low_contrast: warning("Use a darker or a lighter colour: the contrast must be at least 4.5"),
  /** A value that is inserted into the HTML unescaped. */
  unescaped_value: warning("Write two braces, unless the value is your own HTML"),
  /** A remote image in a PDF that leaves out resources it may not load. */
  remote_image: warning(
    "Allow images from the web in the page's options, or write the image into the document (data:)",
  ),
  /** More than 102 KB of HTML, where Gmail cuts. */
  gmail_clips: warning("Shorten the HTML, or send long parts as a PDF"),
  empty_subject: warning("Write a subject"),
  /** A field that the sample does not have, though it has others beside it. */
  unknown_field: warning("Correct the name, or add the field to the sample"),
  /** A declared variable that nothing reads. */
  unused_variable: warning("Remove the declaration, or use the variable"),
  /** A required variable that the sample lacks. */
  sample_lacks: warning("Add it to the sample"),
  /** A warning of the compiler. */
  compiler: warning("Read the documentation of MJML, or change the CSS"),
  /** A variable that is read and not declared: requests may leave it out. */
  undeclared_variable: info("Declare it as required, or give it a default"),
  subject_too_long: info("Put the important words first"),
  no_preheader: info("Begin with a hidden text, or with mj-preview in MJML"),
  /** It looks like marketing, and has no link to unsubscribe. */
  missing_unsubscribe: info("Add a link to unsubscribe"),
} as const satisfies Record<string, LintRuleInfo>;

/** Code of a rule. */
export type LintRule = keyof typeof LINT_RULES;

function error(remedy: string): LintRuleInfo {
  return { severity: "error", remedy };
}

function warning(remedy: string): LintRuleInfo {
  return { severity: "warning", remedy };
}

function info(remedy: string): LintRuleInfo {
  return { severity: "info", remedy };
}

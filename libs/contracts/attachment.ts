import { z } from "zod";
import { aliasSchema } from "./alias.ts";
import { faultParams, type IssueCode } from "./issue_code.ts";
import {
  assetNameSchema,
  base64Schema,
  contentIdSchema,
  contentTypeSchema,
  filenameSchema,
  isBlockedFile,
} from "./mail_file.ts";
import { variablesSchema } from "./variables.ts";

const PDF_REF_FAULT = "must be the id or the alias of a PDF template";

/** A PDF template as the body of a request names it: by its id or its alias. */
export const pdfRefSchema = z.union([z.int(), z.string()], {
  error: ({ input }) => input === undefined ? "is required" : PDF_REF_FAULT,
}).refine(
  (ref) => typeof ref === "number" ? ref > 0 : aliasSchema.safeParse(ref).success,
  faultParams("wrong_type", PDF_REF_FAULT),
);

/** A PDF template as the body of a request names it. */
export type PdfRef = z.infer<typeof pdfRefSchema>;

/** The kinds of attachments, each with the further fields that it allows. */
const KINDS = {
  id: ["filename", "variables"],
  content: ["filename", "contentType", "contentId"],
  asset: ["filename", "contentId"],
} as const;

type Kind = keyof typeof KINDS;

const FILE_FIELDS = {
  /** The bytes of a file. */
  content: base64Schema.optional(),
  contentType: contentTypeSchema.optional(),
  /** The name of a file that the account keeps. */
  asset: assetNameSchema.optional(),
  contentId: contentIdSchema.optional(),
};

const givenSchema = z.strictObject({
  // Not optional as other fields are: null is no id, and nothing else would name the attachment.
  id: z.lazy(() => pdfRefSchema.optional()),
  filename: filenameSchema.optional(),
  variables: variablesSchema.optional(),
  ...FILE_FIELDS,
});

type Given = z.infer<typeof givenSchema>;

/** Schema of one recipient's attachment: a PDF to print, a file, or the name of a kept file. */
export const attachmentBodySchema = givenSchema.check(({ value, issues }) => {
  for (const fault of faultsOf(value, "id")) issues.push(issueOf(fault, value));
});

/** Schema of an attachment for all recipients: a file, or the name of a kept one. */
export const fileBodySchema = z.strictObject({
  filename: filenameSchema.optional(),
  ...FILE_FIELDS,
}).check(({ value, issues }) => {
  for (const fault of faultsOf(value, "content")) issues.push(issueOf(fault, value));
});

/** An attachment as the body of a request names it. */
export type AttachmentBody = Given;

interface Fault {
  field: string;
  code: IssueCode;
  message: string;
}

/** Returns the faults of an attachment. @param usual The kind to assume if no field decides it. */
function faultsOf(given: Given, usual: Kind): Fault[] {
  if (isPdfAlone(given)) return [];
  const [kind, ...others] = (Object.keys(KINDS) as Kind[]).filter((name) =>
    given[name] !== undefined
  );
  if (kind === undefined) return [required(usual)];
  const fields: readonly string[] = [kind, ...KINDS[kind]];
  const foreign = Object.entries(given).filter(([name, value]) =>
    value !== undefined && !fields.includes(name) && !others.includes(name as Kind)
  );
  const unfit = [...others, ...foreign.map(([name]) => name)];
  const message = `must not be given with ${kind}`;
  const { filename } = given;
  return [
    ...unfit.map((field): Fault => ({ field, code: "unknown_field", message })),
    ...(kind === "content" && filename === undefined ? [required("filename")] : []),
    ...(kind === "content" && given.contentType === undefined ? [required("contentType")] : []),
    ...(kind !== "id" && filename !== undefined && isBlockedFile(filename) ? [NOT_ALLOWED] : []),
  ];
}

/** Returns whether an attachment has only the fields of a PDF, as most do. This check is almost free. */
function isPdfAlone({ id, content, contentType, asset, contentId }: Given): boolean {
  return id !== undefined && content === undefined && contentType === undefined &&
    asset === undefined && contentId === undefined;
}

const NOT_ALLOWED: Fault = {
  field: "filename",
  code: "attachment_not_allowed",
  message: "has an ending that mail servers refuse",
};

function required(field: string): Fault {
  return { field, code: "required", message: "is required" };
}

function issueOf({ field, code, message }: Fault, input: object) {
  const { params } = faultParams(code, message);
  return { code: "custom" as const, path: [field], message, params, input };
}

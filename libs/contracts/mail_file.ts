import { z } from "zod";
import { faultParams } from "./issue_code.ts";
import { withoutControls } from "./mailbox.ts";

/** The largest attached file, in bytes. */
export const MAX_FILE_BYTES = 10_000_000;

/** The most encoded bytes of all files of one mail, which equals the limit of the whole mail. */
export const MAX_MAIL_BYTES = 25 * 1024 * 1024;

/** The longest file name of an attachment, in characters. */
export const MAX_FILENAME_LENGTH = 200;

/** Endings of executable files. Mail servers refuse mails that contain them. */
const BLOCKED = new Set([
  ..."ade adp apk app appx appxbundle bat cab chm cmd com cpl dll dmg ex ex_ exe hta".split(" "),
  ..."ins iso isp jar js jse jnlp lib lnk mde msc msi msix msp mst nsh pif ps1 psc1 reg".split(" "),
  ..."scf scr sct shb sys url vb vbe vbs vhd vhdx vxd wsc wsf wsh xll".split(" "),
]);

/** Schema of the name of an attached file. */
export const filenameSchema = withoutControls(
  z.string()
    .min(1, { error: "must not be empty" })
    .max(MAX_FILENAME_LENGTH, { error: `must not exceed ${MAX_FILENAME_LENGTH} characters` }),
).refine(
  (name) => !/[/\\]/.test(name),
  faultParams("bad_characters", "must not contain slashes"),
).refine(
  (name) => !hasPlaceholder(name),
  faultParams(
    "placeholder_in_filename",
    "must not contain {{…}}: placeholders work only in the file name of the PDF template",
  ),
);

/** Returns whether a file of this name must not be attached: its ending marks it as executable. */
export function isBlockedFile(filename: string): boolean {
  // What systems pass over at the end of a name, the usual stream of NTFS, and what turns its direction around.
  const visible = filename.normalize("NFKC")
    .replace(/[\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/::\$DATA$/i, "");
  // Up to the last letter or digit. A pattern for what follows would begin to search at each sign.
  const clean = /^[\s\S]*[\p{L}\p{N}_]/u.exec(visible)?.[0] ?? "";
  const ending = clean.slice(clean.lastIndexOf(".") + 1).toLowerCase();
  return clean.includes(".") && BLOCKED.has(ending);
}

/** Schema of the type of a file: `image/png`, `text/csv; charset=utf-8`. Refuses a mail inside a mail. */
export const contentTypeSchema = z.string()
  .max(127, { error: "must not exceed 127 characters" })
  .regex(/^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*(?:; ?charset=[\w-]{1,40})?$/i, {
    error: "must be a type such as image/png",
  })
  .refine(
    (type) => !/^(?:multipart|message)\//i.test(type),
    faultParams("wrong_type", "must not be a multipart or message type"),
  );

/** Schema of the name by which a mail's HTML refers to a file: `<img src="cid:logo">`. */
export const contentIdSchema = z.string().regex(/^[\w.-]{1,64}$/, {
  error: "must be 1 to 64 letters, digits and _ . -",
});

/** Schema of the name under which an account keeps a file. */
export const assetNameSchema = z.string().regex(/^[\w][\w.-]{0,63}$/, {
  error: "must be 1 to 64 letters, digits and _ . -",
});

/** Schema of the bytes of a file, as base64 without line breaks (RFC 4648, 4). */
export const base64Schema = z.string()
  .min(1, { error: "must not be empty" })
  .refine(isBase64, faultParams("wrong_type", "must be base64 without line breaks"))
  .refine(
    (text) => bytesOfBase64(text) <= MAX_FILE_BYTES,
    faultParams("too_long", `must not have more than ${MAX_FILE_BYTES} bytes`),
  );

/** A file that is attached to a mail. Its bytes are stored under their hash. */
export const mailFileSchema = z.object({
  /** SHA-256 of its bytes, in hex. */
  sha256: z.string().regex(/^[a-f\d]{64}$/),
  /** In bytes. */
  size: z.int().nonnegative(),
  filename: z.string(),
  contentType: z.string(),
  /** If set, the file is part of the HTML; otherwise it is an attachment. */
  contentId: z.string().optional(),
});

/** A file that is attached to a mail. */
export type MailFile = z.infer<typeof mailFileSchema>;

/** Returns the size of a file inside a mail, in lines of 76 characters. */
export function encodedBytes(size: number): number {
  const characters = Math.ceil(size / 3) * 4;
  return characters + Math.ceil(characters / 76) * 2;
}

function bytesOfBase64(text: string): number {
  return Math.floor(text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Checks without a pattern: one for both ends would take quadratic time on `{{{{…`. */
function hasPlaceholder(name: string): boolean {
  const start = name.indexOf("{{");
  return start >= 0 && name.indexOf("}}", start) >= 0;
}

import type { SendTemplateBody } from "./types.ts";

/** Variables by name. */
export type Variables = Record<string, unknown>;

/**
 * The variables of each email template, by alias. Empty until `posthaste types` extends it; then
 * `render()` and `send()` know the templates and check their variables.
 */
// deno-lint-ignore no-empty-interface
export interface Templates {}

/** The variables of each PDF template, by alias, as {@linkcode Templates}. */
// deno-lint-ignore no-empty-interface
export interface PdfTemplates {}

/** Id or alias of an email template. */
export type TemplateName = NameOf<Templates>;

/** Id or alias of a PDF template. */
export type PdfTemplateName = NameOf<PdfTemplates>;

/** The variables that an email template is filled with. */
export type VariablesOf<Name> = Name extends keyof Templates ? Templates[Name] : Variables;

/** The variables that a PDF template is filled with. */
export type PdfVariablesOf<Name> = Name extends keyof PdfTemplates ? PdfTemplates[Name] : Variables;

/**
 * Body of a send. Every variable may be given on any level, so each level has all as optional. An
 * email's levels also take the variables of PDF templates, which their attachments inherit.
 */
export type SendBody<Name extends TemplateName> =
  & Omit<SendTemplateBody, "to" | "variables">
  & { to: Recipient<Name>[]; variables?: LevelOf<Name> | undefined };

/** One recipient of a {@linkcode SendBody}. */
export type Recipient<Name extends TemplateName> =
  & Omit<AnyRecipient, "variables" | "attachments">
  & { variables?: LevelOf<Name> | undefined; attachments?: Attachment[] | undefined };

/** One attachment of a {@linkcode Recipient}. */
export type Attachment = [keyof PdfTemplates] extends [never] ? AnyAttachment
  :
    | FileAttachment
    | {
      [Id in keyof PdfTemplates | number]:
        & Omit<AnyAttachment, "id" | "variables">
        & { id: Id; variables?: AttachmentLevel<Id> | undefined };
    }[keyof PdfTemplates | number];

/** A file, or the name of a kept one. */
type FileAttachment =
  & Omit<AnyAttachment, "id" | "variables">
  & { id?: undefined; variables?: undefined };

type AnyRecipient = SendTemplateBody["to"][number];
type AnyAttachment = NonNullable<AnyRecipient["attachments"]>[number];
type NameOf<Known> = [keyof Known] extends [never] ? string | number : keyof Known | number;
type KeysOfAll<T> = T extends unknown ? keyof T : never;
type PdfVariable = KeysOfAll<PdfTemplates[keyof PdfTemplates]>;

type LevelOf<Name> = Name extends keyof Templates
  ? Partial<Templates[Name]> & { [K in Exclude<PdfVariable, keyof Templates[Name]>]?: unknown }
  : Variables;

type AttachmentLevel<Id> = Id extends keyof PdfTemplates ? Partial<PdfTemplates[Id]> : Variables;

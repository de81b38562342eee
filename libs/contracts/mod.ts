/**
 * The vocabulary that every process shares. Events, HTTP bodies and documents are zod schemas, and their
 * types are inferred from them.
 *
 * ```ts
 * import { EVENTS, type EventData } from "@posthaste/contracts";
 *
 * const event: EventData<"render.requested"> = EVENTS["render.requested"].parse(JSON.parse(body));
 * ```
 *
 * @module
 */

export * from "./alias.ts";
export * from "./asset.ts";
export * from "./asset_filename.ts";
export * from "./asset_manifest.ts";
export * from "./asset_manifest_schema.ts";
export * from "./attachment.ts";
export * from "./batch.ts";
export * from "./consent.ts";
export * from "./content.ts";
export * from "./bundle.ts";
export * from "./bundle_asset.ts";
export * from "./documents.ts";
export * from "./drop_nulls.ts";
export * from "./email_address.ts";
export * from "./endpoints.ts";
export * from "./envelope.ts";
export * from "./code_meanings.ts";
export * from "./error_code.ts";
export * from "./event_id.ts";
export * from "./events.ts";
export * from "./feed_event.ts";
export * from "./forgotten_address.ts";
export * from "./ids.ts";
export { type Includes, includesSchema } from "./includes.ts";
export * from "./integration_login.ts";
export * from "./integration_state.ts";
export * from "./integration_summary.ts";
export * from "./issue_code.ts";
export * from "./labels.ts";
export * from "./priority.ts";
export * from "./list.ts";
export * from "./list_unsubscribe.ts";
export * from "./locale.ts";
export * from "./mail_file.ts";
export * from "./mail_header.ts";
export * from "./mailbox.ts";
export * from "./message_changes.ts";
export * from "./message_csv.ts";
export * from "./message_filters.ts";
export * from "./message_state.ts";
export * from "./message_warning.ts";
export * from "./oauth_provider.ts";
export * from "./partial.ts";
export * from "./password_length.ts";
export * from "./people.ts";
export * from "./page_options.ts";
export * from "./open_api.ts";
export * from "./probe.ts";
export * from "./removals.ts";
export * from "./shared_schemas.ts";
export * from "./print_error_code.ts";
export * from "./replies.ts";
export * from "./requested_recipient.ts";
export * from "./role.ts";
export * from "./sealed_secret.ts";
export * from "./send_request.ts";
export * from "./send_warning.ts";
export * from "./send_start.ts";
export * from "./service_summary.ts";
export * from "./state_answers.ts";
export * from "./suppression.ts";
export * from "./suppression_csv.ts";
export * from "./template_draft.ts";
export * from "./template_read.ts";
export * from "./template_summary.ts";
export * from "./variable_origin.ts";
export * from "./variables.ts";
export * from "./variant.ts";
export * from "./webhook.ts";

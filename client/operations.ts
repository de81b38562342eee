// Written by tools/client_types.ts out of docs/openapi.json.
// deno-fmt-ignore-file

/**
 * Method and path of each operation. `key`: takes an `Idempotency-Key`; `bytes`: answers something
 * else than JSON.
 */
export const OPERATIONS = {
  getService: ["GET", "/v1"],
  getOpenApi: ["GET", "/v1/openapi.json"],
  listTemplates: ["GET", "/v1/templates"],
  getTemplate: ["GET", "/v1/templates/{id}"],
  listPdfTemplates: ["GET", "/v1/pdf-templates"],
  getPdfTemplate: ["GET", "/v1/pdf-templates/{id}"],
  getTemplateSchema: ["GET", "/v1/templates/{id}/schema"],
  getPdfTemplateSchema: ["GET", "/v1/pdf-templates/{id}/schema"],
  listIntegrations: ["GET", "/v1/integrations"],
  getIntegration: ["GET", "/v1/integrations/{id}"],
  renderTemplate: ["POST", "/v1/templates/{templateId}/render"],
  renderPdfTemplate: ["POST", "/v1/pdf-templates/{id}/render", "bytes"],
  sendTemplate: ["POST", "/v1/templates/{templateId}/send/{integrationId}", "key"],
  tryTemplate: ["POST", "/v1/templates/{templateId}/send/{integrationId}/dry-run"],
  getSend: ["GET", "/v1/sends/{id}"],
  scheduleSend: ["PATCH", "/v1/sends/{id}"],
  getMessage: ["GET", "/v1/messages/{id}"],
  createBatch: ["POST", "/v1/batches", "key"],
  listBatches: ["GET", "/v1/batches"],
  addRecipients: ["POST", "/v1/batches/{id}/recipients", "key"],
  closeBatch: ["POST", "/v1/batches/{id}/close"],
  cancelBatch: ["POST", "/v1/batches/{id}/cancel"],
  getBatch: ["GET", "/v1/batches/{id}"],
  listSends: ["GET", "/v1/sends"],
  listMessages: ["GET", "/v1/messages"],
  listEvents: ["GET", "/v1/events"],
  getMessageContent: ["GET", "/v1/messages/{id}/content"],
  getMessageAttachment: ["GET", "/v1/messages/{id}/attachments/{n}", "bytes"],
  explainMessage: ["GET", "/v1/messages/{id}/explain"],
  cancelMessage: ["POST", "/v1/messages/{id}/cancel"],
  cancelSend: ["POST", "/v1/sends/{id}/cancel"],
  cancelMessages: ["POST", "/v1/messages/cancel"],
  retryMessage: ["POST", "/v1/messages/{id}/retry"],
  retryMessages: ["POST", "/v1/messages/retry"],
  listSuppressions: ["GET", "/v1/suppressions"],
  addSuppressions: ["POST", "/v1/suppressions"],
  removeSuppressions: ["POST", "/v1/suppressions/remove"],
} as const;

/**
 * How events flow: streams, publishing, steps and the loops that carry their verdicts out. The only
 * importer of the NATS client.
 *
 * ```ts
 * await using bus = await openBus({ url: "nats://127.0.0.1:4222", name: "renderer" });
 * await bus.consume(renderStep(deps), { consumer: "renderer_bulk", concurrency: 4, signal, logger });
 * ```
 *
 * @module
 */

export { brokerAccounts, type BrokerLogins, type BrokerValue } from "./broker_accounts.ts";
export * from "./apply_topology.ts";
export * from "./broker_address.ts";
export * from "./bus.ts";
export { carryTail, readTail } from "./tail.ts";
export * from "./consume.ts";
export * from "./dispatch_send.ts";
export {
  acceptanceOf,
  type AcceptanceReports,
  openAcceptanceReports,
} from "./report_acceptance.ts";
export * from "./empty_queues.ts";
export * from "./fill.ts";
export * from "./follow_status_events.ts";
export type { LeaseRenewal } from "./lease_renewal.ts";
export * from "./mail_content.ts";
export * from "./missing_streams_error.ts";
export * from "./object_store.ts";
export * from "./past_status_events.ts";
export * from "./permissions.ts";
export * from "./publish.ts";
export * from "./queue_ages.ts";
export {
  failuresOf,
  type MessageStatusEvent,
  reportsOf,
  statusEventsIn,
  statusFieldsOf,
} from "./report_status_events.ts";
export { jsonBytes, splitBySize } from "./split_by_size.ts";
export * from "./message_events.ts";
export * from "./step.ts";
export * from "./step_by_type.ts";
export * from "./topology.ts";

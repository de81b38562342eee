/**
 * Real servers for tests, each for one test alone, and stopped after it.
 *
 * ```ts
 * test("a message is stored", async () => {
 *   await using nats = await openTestNats();
 *   await using mongo = await openTestMongo();
 *   await using smtp = await openSmtpSink();
 *   await until(() => smtp.messages.length === 1, { message: "the mail to arrive" });
 * });
 * ```
 *
 * @module
 */
export { archiveFaults, NO_VERAPDF } from "./archive_faults.ts";
export { answerFault, type SentAnswer } from "./answer_fault.ts";
export {
  endAttempt,
  takeAttempt,
  type TestAttempt,
  type TestOutcome,
  voidAttempt,
} from "./attempts.ts";
export { byDay, nightTest, oneByDay } from "./by_day.ts";
export { type CpuCostOptions, cpuRatio, cpuTimeOf } from "./cpu_cost.ts";
export * from "./faulty_oauth.ts";
export * from "./faulty_smtp.ts";
export * from "./faulty_smtp_child.ts";
export * from "./faulty_smtp_options.ts";
export * from "./faulty_smtp_plan.ts";
export * from "./faulty_smtp_record.ts";
export * from "./injection_strings.ts";
export * from "./inspect_mail.ts";
export { type Canary, type CanaryOptions, type CanarySight, openCanary } from "./canary.ts";
export { NO_XMLLINT, schemaFaults } from "./invoice_schema.ts";
export * from "./isolated_network.ts";
export * from "./large_rsa_key.ts";
export * from "./leak_page.ts";
export { openTestMongo, openTestMongod, type TestMongo } from "./mongo_database.ts";
export * from "./print_bombs.ts";
export * from "./print_poisons.ts";
export { losingWrites } from "./lost_writes.ts";
export { type MemoryLedger, openMemoryLedger, type WrittenOutcome } from "./memory_ledger.ts";
export { minimalInvoice } from "./minimal_invoice.ts";
export { minimalPdf, type MorePdf } from "./minimal_pdf.ts";
export { openTestNats } from "./nats_server.ts";
export { nightly } from "./nightly.ts";
export * from "./offered_ciphers.ts";
export * from "./oidc_provider.ts";
export * from "./otlp_receiver.ts";
export { resetSocket } from "./reset_socket.ts";
export * from "./smtp_postfix.ts";
export * from "./smtp_sink.ts";
export { stallProcess } from "./stall_process.ts";
export { stopTime, type TestTime } from "./stop_time.ts";
export { openStubServer, type Seen, type StubAnswer } from "./stub_server.ts";
export { takesLong } from "./takes_long.ts";
export { openTcpProxy, type TcpProxy } from "./tcp_proxy.ts";
export { sampleInvoice } from "./sample_invoice.ts";
export { summedInvoice } from "./summed_invoice.ts";
export { expiredCertificate, testCertificate } from "./test_certificate.ts";
export { packWoff2, sfntOf, testFont, type TestFontOptions, testWoff2 } from "./test_font.ts";
export { testSend } from "./test_send.ts";
export { until, type UntilOptions } from "./until.ts";
export { type Changes, withChanges } from "./with_changes.ts";

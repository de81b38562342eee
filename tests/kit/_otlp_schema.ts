import protobuf from "protobufjs";

/**
 * The part of OTLP 1.x that tests read, with the numbers of its published schema (opentelemetry-proto):
 * written from that and not with the exporter's own code, which could be wrong in both directions alike.
 * Other fields are ignored, as in protobuf.
 */
const SCHEMA = `
syntax = "proto3";
message AnyValue { oneof value {
  string stringValue = 1; bool boolValue = 2; int64 intValue = 3; double doubleValue = 4;
  ArrayValue arrayValue = 5; bytes bytesValue = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Scope { string name = 1; }

message TraceExport { repeated ResourceSpans resourceSpans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message Span {
  bytes traceId = 1; bytes spanId = 2; bytes parentSpanId = 4; string name = 5; uint32 kind = 6;
  repeated KeyValue attributes = 9; repeated Event events = 11; repeated Link links = 13;
  Status status = 15; }
message Event { string name = 2; repeated KeyValue attributes = 3; }
message Link { bytes traceId = 1; bytes spanId = 2; repeated KeyValue attributes = 4; }
message Status { string message = 2; uint32 code = 3; }

message MetricExport { repeated ResourceMetrics resourceMetrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scopeMetrics = 2; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message Metric {
  string name = 1; string description = 2; string unit = 3;
  oneof data { Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; } }
message Gauge { repeated NumberPoint dataPoints = 1; }
message Sum { repeated NumberPoint dataPoints = 1; bool isMonotonic = 3; }
message NumberPoint { double asDouble = 4; sfixed64 asInt = 6; repeated KeyValue attributes = 7; }
message Histogram { repeated HistogramPoint dataPoints = 1; }
message HistogramPoint {
  fixed64 count = 4; double sum = 5; repeated fixed64 bucketCounts = 6;
  repeated double explicitBounds = 7; repeated KeyValue attributes = 9; }
`;

const { root } = protobuf.parse(SCHEMA);

/** The signals of a collector. */
export type OtlpSignal = "traces" | "metrics";

const TYPES = { traces: "TraceExport", metrics: "MetricExport" } as const;

/** Reads an export in protobuf and returns it in the form of OTLP's JSON: ids are hexadecimal there. */
export function decodeOtlp(signal: OtlpSignal, body: Uint8Array): object {
  const type = root.lookupType(TYPES[signal]);
  const plain = type.toObject(type.decode(body), { longs: String, bytes: Array });
  return withHexadecimalIds(plain);
}

function withHexadecimalIds(value: object): object {
  return JSON.parse(JSON.stringify(value, (key, child) => {
    const isId = /^(traceId|spanId|parentSpanId)$/.test(key) && Array.isArray(child);
    return isId ? Buffer.from(child).toString("hex") : child;
  }));
}

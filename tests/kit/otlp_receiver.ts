import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { openGrpcReceiver } from "./_otlp_grpc.ts";
import { decodeOtlp } from "./_otlp_schema.ts";

/** One span as it was exported. */
export interface ReceivedSpan {
  service: string;
  name: string;
  /** As in OTLP: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  traceId: string;
  spanId: string;
  /** Empty at the root. */
  parentSpanId: string;
  attributes: Record<string, unknown>;
  /** Ids of the traces that it is linked to. */
  links: string[];
}

/** The protocol of exporters, as `OTEL_EXPORTER_OTLP_PROTOCOL` names it. */
export type OtlpProtocol = "http/json" | "http/protobuf" | "grpc";

/** The last exported value of a metric. */
export interface ReceivedPoint {
  service: string;
  metric: string;
  attributes: Record<string, unknown>;
}

/** A collector that keeps its input. */
export interface OtlpReceiver extends AsyncDisposable {
  /** Settings that make a process export to it, often, as JSON over HTTP. */
  readonly env: Record<string, string>;
  /** The same in another protocol. */
  envOf(protocol: OtlpProtocol): Record<string, string>;
  readonly spans: readonly ReceivedSpan[];
  /** Returns all input as JSON. */
  readonly bodies: readonly string[];
  /** Returns every set of attributes of each metric of each service. */
  readonly points: readonly ReceivedPoint[];
  /** Returns the number of recorded values of a histogram of one service, in the last export. */
  histogramCount(service: string, metric: string): number;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface Resource {
  attributes: Attribute[];
}

interface ExportedSpan extends Omit<ReceivedSpan, "attributes" | "links"> {
  attributes?: Attribute[];
  links?: { traceId: string }[];
}

interface Points {
  dataPoints?: { count: number | string; attributes?: Attribute[] }[];
}

interface TraceExport {
  resourceSpans?: {
    resource: Resource;
    scopeSpans: { spans: ExportedSpan[] }[];
  }[];
}

interface MetricExport {
  resourceMetrics?: {
    resource: Resource;
    scopeMetrics: {
      metrics: { name: string; histogram?: Points; sum?: Points; gauge?: Points }[];
    }[];
  }[];
}

/** Opens a collector that speaks OTLP over HTTP, with JSON or protobuf, and over gRPC. */
export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const counts = new Map<string, number>();
  const points = new Map<string, ReceivedPoint>();
  const take = (body: TraceExport & MetricExport) => {
    bodies.push(JSON.stringify(body));
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      const service = serviceOf(resource);
      spans.push(
        ...scopeSpans.flatMap((scope) => scope.spans.map((span) => spanOf(span, service))),
      );
    }
    for (const { resource, scopeMetrics } of body.resourceMetrics ?? []) {
      const service = serviceOf(resource);
      for (const { name, histogram, sum, gauge } of scopeMetrics.flatMap((one) => one.metrics)) {
        const dataPoints = (histogram ?? sum ?? gauge)?.dataPoints ?? [];
        const total = dataPoints.reduce((all, point) => all + Number(point.count), 0);
        counts.set(`${service} ${name}`, total);
        for (const point of dataPoints) {
          const attributes = plain(point.attributes);
          points.set(JSON.stringify([service, name, attributes]), {
            ...{ service, metric: name, attributes },
          });
        }
      }
    }
  };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const isJson = request.headers["content-type"]?.startsWith("application/json") === true;
    const signal = request.url === "/v1/metrics" ? "metrics" : "traces";
    take(isJson ? JSON.parse(body.toString()) : decodeOtlp(signal, body));
    response.writeHead(200, {
      "content-type": isJson ? "application/json" : "application/x-protobuf",
    }).end(isJson ? "{}" : "");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const grpc = await openGrpcReceiver((body) => take(body as TraceExport & MetricExport));
  const envOf = (protocol: OtlpProtocol) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${protocol === "grpc" ? grpc.port : port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_BSP_SCHEDULE_DELAY: "200",
    OTEL_METRIC_EXPORT_INTERVAL: "500",
    OTEL_METRIC_EXPORT_TIMEOUT: "400",
  });
  return {
    env: envOf("http/json"),
    envOf,
    spans,
    bodies,
    get points() {
      return [...points.values()];
    },
    histogramCount: (service, metric) => counts.get(`${service} ${metric}`) ?? 0,
    async [Symbol.asyncDispose]() {
      grpc.close();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function spanOf(span: ExportedSpan, service: string): ReceivedSpan {
  const { name, kind, traceId, spanId, parentSpanId = "", links = [] } = span;
  return {
    ...{ service, name, kind, traceId, spanId, parentSpanId },
    attributes: plain(span.attributes),
    links: links.map((link) => link.traceId),
  };
}

function serviceOf({ attributes }: Resource): string {
  return String(plain(attributes)["service.name"]);
}

function plain(attributes: Attribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

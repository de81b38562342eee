import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

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
}

/** A collector that keeps what it gets. */
export interface OtlpReceiver extends AsyncDisposable {
  /** Settings that make a process export to it, often. */
  readonly env: Record<string, string>;
  readonly spans: readonly ReceivedSpan[];
  /** All that came, as JSON. */
  readonly bodies: readonly string[];
  /** How many values of a histogram of one service were recorded, by what was exported last. */
  histogramCount(service: string, metric: string): number;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface Resource {
  attributes: Attribute[];
}

interface TraceExport {
  resourceSpans?: {
    resource: Resource;
    scopeSpans: { spans: (Omit<ReceivedSpan, "attributes"> & { attributes: Attribute[] })[] }[];
  }[];
}

interface MetricExport {
  resourceMetrics?: {
    resource: Resource;
    scopeMetrics: {
      metrics: { name: string; histogram?: { dataPoints: { count: number | string }[] } }[];
    }[];
  }[];
}

/** Opens a collector that speaks OTLP over HTTP with JSON. */
export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const body = await json(request) as TraceExport & MetricExport;
    bodies.push(JSON.stringify(body));
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      const service = serviceOf(resource);
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        const { name, kind, traceId, spanId, parentSpanId = "" } = span;
        const attributes = plain(span.attributes);
        spans.push({ service, name, kind, traceId, spanId, parentSpanId, attributes });
      }
    }
    for (const { resource, scopeMetrics } of body.resourceMetrics ?? []) {
      for (const { name, histogram } of scopeMetrics.flatMap(({ metrics }) => metrics)) {
        const points = histogram?.dataPoints ?? [];
        const total = points.reduce((sum, point) => sum + Number(point.count), 0);
        counts.set(`${serviceOf(resource)} ${name}`, total);
      }
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "200",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
      OTEL_METRIC_EXPORT_TIMEOUT: "400",
    },
    spans,
    bodies,
    histogramCount: (service, metric) => counts.get(`${service} ${metric}`) ?? 0,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function serviceOf({ attributes }: Resource): string {
  return String(plain(attributes)["service.name"]);
}

function plain(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

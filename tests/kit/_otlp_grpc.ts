import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall } from "@grpc/grpc-js";
import { decodeOtlp, type OtlpSignal } from "./_otlp_schema.ts";

const PATHS: Readonly<Record<OtlpSignal, string>> = {
  traces: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
  metrics: "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
};

/** A server of OTLP over gRPC, without encryption, at a port of the system's choice. */
export interface GrpcReceiver {
  port: number;
  close(): void;
}

/** Opens a server that passes on its input in the form of OTLP's JSON. */
export async function openGrpcReceiver(take: (body: object) => void): Promise<GrpcReceiver> {
  const server = new Server();
  for (const signal of Object.keys(PATHS) as OtlpSignal[]) {
    server.addService({
      export: {
        path: PATHS[signal],
        requestStream: false,
        responseStream: false,
        requestSerialize: (bytes: Buffer) => bytes,
        requestDeserialize: (bytes: Buffer) => bytes,
        // An answer without fields: all of it was accepted.
        responseSerialize: () => Buffer.alloc(0),
        responseDeserialize: (bytes: Buffer) => bytes,
      },
    }, {
      export: ({ request }: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
        take(decodeOtlp(signal, request));
        done(null, Buffer.alloc(0));
      },
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error === null) resolve(port);
    else reject(error);
  });
  return { port: await promise, close: () => server.forceShutdown() };
}

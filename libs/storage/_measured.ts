import { currentTraceId, errorType, recordDuration, withSpan } from "@posthaste/telemetry";

type Operation = (...args: unknown[]) => Promise<unknown>;

/**
 * Measures every operation as `group.operation` and, inside a trace, records it as a span of a database
 * client. Operations that repeat outside of traces make no span.
 */
export function measured<Groups extends object>(groups: Groups): Groups {
  return Object.fromEntries(
    Object.entries(groups).map(([group, operations]) => [
      group,
      measuredUnder(operations, (name) => `${group}.${name}`),
    ]),
  ) as Groups;
}

/** Measures operations under the names that `nameOf` returns. @default their own */
export function measuredUnder<Operations extends object>(
  operations: Operations,
  nameOf = (name: string) => name,
): Operations {
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      isGenerator(operation) ? operation : measuredOne(nameOf(name), operation),
    ]),
  ) as Operations;
}

/** Returns whether an operation is a generator. Those are not measured: their readers may take any time. */
function isGenerator(operation: unknown): boolean {
  return Object.prototype.toString.call(operation) === "[object AsyncGeneratorFunction]";
}

function measuredOne(name: string, operation: Operation): Operation {
  const attributes = { "db.system.name": "mongodb", "db.operation.name": name };
  const run = async (args: unknown[]) => {
    const started = performance.now();
    let failure: { "error.type"?: string } = {};
    try {
      return await operation(...args);
    } catch (error) {
      failure = { "error.type": errorType(error) };
      throw error;
    } finally {
      recordDuration("db.client.operation.duration", (performance.now() - started) / 1000, {
        ...attributes,
        ...failure,
      });
    }
  };
  return (...args) =>
    currentTraceId() === undefined
      ? run(args)
      : withSpan(name, { kind: "client", attributes }, () => run(args));
}

import type { Resource, ResourceDetector } from "@opentelemetry/resources";

/** The identity of the process. */
export interface Identity {
  /** Name of the service, unless `OTEL_SERVICE_NAME` sets another. */
  service: string;
  version?: string;
  env: Record<string, string | undefined>;
}

/**
 * Returns the identity of a process for traces and metrics. `OTEL_RESOURCE_ATTRIBUTES` adds to it, such as
 * `deployment.environment.name=production`.
 */
export async function resourceOf({ service, version, env }: Identity): Promise<Resource> {
  const resources = await import("@opentelemetry/resources");
  const name = env["OTEL_SERVICE_NAME"]?.trim();
  // The process detector is left out: it reveals the command line and the user.
  const detected = resources.detectResources({
    detectors: [
      resources.serviceInstanceIdDetector,
      withoutId(resources.hostDetector),
      resources.envDetector,
    ],
  });
  await detected.waitForAsyncAttributes?.();
  return resources.defaultResource().merge(detected).merge(
    resources.resourceFromAttributes({
      "service.name": name ? name : service,
      ...(version === undefined ? {} : { "service.version": version }),
    }),
  );
}

/** The id of the host is in files that the permissions of a service do not cover. */
function withoutId(host: ResourceDetector): ResourceDetector {
  return {
    detect(config) {
      const { "host.id": _unreadable, ...attributes } = host.detect(config).attributes ?? {};
      return { attributes };
    },
  };
}

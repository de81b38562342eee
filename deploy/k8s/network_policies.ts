/**
 * Writes the network policies of services, jobs, broker and database into the manifests that hold them, out
 * of `libs/runtime/permissions.ts`.
 *
 * A policy is a document of its own in its manifest; the other documents of that file are left alone.
 * Policies for all pods (`deny-all`, `dns`) are written by hand in `base/network.yaml`.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import {
  type Destination,
  type DestinationName,
  DESTINATIONS,
  EVERY_PROGRAM,
  JOBS_DIAL,
  PERMISSIONS,
  permissionsFor,
  PERMITTED_SERVICES,
} from "@posthaste/runtime";
import { type NetworkPolicy, type PolicyRule, PUBLIC, writePolicy } from "./write_policy.ts";
import { writeGenerated } from "./write_generated.ts";

const HEAD =
  "# Made by deploy/k8s/network_policies.ts out of libs/runtime/permissions.ts: do not edit.\n";
const DATABASE_MEMBERS = { pods: ["mongodb"], ports: DESTINATIONS.database.ports };
/** The ports of the broker's cluster and of its monitoring. */
const CLUSTER_PORT = 6222;
const MONITOR_PORT = 8222;
const PROMETHEUS = { namespace: "observability", pods: "prometheus" };

/** The policies, by their manifest. */
const NETWORK_POLICIES: Readonly<Record<string, readonly NetworkPolicy[]>> = {
  ...Object.fromEntries(
    [
      ...PERMITTED_SERVICES.map((name) => [name, PERMISSIONS[name].dials] as const),
      [
        "migrate",
        JOBS_DIAL.migrate,
      ] as const,
    ].map(([name, dials]) => [`base/${name}.yaml`, [egressOf(name, dials)]]),
  ),
  "base/network.yaml": [{
    name: "metrics",
    about: PERMITTED_SERVICES,
    ingress: [{ elsewhere: [PROMETHEUS], ports: [EVERY_PROGRAM.listens.HEALTH_PORT] }],
  }],
  "components/gateway/gateway.yaml": ingressFrom("envoy-gateway-system"),
  "components/ingress/ingress.yaml": ingressFrom("traefik"),
  "components/mongodb/mongodb.yaml": [{
    name: "mongodb",
    labelled: "mongodb",
    about: "mongodb",
    ingress: [{
      pods: ["mongodb", "mongodb-users", ...callersOf("database")],
      ports: DESTINATIONS.database.ports,
    }],
    egress: [DATABASE_MEMBERS],
  }],
  "components/mongodb/users.yaml": [egressOf("mongodb-users", JOBS_DIAL["mongodb-users"])],
  "components/nats/nats.yaml": [{
    name: "nats",
    labelled: "nats",
    about: "nats",
    ingress: [
      { pods: callersOf("broker"), ports: DESTINATIONS.broker.ports },
      { pods: ["nats"], ports: [CLUSTER_PORT] },
      {
        why: "KEDA asks how much waits in front of each stage, Prometheus how the server is.",
        elsewhere: [{ namespace: "keda" }, PROMETHEUS],
        ports: [MONITOR_PORT],
      },
    ],
    egress: [{ pods: ["nats"], ports: [CLUSTER_PORT] }],
  }],
  "components/observability/observability.yaml": [{
    name: "telemetry",
    about: PERMITTED_SERVICES,
    egress: EVERY_PROGRAM.dials.map(peersOf),
  }],
  ...componentsOf("oidc", "remote_images"),
};

/** Returns a manifest with its policies. */
function withPolicies(manifest: string, policies: readonly NetworkPolicy[]): string {
  const documents = manifest.split(/^---\n/m);
  for (const policy of policies) {
    const index = documents.findIndex((text) =>
      /^kind: NetworkPolicy$/m.test(text) && text.includes(`\nmetadata:\n  name: ${policy.name}\n`)
    );
    if (index < 0) throw new Error(`Cannot find the network policy "${policy.name}"`);
    // A hand-written comment above it stays.
    const [, remarks = ""] = /^((?:#.*\n)*)/.exec(documents[index]?.replace(HEAD, "") ?? "") ?? [];
    documents[index] = HEAD + remarks + writePolicy(policy);
  }
  return documents.join("---\n");
}

/** Returns the destinations of a program that need no component, and the services that call it. */
function egressOf(name: string, dials: readonly DestinationName[]): NetworkPolicy {
  const open = dials.filter((to) => isReached(to) && !componentOf(to));
  const { api } = DESTINATIONS;
  const ingress = name === api.pods ? [{ pods: callersOf("api"), ports: api.ports }] : [];
  return {
    ...{ name, labelled: name, about: name, egress: open.map(peersOf) },
    ...(ingress.length === 0 ? {} : { ingress }),
  };
}

/** Returns the policies of components that permit a service one more destination. */
function componentsOf(...components: string[]): Record<string, NetworkPolicy[]> {
  return Object.fromEntries(components.map((component) => [
    `components/${component}/egress.yaml`,
    PERMITTED_SERVICES.flatMap((name) => {
      const own = permissionsFor(name).dials.filter((to) => componentOf(to) === component);
      if (own.length === 0) return [];
      const suffix = component.replaceAll("_", "-");
      return [{ name: `${name}-${suffix}`, labelled: name, about: name, egress: own.map(peersOf) }];
    }),
  ]));
}

/** Returns the policies for traffic from outside to each service that listens at a port. */
function ingressFrom(namespace: string): NetworkPolicy[] {
  return PERMITTED_SERVICES.flatMap((name) => {
    const port = permissionsFor(name).listens?.["PORT"];
    if (port === undefined) return [];
    const ingress: PolicyRule[] = [{ elsewhere: [{ namespace }], ports: [port] }];
    return [{ name: `ingress-${name}`, about: name, ingress }];
  });
}

function peersOf(to: DestinationName): PolicyRule {
  const { pods, elsewhere, ports, why }: Destination = DESTINATIONS[to];
  if (pods) return { pods: [pods], ports };
  if (elsewhere) return { elsewhere: [elsewhere], ports };
  return { ...(why ? { why } : {}), blocks: PUBLIC, ports };
}

function callersOf(to: "database" | "broker" | "api"): string[] {
  const dials = (each: readonly DestinationName[]) => each.includes(to);
  return [
    ...PERMITTED_SERVICES.filter((name) => dials(PERMISSIONS[name].dials)),
    ...(dials(JOBS_DIAL.migrate) ? ["migrate"] : []),
  ];
}

function componentOf(to: DestinationName): string | undefined {
  return (DESTINATIONS[to] as Destination).component;
}

function isReached(to: DestinationName): boolean {
  return DESTINATIONS[to].ports.length > 0;
}

/** Writes the policies; with `--check` it only reports whether one is stale. */
export async function writeNetworkPolicies(): Promise<void> {
  for (const [path, policies] of Object.entries(NETWORK_POLICIES)) {
    const file = new URL(path, import.meta.url);
    await writeGenerated(file, withPolicies(await readFile(file, "utf8"), policies));
  }
}

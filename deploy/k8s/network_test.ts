import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { BlockList, isIPv6 } from "node:net";
import { suite, test } from "node:test";
import type { INetworkPolicySpec } from "kubernetes-models/networking.k8s.io/v1";
import { isPublicAddress } from "@posthaste/egress";
import { NO_KUSTOMIZE, OVERLAYS, testedOverlay } from "./build_overlay.ts";
import { configOf } from "./config_of.ts";
import {
  containersOf,
  isSelected,
  type Selector,
  type Workload,
  workloadsOf,
} from "./workloads.ts";

type Peers = NonNullable<NonNullable<INetworkPolicySpec["egress"]>[number]["to"]>;

/** Parts that a service may reach, by their names in the table of docs/architecture.md. */
const NAMES: Record<string, string> = { mongodb: "MongoDB", nats: "NATS" };

/** The destinations at public addresses, by the service that dials them. */
const PUBLIC: Record<string, string> = { mailer: "SMTP servers", webhooks: "webhook endpoints" };

/** Returns the column "reaches" of the table of services, sorted. */
async function table(): Promise<Map<string, string[]>> {
  const page = await readFile(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const section = page.split("\n## Services\n\n")[1]?.split("\n\n")[0] ?? "";
  const rows = [...section.matchAll(/^\| (\w+) \|.*\| ([^|]+) \|$/gm)].slice(1);
  return new Map(rows.map(([, service = "", reaches = ""]) => [
    service,
    reaches.replace(/\(.*?\)/g, "").split(",").map((part) => part.trim()).sort(),
  ]));
}

for (const overlay of OVERLAYS) {
  const objects = await testedOverlay(overlay);
  suite(`network policies of ${overlay}`, { skip: NO_KUSTOMIZE }, () => {
    const workloads = workloadsOf(objects);
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy")
      .map(({ metadata, spec }) => ({ name: metadata.name, ...spec as INetworkPolicySpec }));
    const of = ({ labels }: Workload) =>
      policies.filter(({ podSelector }) => isSelected(podSelector as Selector, labels));
    const egressOf = (workload: Workload) => of(workload).flatMap(({ egress = [] }) => egress);

    test("traffic without a policy is denied, in both directions", () => {
      const all = policies.filter(({ podSelector }) =>
        Object.keys(podSelector as Selector).length === 0
      );
      const deny = all.find(({ policyTypes }) => policyTypes?.length === 2);
      assert.deepEqual(deny?.policyTypes, ["Ingress", "Egress"]);
      assert.deepEqual([deny?.ingress, deny?.egress], [undefined, undefined]);
    });

    test("services reach exactly the parts in the table of docs/architecture.md", async () => {
      const services = workloads.filter(({ kind }) => kind === "Deployment");
      const edges = services.map((service) => [
        service.name,
        [...new Set(egressOf(service).flatMap(({ to = [] }) => to.map(partOf)))]
          .filter((part) => part !== "dns" && part !== "telemetry")
          .map((part) => part === "public" ? PUBLIC[service.name] : NAMES[part] ?? part).sort(),
      ]);
      assert.deepEqual(Object.fromEntries(edges), Object.fromEntries(await table()));
    });

    test("each part admits exactly the services that reach it", () => {
      for (const target of workloads) {
        for (const { containerPort } of containersOf(target).flatMap(({ ports = [] }) => ports)) {
          const callers = workloads.filter((workload) =>
            egressOf(workload).some(({ to = [], ports = [] }) =>
              ports.some(({ port }) => port === containerPort) && to.some(isPod(target))
            )
          ).map(({ name }) => name).sort();
          const let_in = workloads.filter(({ labels }) =>
            ingressOf(target, containerPort).some((peer) =>
              peer.namespaceSelector === undefined &&
              isSelected(peer.podSelector as Selector, labels)
            )
          ).map(({ name }) => name).sort();
          assert.deepEqual(let_in, callers, `${target.id} ${containerPort}`);
        }
      }
    });

    test("every port of a container is in a policy that admits a peer", () => {
      for (const workload of workloads) {
        for (const { containerPort } of containersOf(workload).flatMap(({ ports = [] }) => ports)) {
          assert.ok(
            ingressOf(workload, containerPort).length > 0,
            `${workload.id} ${containerPort}`,
          );
        }
      }
    });

    test("every rule names its peers and its ports", () => {
      for (const { name, ingress = [], egress = [] } of policies) {
        for (const rule of ingress) {
          assert.ok(rule.from?.length && rule.ports?.length, name);
          for (const peer of rule.from) assert.ok(Object.keys(peer).length > 0, name);
        }
        for (const rule of egress) {
          assert.ok(rule.to?.length && rule.ports?.length, name);
          for (const peer of rule.to) assert.ok(Object.keys(peer).length > 0, name);
        }
      }
    });

    test("the mailer dials the ports of its settings, at addresses that it considers public itself", async () => {
      const mailer = workloads.find(({ name }) => name === "mailer") as Workload;
      const rules = egressOf(mailer).filter(({ to = [] }) => to.some(({ ipBlock }) => ipBlock));
      const { SMTP_PORTS } = await configOf(objects, "mailer");
      const dialled = rules.map(({ ports = [] }) => ports.map(({ port }) => String(port)));
      // The providers of access tokens.
      assert.deepEqual(dialled, [SMTP_PORTS, ["443"]]);
      for (const { to = [] } of rules) {
        for (const address of addresses()) {
          assert.equal(isAllowed(address, to), isPublicAddress(address), address);
        }
      }
    });

    if (overlay === "prod") {
      test("the pdf service, which prints strangers' documents, reaches no name server", () => {
        const pdf = workloads.find(({ name }) => name === "pdf") as Workload;
        const parts = egressOf(pdf).flatMap(({ to = [] }) => to.map(partOf));
        assert.deepEqual([...new Set(parts)].sort(), ["nats", "telemetry"]);
        assert.equal(pdf.pod.dnsPolicy, "None");
        const address = objects.find(({ metadata }) => metadata.name === "nats-address");
        const { clusterIP } = address?.spec as { clusterIP: string };
        assert.deepEqual(pdf.pod.hostAliases, [{
          ip: clusterIP,
          hostnames: ["nats.posthaste.svc"],
        }]);
      });
    }

    function partOf({ ipBlock, namespaceSelector, podSelector }: Peers[number]): string {
      if (ipBlock) return "public";
      const labels = podSelector?.matchLabels ?? {};
      if (labels["k8s-app"] === "kube-dns") return "dns";
      if (namespaceSelector) return "telemetry";
      return String(labels["app.kubernetes.io/name"]);
    }

    function isPod({ labels }: Workload) {
      return ({ ipBlock, namespaceSelector, podSelector }: Peers[number]) =>
        !ipBlock && !namespaceSelector && isSelected(podSelector as Selector, labels);
    }

    function ingressOf(workload: Workload, port: number) {
      return of(workload).flatMap(({ ingress = [] }) => ingress)
        .filter(({ ports = [] }) => ports.some((each) => each.port === port))
        .flatMap(({ from = [] }) => from);
    }
  });
}

/** Returns every 16th network of the first octets, and both sides of every edge of special networks. */
function addresses(): string[] {
  const edges = [
    "9.255.255.255 10.0.0.0 10.255.255.255 11.0.0.0 100.63.255.255 100.64.0.1 100.127.255.255",
    "100.128.0.0 126.255.255.255 127.0.0.1 128.0.0.1 169.253.255.255 169.254.169.254 169.255.0.0",
    "172.15.255.255 172.16.0.0 172.31.255.255 172.32.0.0 192.0.0.1 192.0.1.0 192.0.2.1 192.31.196.1",
    "192.52.193.1 192.88.99.1 192.167.255.255 192.168.0.1 192.169.0.0 192.175.48.1 198.17.255.255",
    "198.18.0.1 198.19.255.255 198.20.0.0 198.51.100.1 203.0.113.1 223.255.255.255 224.0.0.1",
    "239.255.255.255 240.0.0.1 255.255.255.255 0.0.0.1 1.1.1.1 8.8.8.8 192.0.3.1",
    "2000::1 2001::1 2001:1ff::1 2001:200::1 2001:db8::1 2002::1 2003::1 2620:4f:8000::1 2620:50::1",
    "3fff::1 3fff:1000::1 2a00:1450::1 fc00::1 fd00::1 fe80::1 ff02::1 ::1 5f00::1 4000::1",
  ].join(" ").split(" ");
  const reconcile = Array.from({ length: 256 }, (_, octet) => `${octet}.200.17.9`);
  return [...edges, ...reconcile];
}

function isAllowed(address: string, peers: Peers): boolean {
  return peers.some(({ ipBlock }) => {
    if (!ipBlock) return false;
    return contains(ipBlock.cidr, address) &&
      !(ipBlock.except ?? []).some((except) => contains(except, address));
  });
}

function contains(cidr: string, address: string): boolean {
  const [network = "", bits] = cidr.split("/");
  if (isIPv6(network) !== isIPv6(address)) return false;
  const family = isIPv6(network) ? "ipv6" : "ipv4";
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}

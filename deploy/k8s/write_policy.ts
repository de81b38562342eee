/** The peers and ports of a rule. */
export interface PolicyRule {
  /** A remark above the rule. */
  why?: string;
  /** Pods of our own namespace, by their names. */
  pods?: readonly string[];
  /** Namespaces, and perhaps pods in them. */
  elsewhere?: readonly { namespace: string; pods?: string }[];
  /** Networks. */
  blocks?: readonly { cidr: string; except: readonly string[] }[];
  ports: readonly number[];
}

/** A network policy. */
export interface NetworkPolicy {
  name: string;
  /** The value of its label for its owner. */
  labelled?: string;
  /** The pods that it applies to. */
  about: string | readonly string[];
  ingress?: readonly PolicyRule[];
  egress?: readonly PolicyRule[];
}

/** The addresses that `libs/egress` considers public, which a test compares. */
export const PUBLIC = [{
  cidr: "0.0.0.0/0",
  except: [
    ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"],
    ...["172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24"],
    ...["192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15"],
    ...["198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
  ],
}, {
  cidr: "2000::/3",
  except: ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"],
}] as const;

/** Returns a policy as YAML, all of TCP. */
export function writePolicy({ name, labelled, about, ingress, egress }: NetworkPolicy): string {
  const types = [...(ingress ? ["Ingress"] : []), ...(egress ? ["Egress"] : [])];
  return [
    "apiVersion: networking.k8s.io/v1",
    "kind: NetworkPolicy",
    "metadata:",
    `  name: ${name}`,
    "  labels:",
    ...(labelled ? [`    app.kubernetes.io/name: ${labelled}`] : []),
    "    posthaste/step: parts",
    "spec:",
    ...indented(2, ["podSelector:", ...indented(2, selectorOf(about))]),
    `  policyTypes: [${types.join(", ")}]`,
    ...(ingress
      ? ["  ingress:", ...indented(4, ingress.flatMap((rule) => ruleOf("from", rule)))]
      : []),
    ...(egress ? ["  egress:", ...indented(4, egress.flatMap((rule) => ruleOf("to", rule)))] : []),
    "",
  ].join("\n");
}

function ruleOf(side: "from" | "to", rule: PolicyRule): string[] {
  const { why, pods, elsewhere = [], blocks = [], ports } = rule;
  const peers = [
    ...(pods ? [["podSelector:", ...indented(2, selectorOf(pods))]] : []),
    ...elsewhere.map((each) => [
      "namespaceSelector:",
      ...indented(2, ["matchLabels:", `  kubernetes.io/metadata.name: ${each.namespace}`]),
      ...(each.pods ? ["podSelector:", ...indented(2, selectorOf(each.pods))] : []),
    ]),
    ...blocks.map(({ cidr, except }) => [
      "ipBlock:",
      ...indented(2, [`cidr: ${cidr}`, "except:", ...except.map((network) => `  - ${network}`)]),
    ]),
  ];
  return [
    ...(why ? [`# ${why}`] : []),
    ...asItem([`${side}:`, ...indented(2, peers.flatMap(asItem))].concat([
      "ports:",
      ...indented(2, ports.flatMap((port) => asItem(["protocol: TCP", `port: ${port}`]))),
    ])),
  ];
}

function selectorOf(pods: string | readonly string[]): string[] {
  const [first, ...others] = typeof pods === "string" ? [pods] : pods;
  if (others.length === 0) return ["matchLabels:", `  app.kubernetes.io/name: ${first}`];
  return [
    "matchExpressions:",
    ...indented(2, [
      "- key: app.kubernetes.io/name",
      "  operator: In",
      `  values: [${[first, ...others].join(", ")}]`,
    ]),
  ];
}

function asItem([first, ...others]: readonly string[]): string[] {
  return [`- ${first}`, ...indented(2, others)];
}

function indented(by: number, lines: readonly string[]): string[] {
  return lines.map((line) => " ".repeat(by) + line);
}

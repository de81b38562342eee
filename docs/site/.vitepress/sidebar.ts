/** The four parts of the site, in reading order. */
export const SIDEBAR = [
  part("Start", {
    "Overview": "/",
    "Quick start": "/docs/quick_start",
    "Glossary": "/docs/glossary",
    "Dashboard": "/docs/dashboard",
    "Logins by OAuth 2": "/docs/mailbox_logins",
    "Command line": "/docs/command_line",
    "Contributing": "/CONTRIBUTING",
  }),
  part("Build against it", {
    "HTTP interface": "/docs/http",
    "TypeScript client": "/client/",
    "Specification": "/docs/interface",
    "Templates": "/docs/templates",
    "PDFs": "/docs/pdf",
  }),
  part("Run it", {
    "One host": "/deploy/",
    "Kubernetes": "/docs/kubernetes",
    "Settings": "/docs/settings",
    "Operations": "/docs/operations",
    "Telemetry": "/docs/telemetry",
    "Runbook": "/docs/runbook/",
    "Scaling": "/docs/scaling",
    "Deno": "/docs/deno",
    "Releases": "/docs/releases",
    "Changes": "/CHANGELOG",
  }),
  part("Understand it", {
    "Architecture": "/docs/architecture",
    "Guarantees": "/docs/guarantees",
    "Security": "/docs/security",
    "Tests": "/docs/tests",
    "Benchmarks": "/docs/benchmarks",
  }),
];

function part(text: string, pages: Record<string, string>) {
  return { text, items: Object.entries(pages).map(([text, link]) => ({ text, link })) };
}

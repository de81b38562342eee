/**
 * The whole system on this machine, each part as a process of its own.
 *
 * ```ts
 * await using stack = await openStack({ env: process.env, dataDir: ".posthaste" });
 * // the interface answers at stack.apiUrl
 * ```
 *
 * @module
 */
export { buildDashboard, type BuildDashboardOptions } from "./build_dashboard.ts";
export { descendantsOf } from "./descendants.ts";
export { openStack, type Stack, type StackOptions, type StackPorts } from "./stack.ts";
export { MAIL_SERVICES, type PartName, type ServiceName, SERVICES } from "./part_name.ts";
export { PORT_NAMES, PORTS } from "./settings.ts";
export { garbageFlags, imageFlags, nodeFlags, type NodeFlagsOptions } from "./node_flags.ts";
export { type ServiceOptions, type ServiceProcess, startService } from "./service_process.ts";

import { PORT_NAMES, PORTS } from "./settings.ts";

/** What `npm start -- --help` prints. */
export function helpText(): string {
  const ports = PORT_NAMES.map((name) => {
    const { setting, purpose, standard } = PORTS[name];
    return `  ${setting.padEnd(18)}${purpose} (default: ${standard})`;
  });
  return `npm start: run all of Posthaste on this machine, with a demonstration

Usage: npm start [-- <options>]

Options
  -v, --verbose     show every log record
      --reset       remove all data of this folder first (asks)
  -y, --yes         do not ask
  -h, --help        show this

Ports, as variables of the environment; 0 takes any free one
${ports.join("\n")}

Other variables
  MONGODB_URL       use this database (a replica set) instead of starting one
  NATS_URL          use this broker (JetStream) instead of starting one
  DATA_DIR          folder for all data (default: .posthaste); the command line also uses it
  CHROMIUM_PATH     the browser that prints
  LOG_LEVEL         debug, info, warn or error; lowest level that services log
  NO_COLOR          no colours
All other settings are passed to the services.

Example
  API_PORT=8090 npm start -- --verbose
`;
}

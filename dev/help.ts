import { PORT_NAMES, PORTS } from "./settings.ts";

/** What `npm start -- --help` prints. */
export function helpText(): string {
  const ports = PORT_NAMES.map((name) => {
    const { setting, purpose, standard } = PORTS[name];
    return `  ${setting.padEnd(18)}${purpose}, ${standard} when not set`;
  });
  return `npm start: the whole of Posthaste on this machine, with a demonstration

Usage: npm start [-- <options>]

Options
  -v, --verbose     show every log record
      --reset       remove all data of this folder first (asks)
  -y, --yes         do not ask
  -h, --help        show this

Ports, as variables of the environment; 0 takes any free one
${ports.join("\n")}

Other variables
  MONGODB_URL       use this database (a replica set) and start none
  NATS_URL          use this broker (JetStream) and start none
  DATA_DIR          folder for all data, .posthaste when not set; the command line takes it, too
  CHROMIUM_PATH     the browser that prints
  LOG_LEVEL         debug, info, warn or error; what the services write at all
  NO_COLOR          no colours
Every other setting of a service is passed on to it.

Example
  API_PORT=8090 npm start -- --verbose
`;
}

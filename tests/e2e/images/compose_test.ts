import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtempDisposable, readFile } from "node:fs/promises";
import { globSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findNatsServer } from "@posthaste/embedded";
import { describeConfig, SERVICE_CONFIG, type SettingDescription } from "@posthaste/runtime";
import { DATABASE_USERS } from "@posthaste/storage";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { REACHES } from "./containment.ts";

/** The tested fields of a service in the Compose file. */
interface ComposeService {
  image: string;
  user?: string;
  command?: string[];
  environment?: Record<string, string>;
  networks?: string[] | Record<string, unknown>;
  network_mode?: string;
  secrets?: string[];
  profiles?: string[];
  restart: string;
  read_only: boolean;
  cap_drop: string[];
  cap_add?: string[];
  security_opt: string[];
  tmpfs: string[];
  stop_grace_period?: string;
  healthcheck?: object;
  depends_on?: Record<string, { condition: string }>;
  deploy: { resources: { limits: { cpus: string; memory: string; pids: number } } };
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
  secrets: Record<string, { file: string }>;
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const DEPLOY = join(ROOT, "deploy");
const HOUSE = globSync("services/*/main.ts", { cwd: ROOT }).map((file) => file.split("/")[1] ?? "");
const SERVERS = ["nats", "mongo"];
const ONCE = ["volumes", "database", "migrate", "cli"];

let file: ComposeFile;
before(async () => {
  file = parse(await readFile(join(DEPLOY, "compose.yaml"), "utf8"), { merge: true });
});

function serviceOf(name: string): ComposeService {
  const service = file.services[name];
  assert.ok(service, `"${name}" is in compose.yaml`);
  return service;
}

function networksOf(name: string): string[] {
  const { networks = [] } = serviceOf(name);
  return Array.isArray(networks) ? networks : Object.keys(networks);
}

async function settingsOf(service: string): Promise<SettingDescription[]> {
  const { CONFIG } = await import(`../../../services/${service}/config.ts`);
  return [...describeConfig(SERVICE_CONFIG), ...describeConfig(CONFIG)];
}

test("compose.yaml is valid by the schema of the Compose specification", async () => {
  const text = await readFile(
    join(ROOT, "node_modules/dclint/schemas/compose.schema.json"),
    "utf8",
  );
  // The address of the draft is written in a way that the validator does not know.
  const { $schema: _, ...schema } = JSON.parse(text);
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false })
    .compile(schema);
  assert.ok(validate(file), JSON.stringify(validate.errors, null, 2));
});

test("every service of the house, and nothing unknown, is in compose.yaml", () => {
  const known = [...HOUSE, ...SERVERS, ...ONCE, "inbox"].sort();
  assert.deepEqual(Object.keys(file.services).sort(), known);
  for (const name of HOUSE) assert.match(serviceOf(name).image, new RegExp(`^posthaste-${name}:`));
});

test("every variable in compose.yaml is a setting of its service, and each that is required is given", async () => {
  for (const name of HOUSE) {
    const { environment = {}, secrets = [] } = serviceOf(name);
    const settings = await settingsOf(name);
    const given = new Set<string>();
    for (const [variable, value] of Object.entries(environment)) {
      if (variable.startsWith("OTEL_")) continue;
      const setting = settings.find((each) =>
        variable === (each.secret ? `${each.name}_FILE` : each.name)
      );
      assert.ok(
        setting,
        `"${variable}" is no setting of ${name}, or a secret that stands in clear`,
      );
      given.add(setting.name);
      if (setting.secret) assert.ok(secrets.includes(basename(value)), `${name} is given ${value}`);
    }
    const missing = settings.filter((each) => each.required && !given.has(each.name));
    assert.deepEqual(missing.map((each) => each.name), [], `what ${name} lacks`);
  }
});

test("every container is read-only, has no capabilities but the one that hands over volumes, and limits", () => {
  for (const [name, service] of Object.entries(file.services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ["ALL"], name);
    assert.ok(service.security_opt.includes("no-new-privileges:true"), name);
    assert.ok(service.tmpfs.some((mount) => mount.startsWith("/tmp:size=")), name);
    const { cpus, memory, pids } = service.deploy.resources.limits;
    assert.ok(Number(cpus) > 0 && /^\d+[MG]$/.test(memory) && pids > 0, name);
    assert.equal(service.restart, ONCE.includes(name) ? "no" : "unless-stopped", name);
    assert.deepEqual(service.cap_add ?? [], name === "volumes" ? ["CHOWN"] : [], name);
    const user = { volumes: "0:0", nats: "10001:10001", mongo: "10001:10001" }[name];
    assert.equal(service.user, user, name);
  }
  assert.equal(serviceOf("volumes").network_mode, "none");
});

test("services are killed after their own deadline, and started after migration and servers", () => {
  for (const name of HOUSE) {
    const { environment = {}, stop_grace_period: grace = "", depends_on: before } = serviceOf(name);
    const seconds = (text: string | undefined) => Number(/^(\d+)s$/.exec(text ?? "")?.[1]);
    assert.ok(seconds(grace) >= seconds(environment["SHUTDOWN_DEADLINE"]) + 10, name);
    assert.equal(before?.["migrate"]?.condition, "service_completed_successfully", name);
    assert.equal(before?.["nats"]?.condition, "service_healthy", name);
  }
  for (const name of SERVERS) assert.ok(serviceOf(name).healthcheck, `${name} has a health check`);
});

test("the networks repeat the permitted connections, and the printer shares one with the broker alone", () => {
  const neighbours = (name: string) => {
    const own = networksOf(name);
    return Object.keys(file.services).filter((other) =>
      other !== name && networksOf(other).some((network) => own.includes(network))
    );
  };
  for (const name of HOUSE) {
    const reached = neighbours(name).filter((other) => SERVERS.includes(other));
    const expected = (REACHES[name] ?? []).map((place) => place.split(":")[0]);
    assert.deepEqual(reached.toSorted(), expected.toSorted(), name);
  }
  assert.deepEqual(networksOf("pdf"), ["print"]);
  assert.deepEqual(neighbours("pdf"), ["nats"]);
  const isOpen = (network: string) => file.networks[network]?.internal !== true;
  const open = Object.keys(file.services).filter((name) => networksOf(name).some(isOpen));
  assert.deepEqual(open.toSorted(), ["api", "cli", "dashboard", "inbox", "mailer", "webhooks"]);
});

test("each service gets its own secrets and no other's", () => {
  for (const name of HOUSE) {
    const database = (DATABASE_USERS as readonly string[]).includes(name);
    const expected = [
      ...(database ? [`${name}_mongodb_url`] : []),
      `${name}_nats_url`,
      ...(name === "mailer" ? ["master_key"] : []),
      ...(name === "dashboard" ? ["sealing_key", "webhook_sealing_key"] : []),
      ...(name === "webhooks" ? ["webhook_key"] : []),
      ...(name === "dashboard" ? ["second_factor_key"] : []),
    ];
    assert.deepEqual(serviceOf(name).secrets?.toSorted(), expected.toSorted(), name);
  }
});

test("`posthaste setup secrets` writes every secret of compose.yaml, and nats-server takes the configuration", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-secrets-"));
  const secrets = join(folder.path, "run/secrets");
  const run = promisify(execFile);
  const setup = async () => {
    const main = join(ROOT, "cli/main.ts");
    const { stdout } = await run(process.execPath, [main, "setup", "secrets", secrets, "--json"]);
    return JSON.parse(stdout).files as string[];
  };
  const files = await setup();
  assert.deepEqual(files.toSorted(), Object.keys(file.secrets).toSorted());
  for (const [name, secret] of Object.entries(file.secrets)) {
    assert.equal(secret.file, `./compose/secrets/${name}`);
  }
  const read = () => Promise.all(files.map((name) => readFile(join(secrets, name), "utf8")));
  const first = await read();
  assert.equal(new Set(first).size, files.length);
  assert.deepEqual(
    await setup(),
    ["sealing_key", "webhook_sealing_key", "nats_accounts"],
    "what is there stays",
  );
  assert.deepEqual(await read(), first);

  await mkdir(join(folder.path, "etc/nats"), { recursive: true });
  const config = join(folder.path, "etc/nats/nats.conf");
  await cp(join(DEPLOY, "compose/nats.conf"), config);
  const { file: program } = await findNatsServer(process.env);
  const { stderr } = await run(program, ["-t", "--config", config]);
  assert.match(stderr, /configuration file .* is valid/);
});

// For mongosh. Logs in as a member of the replica set, who may do everything, makes the set if there is none, and then
// the roles of rights.json with the users of users.json: {"operator": "password", "api": …}.
const fs = require("node:fs");

const { MEMBERS, CONFIG_DIR } = process.env;
const hosts = MEMBERS.split(",");
const readJson = (name) => JSON.parse(fs.readFileSync(`${CONFIG_DIR}/${name}`, "utf8"));
const key = encodeURIComponent(fs.readFileSync(`${CONFIG_DIR}/keyfile`, "utf8").trim());
const options = [
  "authSource=local",
  "authMechanism=SCRAM-SHA-256",
  "tls=true",
  `tlsCAFile=${encodeURIComponent(`${CONFIG_DIR}/ca.crt`)}`,
  "serverSelectionTimeoutMS=60000",
].join("&");

const first = connect(
  `mongodb://__system:${key}@${hosts[0]}/admin?${options}&directConnection=true`,
);
if (first.hello().setName === undefined) {
  first.adminCommand({
    replSetInitiate: { _id: "rs0", members: hosts.map((host, _id) => ({ _id, host })) },
  });
  print(`made the replica set of ${hosts.length}`);
}

const admin = connect(
  `mongodb://__system:${key}@${hosts.join(",")}/admin?${options}&replicaSet=rs0`,
);

function upsert(kind, name, content) {
  const list = kind === "Role" ? "rolesInfo" : "usersInfo";
  const isThere = admin.runCommand({ [list]: name })[`${kind.toLowerCase()}s`].length > 0;
  const result = admin.runCommand({
    [`${isThere ? "update" : "create"}${kind}`]: name,
    ...content,
  });
  if (!result.ok) throw new Error(`Cannot make ${kind.toLowerCase()} "${name}": ${result.errmsg}`);
  print(`${kind.toLowerCase()} ${name} is ${isThere ? "brought up to date" : "made"}`);
}

const passwords = readJson("users.json");
const { database, rights } = readJson("rights.json");
upsert("User", "operator", { pwd: passwords.operator, roles: ["root"] });
for (const [user, collections] of Object.entries(rights)) {
  const role = `${database}_${user}`;
  const privileges = Object.entries(collections).map(([collection, actions]) => ({
    resource: { db: database, collection },
    actions,
  }));
  upsert("Role", role, { privileges, roles: [] });
  upsert("User", user, { pwd: passwords[user], roles: [role] });
}

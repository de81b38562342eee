// A program of its own: `node _mongod_download_child.ts <folder>` downloads mongod for this system into the
// folder and prints its progress, then the path of the file in a line `file: <path>`. mongodb-memory-server
// checks TLS certificates only if `npm_config_strict_ssl` is set in the environment, writes to the console,
// and cannot be stopped: a process solves all three.
import { DryMongoBinary, MongoBinary } from "mongodb-memory-server-core";

const downloadDir = process.argv[2] as string;
const options = await DryMongoBinary.generateOptions({ downloadDir });
const file = await MongoBinary.download({ ...options, downloadDir, checkMD5: false });
process.stdout.write(`file: ${file}\n`);

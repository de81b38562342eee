import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Writable } from "node:stream";
import { CommandError, usageError } from "./command_error.ts";
import { EXIT } from "./exit_code.ts";

/** The streams that a password is read through. */
export interface AskPasswordOptions {
  stdin: NodeJS.ReadStream;
  /** The question is written here, not to the result. */
  stderr: NodeJS.WriteStream;
  /** Such as `Password of "mailer"`. */
  question: string;
}

const MAX_LENGTH = 1024;

/**
 * Asks for a password on the terminal without showing it or, where the standard input is no
 * terminal, reads it from there: one line, whose end is not part of it.
 */
export async function askPassword(options: AskPasswordOptions): Promise<string> {
  const { stdin } = options;
  const given = stdin.isTTY ? await ask(options) : (await text(stdin)).replace(/\r?\n$/, "");
  if (given === "") {
    throw usageError(
      "Cannot read the password: it is empty",
      "type it on the terminal, or pipe it in with --password-stdin",
    );
  }
  // deno-lint-ignore no-control-regex
  if (given.length > MAX_LENGTH || /[\u{0}-\u{1f}\u{7f}]/u.test(given)) {
    const message =
      `Cannot use the password: it is not one line of at most ${MAX_LENGTH} characters`;
    throw new CommandError(message, { exitCode: EXIT.refused });
  }
  return given;
}

function ask({ stdin, stderr, question }: AskPasswordOptions): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({
    input: stdin,
    output: silent,
    terminal: true,
    historySize: 0,
  });
  stderr.write(`${question}: `);
  return new Promise((resolve, reject) => {
    const interrupted = () => {
      const message = "Cannot continue: no password was entered";
      reject(new CommandError(message, { exitCode: EXIT.interrupted }));
      reader.close();
    };
    reader.once("SIGINT", interrupted);
    reader.once("close", interrupted);
    reader.question("", (answer) => {
      resolve(answer);
      reader.close();
    });
  }).finally(() => stderr.write("\n")) as Promise<string>;
}

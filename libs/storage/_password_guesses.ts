import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Estimates the number of guesses that an attacker needs who knows the person's address. */
export function estimateGuesses(password: string, email: string): number {
  return zxcvbn.check(password, email.split(/[@.]/)).guesses;
}

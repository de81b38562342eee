import { join } from "node:path";
import { z } from "zod";

/** The file of `npm start` through which the command line reaches the demonstration. */
export const stackFileSchema = z.object({
  mongodbUrl: z.string(),
  natsUrl: z.string(),
  /** Left out when `MASTER_KEY` was given. */
  masterKeyFile: z.string().optional(),
  apiUrl: z.string(),
  token: z.string(),
  accountId: z.string(),
});

/** The addresses of the demonstration's parts. */
export type StackFile = z.infer<typeof stackFileSchema>;

/** Returns the path of the file in a data folder. */
export function stackFileIn(dataDir: string): string {
  return join(dataDir, "stack.json");
}

import { join } from "node:path";
import { z } from "zod";

/** What `npm start` writes, and the command line needs to reach the demonstration. */
export const stackFileSchema = z.object({
  mongodbUrl: z.string(),
  natsUrl: z.string(),
  /** Left out when `MASTER_KEY` was given. */
  masterKeyFile: z.string().optional(),
  apiUrl: z.string(),
  token: z.string(),
  accountId: z.string(),
});

/** Where the parts of the demonstration are. */
export type StackFile = z.infer<typeof stackFileSchema>;

/** Returns the path of the file in a data folder. */
export function stackFileIn(dataDir: string): string {
  return join(dataDir, "stack.json");
}

import { MESSAGE_FILTERS } from "@posthaste/contracts";
import type { MessageFilter } from "@posthaste/storage";
import { z } from "zod";

const messageFilters = z.object(MESSAGE_FILTERS);

/** Returns the filter that a query asks for. */
export function filterOf(query: z.infer<typeof messageFilters>): MessageFilter {
  const { state, email, reason, code, enhanced, ...rest } = query;
  const because = { reason, code, enhanced };
  const isCaused = Object.values(because).some((value) => value !== undefined);
  return {
    ...rest,
    states: state,
    email: email === undefined ? undefined : emailOf(email),
    because: isCaused ? because : undefined,
  };
}

function emailOf(given: string): MessageFilter["email"] {
  const isPrefix = given.endsWith("*");
  return { text: isPrefix ? given.slice(0, -1) : given, isPrefix };
}

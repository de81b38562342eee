import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import type { SessionView } from "../../interface/session.ts";
import { includesRole, type Role } from "@posthaste/contracts";
import { HttpError, keepSession, request } from "./api.ts";

const SessionContext = createContext<SessionView | null>(null);

/** Returns the session of the signed-in person. */
export function useSession(): SessionView {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("Cannot read the session: nobody is signed in");
  return session;
}

/** Returns whether the signed-in person has at least a role. */
export function useMay(role: Role): boolean {
  return includesRole(useSession().role, role);
}

/** Returns whether the signed-in person may change nothing but texts of templates. */
export function useChangesTextsOnly(): boolean {
  return useSession().role === "texts";
}

/** Shows the children to a signed-in person, and otherwise `signedOut`. */
export function SessionGate({ children, signedOut, waiting, failed }: {
  children: ReactNode;
  signedOut: ReactNode;
  waiting: ReactNode;
  failed: (error: Error) => ReactNode;
}) {
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ["session"],
    queryFn: ({ signal }) => request<SessionView>("/session", { signal }),
    retry: (count, error) => !(error instanceof HttpError) || error.code === "offline" && count < 3,
    staleTime: 60_000,
  }, client);
  if (error instanceof HttpError && error.code === "signed_out") return signedOut;
  const isForeign = error instanceof HttpError && error.code === "wrong_account";
  if (isForeign) return failed(error);
  if (data === undefined) return error === null ? waiting : failed(error);
  keepSession(data);
  return <SessionContext value={data}>{children}</SessionContext>;
}

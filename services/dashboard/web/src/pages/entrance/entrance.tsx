import { useQuery } from "@tanstack/react-query";
import type { EntranceView } from "../../../../interface/session.ts";
import { request } from "../../api.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { EntranceFrame } from "./entrance_frame.tsx";
import { SetupForm } from "./setup_form.tsx";
import { SignInForm } from "./sign_in_form.tsx";

/** What is shown to who is signed out. */
export default function Entrance() {
  const { data, error, refetch } = useQuery({
    queryKey: ["entrance"],
    queryFn: ({ signal }) => request<EntranceView>("/entrance", { signal }),
  });
  if (data === undefined) {
    if (error === null) return <Waiting />;
    return (
      <EntranceFrame title="Sign in">
        <Failed problem={error} retry={() => void refetch()} />
      </EntranceFrame>
    );
  }
  return data.needsSetup ? <SetupForm /> : <SignInForm entrance={data} />;
}

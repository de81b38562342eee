import { useQuery } from "@tanstack/react-query";
import type { SignInView } from "../../../../interface/session.ts";
import { request } from "../../api.ts";
import { Failed, Waiting } from "../../parts/states.tsx";
import { SignInFrame } from "./sign_in_frame.tsx";
import { SetupForm } from "./setup_form.tsx";
import { SignInForm } from "./sign_in_form.tsx";

/** The pages for people who are signed out. */
export default function SignIn() {
  const { data, error, refetch } = useQuery({
    queryKey: ["sign-in"],
    queryFn: ({ signal }) => request<SignInView>("/sign-in", { signal }),
  });
  if (data === undefined) {
    if (error === null) return <Waiting />;
    return (
      <SignInFrame title="Sign in">
        <Failed error={error} retry={() => void refetch()} />
      </SignInFrame>
    );
  }
  return data.needsSetup ? <SetupForm /> : <SignInForm view={data} />;
}

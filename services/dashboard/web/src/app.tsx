import { Alert, Button, MantineProvider, Stack } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useMemo } from "react";
import { Route, Router, Switch } from "wouter";
import { navigate, useBrowserLocation } from "wouter/use-browser-location";
import { accountInPath, locationOf, pathInAccount, pathWithoutAccount } from "./account_path.ts";
import { HttpError } from "./api.ts";
import { CONSENT_RETURN } from "./consent_request.ts";
import { CONTRAST } from "./contrast.ts";
import { SignInFrame } from "./pages/sign_in/sign_in_frame.tsx";
import { IdentityQuestion } from "./parts/confirm_identity.tsx";
import { Failed, Waiting } from "./parts/states.tsx";
import { SecondFactorNeeded } from "./second_factor_needed.tsx";
import { SessionGate, useSession } from "./session.tsx";
import { Shell } from "./shell.tsx";
import { THEME } from "./theme.ts";

const SignIn = lazy(() => import("./pages/sign_in/sign_in.tsx"));
const Joining = lazy(() => import("./pages/sign_in/joining.tsx"));
const Proof = lazy(() => import("./pages/sign_in/proof.tsx"));
const Reset = lazy(() => import("./pages/sign_in/reset.tsx"));
const ConsentReturnPage = lazy(() => import("./pages/integrations/consent_return_page.tsx"));
const Invitation = lazy(() => import("./pages/sign_in/invitation.tsx"));

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) =>
        count < 2 && (!(error instanceof HttpError) || error.code === "offline"),
    },
  },
});
// If a request fails because the session or the membership has ended, the whole page shows that.
const OF_SESSION: readonly string[] = ["signed_out", "wrong_account"];
client.getQueryCache().subscribe(({ query }) => {
  const { error } = query.state;
  if (
    error instanceof HttpError && OF_SESSION.includes(error.code) &&
    query.queryKey[0] !== "session"
  ) {
    void client.invalidateQueries({ queryKey: ["session"] });
  }
});

/** Shows the account, unless it requires a second factor that the person lacks. */
function AccountGate() {
  return useSession().needsSecondFactor ? <SecondFactorNeeded /> : <Shell />;
}

/** Shown instead of an account if the session cannot be loaded. */
function NoSession({ error }: { error: Error }) {
  if (!(error instanceof HttpError) || error.code !== "wrong_account") {
    return <Failed error={error} />;
  }
  return (
    <SignInFrame title="You are not a member of this account">
      <Stack>
        <Alert color="yellow">{error.message}.</Alert>
        <Button component="a" href="/">Go to one of your accounts</Button>
      </Stack>
    </SignInFrame>
  );
}

/** Shows the pages of the account below an address that names it. */
function AccountRouter({ children }: { children: ReactNode }) {
  const { account: { id } } = useSession();
  const [path] = useBrowserLocation();
  const hook = useMemo(() => locationOf(id), [id]);
  const isNamed = accountInPath(path) === id;
  useEffect(() => {
    if (isNamed) return;
    navigate(pathInAccount(id, pathWithoutAccount(path)) + location.search, { replace: true });
  }, [id, isNamed, path]);
  return (
    <Router hook={hook} hrefs={(href) => pathInAccount(id, href)}>
      {children}
    </Router>
  );
}

/** The whole application. */
export function App() {
  return (
    <MantineProvider theme={THEME} cssVariablesResolver={CONTRAST} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        <Notifications position="bottom-right" />
        <ModalsProvider>
          <Suspense fallback={<Waiting />}>
            <Switch>
              <Route path="/invitation/:token">
                {({ token }) => <Invitation token={token} />}
              </Route>
              <Route path="/reset/:token">{({ token }) => <Reset token={token} />}</Route>
              <Route path="/joining">
                <Joining />
              </Route>
              <Route>
                <SessionGate
                  signedOut={<SignIn />}
                  waiting={<Waiting />}
                  failed={(error) => <NoSession error={error} />}
                >
                  <IdentityQuestion />
                  <Switch>
                    <Route path={CONSENT_RETURN} component={ConsentReturnPage} />
                    <Route path="/proof/:token">{({ token }) => <Proof token={token} />}</Route>
                    <Route>
                      <AccountRouter>
                        <AccountGate />
                      </AccountRouter>
                    </Route>
                  </Switch>
                </SessionGate>
              </Route>
            </Switch>
          </Suspense>
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

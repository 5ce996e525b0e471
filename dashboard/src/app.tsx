import { useEffect, useMemo, useState } from "preact/hooks";
import { Api } from "./api.ts";
import type { Configuration } from "./configuration.ts";
import { type Account, type Dashboard, DashboardContext } from "./dashboard.ts";
import { messageOf } from "./messages.ts";
import { Button } from "./parts/button.tsx";
import { Notice } from "./parts/notice.tsx";
import { Session, type SessionEnd } from "./session.ts";
import { Shell } from "./shell.tsx";
import type { IdToken, SignIn } from "./sign-in/sign-in.ts";
import { SessionEnded } from "./views/session-ended.tsx";
import { Welcome } from "./views/welcome.tsx";

type State =
  | { readonly kind: "starting" }
  | { readonly kind: "signed out"; readonly problem?: string }
  /** The person is known, but not yet their account. */
  | { readonly kind: "signing in"; readonly token: IdToken; readonly problem?: string }
  | {
      readonly kind: "signed in";
      readonly dashboard: Omit<Dashboard, "account" | "setAccount">;
      readonly account: Account;
    };

/** The whole page: finds out who is signed in, and shows the welcome page or the dashboard. */
export function App({ configuration, signIn }: { configuration: Configuration; signIn: SignIn }) {
  const [state, setState] = useState<State>({ kind: "starting" });
  const [end, setEnd] = useState<SessionEnd>();
  const enter = async (token: IdToken) => {
    setState({ kind: "signing in", token });
    const session = new Session(signIn, token, setEnd);
    const api = new Api(configuration.api, session);
    const signOut = async () => {
      await session.signOut();
      setState({ kind: "signed out" });
    };
    try {
      const account = await api.call("createSession", { method: "POST", path: "/auth/session", body: {} });
      setState({ kind: "signed in", dashboard: { api, configuration, signOut }, account });
    } catch (error) {
      setState({ kind: "signing in", token, problem: messageOf(error) });
    }
  };
  useEffect(() => {
    signIn.restore().then(
      (token) => (token ? enter(token) : setState({ kind: "signed out" })),
      (error) => setState({ kind: "signed out", problem: messageOf(error) }),
    );
  }, []);
  if (state.kind === "starting") return null;
  if (state.kind === "signed out")
    return <Welcome problem={state.problem} signIn={async () => enter(await signIn.start())} />;
  if (state.kind === "signing in")
    return (
      <main class="welcome" id="main">
        {state.problem && (
          <Notice kind="problem">
            <p>{state.problem}</p>
            <Button onClick={() => enter(state.token)}>Try again</Button>
          </Notice>
        )}
      </main>
    );
  return (
    <>
      <SignedIn {...state} setAccount={(account) => setState({ ...state, account })} />
      {end && <SessionEnded end={end} />}
    </>
  );
}

interface SignedInProps {
  readonly dashboard: Omit<Dashboard, "account" | "setAccount">;
  readonly account: Account;
  readonly setAccount: (account: Account) => void;
}

function SignedIn({ dashboard, account, setAccount }: SignedInProps) {
  const value = useMemo(() => ({ ...dashboard, account, setAccount }), [dashboard, account, setAccount]);
  return (
    <DashboardContext.Provider value={value}>
      <Shell />
    </DashboardContext.Provider>
  );
}

import { useEffect, useMemo, useState } from "preact/hooks";
import { Api } from "./api.ts";
import type { Configuration } from "./configuration.ts";
import { type Account, type Dashboard, DashboardContext } from "./dashboard.ts";
import { messageOf } from "./messages.ts";
import { Button } from "./parts/button.tsx";
import { Notice } from "./parts/notice.tsx";
import type { Publishing, PublishingList } from "./publish/publishing.ts";
import { Session, type SignInPrompt } from "./session.ts";
import { Shell } from "./shell.tsx";
import type { Farewell, IdToken, SignIn } from "./sign-in/sign-in.ts";
import { SignInAgain } from "./views/login/sign-in-again.tsx";
import { Welcome } from "./views/login/welcome.tsx";

type State =
  | { readonly kind: "starting" }
  | { readonly kind: "signed out"; readonly problem?: string; readonly because?: Farewell }
  /** The person is known, but not yet their account. */
  | { readonly kind: "signing in"; readonly token: IdToken; readonly problem?: string }
  | {
      readonly kind: "signed in";
      readonly dashboard: Connection;
      readonly account: Account;
    };

/** Parts of the dashboard that do not change until the person signs out. */
type Connection = Pick<Dashboard, "api" | "configuration" | "signOut" | "leave">;

/** The whole page: finds out who is signed in, and shows the welcome page or the dashboard. */
export function App({ configuration, signIn }: { configuration: Configuration; signIn: SignIn }) {
  const [state, setState] = useState<State>({ kind: "starting" });
  const [prompt, setPrompt] = useState<SignInPrompt>();
  const otherTabs = useOtherTabs(() => void leave("signed out elsewhere"));
  const leave = async (because: Farewell) => {
    setPrompt(undefined);
    setState({ kind: "signed out", because });
    await signIn.forget();
  };
  const setAccount = (account: Account) => setState((now) => (now.kind === "signed in" ? { ...now, account } : now));
  const enter = async (token: IdToken) => {
    setState({ kind: "signing in", token });
    const session = new Session(signIn, token, setPrompt);
    const dashboard = {
      api: new Api(configuration.api, session, setAccount),
      configuration,
      signOut: async () => {
        otherTabs.tell();
        await signIn.signOut();
        setState({ kind: "signed out" });
      },
      leave: async () => {
        otherTabs.tell();
        await leave("account deleted");
      },
    };
    try {
      const account = await dashboard.api.call("POST /auth/session", { body: {} });
      setState({ kind: "signed in", dashboard, account });
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
  if (state.kind === "signed out")
    return (
      <Welcome
        {...state}
        signIn={async () => enter(await signIn.start())}
        signOut={signIn.hasSession ? () => signIn.signOut() : undefined}
      />
    );
  if (state.kind !== "signed in")
    return <Waiting {...state} again={() => state.kind === "signing in" && enter(state.token)} />;
  return (
    <>
      <SignedIn {...state} setAccount={setAccount} />
      {prompt && <SignInAgain prompt={prompt} />}
    </>
  );
}

/** Tells the dashboard's other tabs in this browser of a sign-out, and hears of theirs. */
function useOtherTabs(onSignedOut: () => void): { tell(): void } {
  const channel = useMemo(() => new BroadcastChannel("svc.signed-out"), []);
  channel.onmessage = onSignedOut;
  return { tell: () => channel.postMessage(null) };
}

/** Before the account is there, which may take seconds on a slow network. */
function Waiting({ kind, problem, again }: { kind: State["kind"]; problem?: string; again: () => unknown }) {
  return (
    <main class="welcome" id="main">
      {problem ? (
        <Notice kind="problem">
          <p>{problem}</p>
          <Button onClick={again}>Try again</Button>
        </Notice>
      ) : (
        <p class="late" role="status">
          {kind === "starting" ? "Loading…" : "Signing in…"}
        </p>
      )}
    </main>
  );
}

interface SignedInProps {
  readonly dashboard: Connection;
  readonly account: Account;
  readonly setAccount: (account: Account) => void;
}

function SignedIn({ dashboard, account, setAccount }: SignedInProps) {
  const list = usePublishingList();
  const value = useMemo(() => ({ ...dashboard, ...list, account, setAccount }), [dashboard, list, account, setAccount]);
  return (
    <DashboardContext.Provider value={value}>
      <Shell />
    </DashboardContext.Provider>
  );
}

function usePublishingList(): PublishingList {
  const [publishing, setPublishing] = useState<readonly Publishing[]>([]);
  return useMemo(() => {
    const without = (slug: string, all: readonly Publishing[]) => all.filter(({ project }) => project.slug !== slug);
    return {
      publishing,
      publish: (project, picked) =>
        setPublishing((all) => [
          ...without(project.slug, all),
          { id: crypto.randomUUID(), project, picked, isOver: false },
        ]),
      finish: (slug) =>
        setPublishing((all) => all.map((one) => (one.project.slug === slug ? { ...one, isOver: true } : one))),
      drop: (slug) => setPublishing((all) => without(slug, all)),
    };
  }, [publishing]);
}

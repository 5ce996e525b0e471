import { useEffect, useMemo, useState } from "preact/hooks";
import { Api } from "./api.ts";
import type { Configuration, Operator } from "./configuration.ts";
import { type Account, type Dashboard, DashboardContext, type Toast } from "./dashboard.ts";
import { messageOf } from "./messages.ts";
import { Button } from "./parts/button.tsx";
import { Footer } from "./parts/footer.tsx";
import { useSubmission } from "./parts/form.ts";
import { ListSkeleton } from "./parts/list.tsx";
import { Mark } from "./parts/mark.tsx";
import { Notice } from "./parts/notice.tsx";
import { projectPlace } from "./project-place.ts";
import type { Selection } from "./publish/protocol.ts";
import type { Publishing, PublishingList } from "./publish/publishing.ts";
import type { Project } from "./resources.ts";
import { Session, type SignInPrompt } from "./session.ts";
import { Shell } from "./shell.tsx";
import type { Farewell, IdToken, SignIn } from "./sign-in/sign-in.ts";
import { loadViews } from "./views/load-views.ts";
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
  const [dropped, setDropped] = useState<Selection>();
  const otherTabs = useOtherTabs(() => void leave("signed out elsewhere"));
  const leave = async (because: Farewell) => {
    setPrompt(undefined);
    setState({ kind: "signed out", because });
    await signIn.forget();
  };
  const setAccount = (account: Account) => setState((now) => (now.kind === "signed in" ? { ...now, account } : now));
  const signOut = async () => {
    otherTabs.tell();
    await signIn.signOut();
    setState({ kind: "signed out" });
  };
  const enter = async (token: IdToken) => {
    setState({ kind: "signing in", token });
    const session = new Session(signIn, token, setPrompt);
    const dashboard = {
      api: new Api(configuration.api, session, setAccount),
      configuration,
      signOut,
      leave: async () => {
        otherTabs.tell();
        await leave("account deleted");
      },
    };
    void readPlaceEarly(dashboard.api, configuration);
    try {
      const account = await dashboard.api.signIn();
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
        operator={configuration.operator}
        api={configuration.api}
        dropped={dropped}
        onDropped={setDropped}
        // A page that is left forgets what was dropped on it.
        signIn={async () => enter(await (dropped ? signIn.startInWindow() : signIn.start()))}
        signOut={signIn.hasSession ? () => signIn.signOut() : undefined}
      />
    );
  if (state.kind !== "signed in")
    return (
      <Waiting
        {...state}
        operator={configuration.operator}
        again={() => state.kind === "signing in" && enter(state.token)}
        signOut={signOut}
      />
    );
  return (
    <>
      <SignedIn {...state} setAccount={setAccount} dropped={dropped} />
      {prompt && <SignInAgain prompt={prompt} />}
    </>
  );
}

/** Reads what the page of a project begins with, beside the sign-in. What fails is asked for again by the page, which says why. */
async function readPlaceEarly(api: Api, { leftOut = [] }: Configuration): Promise<void> {
  const place = projectPlace(new URL(location.href), leftOut);
  if (place === undefined) return;
  await loadViews()
    .then(({ readEarly }) => readEarly(api.early(), place, leftOut))
    .catch(() => undefined);
}

/** Tells the dashboard's other tabs in this browser of a sign-out, and hears of theirs. */
function useOtherTabs(onSignedOut: () => void): { tell(): void } {
  const channel = useMemo(() => new BroadcastChannel("svc.signed-out"), []);
  channel.onmessage = onSignedOut;
  return { tell: () => channel.postMessage(null) };
}

interface WaitingProps {
  readonly operator: Operator | undefined;
  readonly kind: State["kind"];
  /** Why there is no account, as that the operator has suspended it. */
  readonly problem?: string;
  readonly again: () => unknown;
  /** Somebody may have another account. */
  readonly signOut: () => Promise<void>;
}

/** Page before the account is there, which may take seconds on a slow network: the frame of {@link Shell}, as index.html begins with it. */
function Waiting({ kind, problem, operator, again, signOut }: WaitingProps) {
  const submission = useSubmission();
  if (problem)
    return (
      <>
        <main class="welcome" id="main">
          <Mark />
          <Notice kind="problem">
            <p>{submission.problem ?? problem}</p>
            <Button onClick={again}>Try again</Button>
            <Button busy={submission.busy} doing="Signing out…" onClick={() => submission.run(signOut)}>
              Sign out
            </Button>
          </Notice>
        </main>
        <Footer operator={operator} />
      </>
    );
  return (
    <div class="shell late">
      <header class="bar">
        <div>
          <span class="brand">
            <Mark />
            <span>svc</span>
          </span>
        </div>
      </header>
      <main id="main">
        <div class="page">
          <ListSkeleton text={kind === "starting" ? "Loading…" : "Signing in…"} />
        </div>
      </main>
    </div>
  );
}

interface SignedInProps {
  readonly dashboard: Connection;
  readonly account: Account;
  readonly setAccount: (account: Account) => void;
  readonly dropped: Selection | undefined;
}

function SignedIn({ dashboard, account, setAccount, dropped }: SignedInProps) {
  const list = usePublishingList(dropped);
  const [toast, showToast] = useState<Toast>();
  const value = useMemo(
    () => ({ ...dashboard, ...list, account, setAccount, toast, showToast }),
    [dashboard, list, account, setAccount, toast],
  );
  return (
    <DashboardContext.Provider value={value}>
      <Shell />
    </DashboardContext.Provider>
  );
}

/** @param dropped what was dropped before the person signed in */
function usePublishingList(dropped: Selection | undefined): PublishingList {
  const [publishing, setPublishing] = useState<readonly Publishing[]>(() =>
    dropped ? [begun(undefined, dropped)] : [],
  );
  return useMemo(() => {
    const change = (id: string, changes: Partial<Publishing>) =>
      setPublishing((all) => all.map((one) => (one.id === id ? { ...one, ...changes } : one)));
    return {
      publishing,
      publish: (project, picked) =>
        setPublishing((all) => [...all.filter((one) => one.project?.slug !== project?.slug), begun(project, picked)]),
      adopt: (id, project) => change(id, { project }),
      finish: (id) => change(id, { isOver: true }),
      drop: (id) => setPublishing((all) => all.filter((one) => one.id !== id)),
    };
  }, [publishing]);
}

function begun(project: Project | undefined, picked: Selection): Publishing {
  return { id: crypto.randomUUID(), project, picked, isOver: false };
}

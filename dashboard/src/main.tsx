import { render } from "preact";
import { App } from "./app.tsx";
import type { Configuration } from "./configuration.ts";
import { addOptions, type DashboardOption } from "./option.ts";
import { OpenIdConnect } from "./sign-in/openid-connect.ts";
import { providerUnreachable, readIdToken, type SignIn, SignInProblem } from "./sign-in/sign-in.ts";
import { loadViewsBy } from "./views/load-views.ts";
import { decisionOf, RefusedRequest } from "./views/login/approve.tsx";

/** A stage whose people sign in with Firebase loads its library; the others never do. */
async function signInOf({ identityProvider }: Configuration): Promise<SignIn> {
  if (identityProvider.kind === "openIdConnect") return new OpenIdConnect(identityProvider);
  const { Firebase } = await import("./sign-in/firebase.ts");
  return new Firebase(identityProvider, { providerUnreachable, readIdToken, SignInProblem });
}

/**
 * Starts the page.
 *
 * @param loader loads the views that few visits need, with those of the options
 */
export async function startDashboard(
  options: readonly DashboardOption[],
  loader: Parameters<typeof loadViewsBy>[0],
): Promise<void> {
  addOptions(options);
  loadViewsBy(loader);
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has no root");
  try {
    const configuration = await readConfiguration();
    const decision =
      location.pathname === "/authorize" ? decisionOf(new URLSearchParams(location.search), configuration) : undefined;
    // Before anybody signs in (RFC 6749, section 4.1.1).
    if (decision !== undefined && decision.kind !== "ask") {
      // The frame of index.html, which only the app begins with: Preact would leave it there.
      root.replaceChildren();
      render(
        <main class="welcome" id="main">
          <RefusedRequest decision={decision} />
        </main>,
        root,
      );
    } else render(<App configuration={configuration} signIn={await signInOf(configuration)} />, root);
  } catch (error) {
    console.error(error);
    root.textContent = "The dashboard cannot start. Check your connection, then load the page again.";
  }
}

/**
 * The configuration that the page itself has, so that it costs no round trip; on a host of files that nobody has put it into, what that
 * host serves as `/configuration.json`.
 *
 * @throws Error if there is neither
 */
async function readConfiguration(): Promise<Configuration> {
  const ofPage = JSON.parse(document.getElementById("configuration")?.textContent ?? "null") as Configuration | null;
  if (ofPage !== null) return ofPage;
  const response = await fetch("/configuration.json");
  if (!response.ok) throw new Error(`The dashboard's configuration cannot be read (${response.status}).`);
  return (await response.json()) as Configuration;
}

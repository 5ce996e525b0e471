import { useEffect, useState } from "preact/hooks";
import {
  type AuthorizationDecision,
  authorizationResponseUrl,
  decideAuthorizationRequest,
  oauthClientId,
} from "../../../../contract/api/login/authorization-request.ts";
import type { RequestBody, ResponseBody } from "../../../../contract/client.ts";
import type { Configuration } from "../../configuration.ts";
import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { TextField } from "../../parts/field.tsx";
import { useSubmission } from "../../parts/form.ts";
import { useLoaded } from "../../parts/loaded.ts";
import { Notice, Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { allProjects } from "../../projects.ts";
import type { Scope, TokenSettings } from "../../resources.ts";
import { NameAndScopes, ReachAndLifetime, scopesInWords, settingsBody, useMaxDays } from "../tokens/token-form.tsx";

/** What a client asks for. Other clients than svc propose no name, and a token without one is refused. */
interface TokenProposal {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Slug of the only project that it asks for. */
  readonly project: string | null | undefined;
}

interface DecisionProps {
  readonly proposal: TokenProposal;
  readonly onApprove: (settings: TokenSettings) => Promise<void>;
  readonly onDeny: () => Promise<void>;
}

/** Lifetime that is chosen when a command line asks, in days. */
const usualDays = 30;

/**
 * The same form for a command line here and a machine elsewhere: what the token may do, where and for how long, which can be changed,
 * and the two buttons. The project that it is proposed for is chosen, if the person has it.
 */
function Decision({ proposal, onApprove, onDeny }: DecisionProps) {
  const { account, api } = useDashboard();
  const { name, scopes, project } = proposal;
  const days = String(Math.min(usualDays, useMaxDays()));
  const [changed, setSettings] = useState<TokenSettings>();
  const own = useLoaded(async () => (project ? await allProjects(api) : []), [api, project]);
  const isOwn = own.value?.some(({ slug }) => slug === project);
  const settings = changed ?? { name, scopes, projects: project && isOwn ? [project] : null, days };
  const [isChanging, setChanging] = useState(false);
  const isReady = usePause() && (own.value ?? own.problem) !== undefined;
  const submission = useSubmission();
  const approve = submission.onSubmit(async () => {
    if (!isReady) return;
    // Whatever is marked must be in sight.
    await onApprove(settings).catch((error) => {
      setChanging(true);
      throw error;
    });
  });
  return (
    <form class="card" onSubmit={approve}>
      <p>
        It gets a token that publishes as <b>{account.user.name}</b>. You can revoke it at any time on the{" "}
        <a href="/tokens">Tokens</a> page.
      </p>
      <Problem of={submission} />
      {isChanging ? (
        <NameAndScopes settings={settings} onChange={setSettings} submission={submission} autoFocus />
      ) : (
        <Summary settings={settings} onChange={() => setChanging(true)} />
      )}
      {project && isOwn === false && (
        <Notice kind="note">
          You have no project {project} yet. With all your projects, svc publish can create it and publish others too.
        </Notice>
      )}
      <ReachAndLifetime settings={settings} onChange={setSettings} submission={submission} />
      <div class="actions">
        <Button onClick={() => submission.run(onDeny)}>Deny</Button>
        <Button
          kind="primary"
          type="submit"
          busy={submission.busy || !isReady}
          doing={isReady ? "Approving…" : "Approve"}
        >
          Approve
        </Button>
      </div>
    </form>
  );
}

function Summary({ settings, onChange }: { settings: TokenSettings; onChange: () => void }) {
  return (
    <>
      <Facts
        of={[
          ["Name", settings.name || "none yet"],
          ["It can", settings.scopes.map((scope) => scopesInWords[scope].title.toLowerCase()).join(", ")],
        ]}
      />
      <Button kind="quiet" onClick={onChange}>
        Change name or rights
      </Button>
    </>
  );
}

const pauseMilliseconds = 1_000;

/**
 * Whether the window has been in front for a moment. Another page that opens this one over what the person clicks must not
 * get their second click
 */
function usePause(): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    let timer = setTimeout(setReady, pauseMilliseconds, true);
    const again = () => {
      setReady(false);
      clearTimeout(timer);
      timer = setTimeout(setReady, pauseMilliseconds, true);
    };
    addEventListener("focus", again);
    addEventListener("resize", again);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", again);
      removeEventListener("resize", again);
    };
  }, []);
  return isReady;
}

/** Decision about the authorization request in the page's URL. */
export function decisionOf(query: URLSearchParams, { api }: Configuration): AuthorizationDecision {
  return decideAuthorizationRequest(query, new URL(api).origin);
}

/** Refuses a request that nobody can approve: its client gets the error, or the person sees it. */
export function RefusedRequest({ decision }: { decision: Exclude<AuthorizationDecision, { kind: "ask" }> }) {
  const target = decision.kind === "redirect" ? decision.url : undefined;
  useEffect(() => {
    if (target !== undefined) location.replace(target);
  }, [target]);
  if (decision.kind === "redirect") return null;
  return (
    <Page title="This request cannot be approved" narrow>
      <Notice kind="problem">{decision.detail} So nothing is sent anywhere. Run svc login again.</Notice>
    </Page>
  );
}

/**
 * Approves `svc login` on this machine: an authorization request (RFC 6749, section 4.1.1) whose response goes back to
 * it.
 */
export function ApproveAuthorization({ query }: { query: URLSearchParams }) {
  const { api, configuration } = useDashboard();
  const decision = decisionOf(query, configuration);
  if (decision.kind !== "ask") return <RefusedRequest decision={decision} />;
  const { request } = decision;
  const approve = async (settings: TokenSettings) => {
    const body = {
      client_id: oauthClientId,
      redirect_uri: request.redirectUri,
      ...(request.state !== undefined && { state: request.state }),
      code_challenge: request.codeChallenge,
      code_challenge_method: "S256",
      ...settingsBody(settings),
    } as const;
    const { redirect_to: target } = await api.call("POST /oauth/approvals", { body });
    location.assign(target);
  };
  const deny = async () => {
    const issuer = new URL(configuration.api).origin;
    location.assign(authorizationResponseUrl(request, { error: "access_denied" }, issuer));
  };
  return (
    <Page
      title="Approve the command line"
      lead={`svc login on ${request.tokenName || "this machine"} asks for a token.`}
      narrow
    >
      <Notice kind="note">Only approve if you started svc login yourself, on this machine.</Notice>
      <Decision
        proposal={{ ...request, name: request.tokenName || "command line" }}
        onApprove={approve}
        onDeny={deny}
      />
    </Page>
  );
}

type DeviceRequest = ResponseBody<"getDeviceRequest">;

/** Approves a machine without a browser, by the code that it shows (RFC 8628, section 3.3). */
export function ApproveDevice({ query }: { query: URLSearchParams }) {
  const { api } = useDashboard();
  const [code, setCode] = useState(query.get("user_code") ?? "");
  /** With the code that it was found by: another one may have been typed meanwhile. */
  const [lookup, setFound] = useState<{ readonly code: string; readonly request: DeviceRequest }>();
  const [answered, setAnswered] = useState<"approve" | "deny">();
  const submission = useSubmission();
  const find = submission.onSubmit(async () => {
    if (!api.mayBeDeveloper) await api.becomeDeveloper();
    setFound({ code, request: await api.call("GET /oauth/device/:user_code", { params: { user_code: code } }) });
  });
  const answer = async (body: RequestBody<"answerDeviceRequest">) => {
    const params = { user_code: lookup?.code ?? "" };
    await api.call("POST /oauth/device/:user_code", { creates: true, empty: true, params, body });
    setAnswered(body.decision);
  };
  if (answered !== undefined)
    return (
      <Page title={answered === "approve" ? "The device is signed in" : "Denied"} narrow>
        <Notice kind={answered === "approve" ? "done" : "note"}>
          {answered === "approve"
            ? "Go back to its terminal, which continues by itself. Then svc publish there publishes a game. You can close this page."
            : "The device gets nothing. You can close this page."}
        </Notice>
      </Page>
    );
  if (lookup !== undefined)
    return (
      <Page
        title="Approve a device"
        lead={`${lookup.request.token_name || "The device"}, which shows ${lookup.code.toUpperCase()}, asks for a token.`}
        narrow
      >
        <Notice kind="note">
          Only approve if you started svc login --device yourself. Whoever sent you a code would publish as you.
        </Notice>
        <Decision
          proposal={{ ...lookup.request, name: lookup.request.token_name || "another device" }}
          onApprove={(settings) => answer({ decision: "approve", ...settingsBody(settings) })}
          onDeny={() => answer({ decision: "deny" })}
        />
      </Page>
    );
  return (
    <Page title="Approve a device" lead="Type the code that svc login --device shows." narrow>
      <form class="card" onSubmit={find}>
        <Problem of={submission} />
        <TextField label="Code" value={code} onValue={setCode} maxLength={12} required spellcheck={false} autoFocus />
        <div class="actions">
          <Button kind="primary" type="submit" busy={submission.busy} doing="Looking…">
            Continue
          </Button>
        </div>
      </form>
    </Page>
  );
}

import { useCallback, useState } from "preact/hooks";
import { dayMilliseconds } from "../../../../contract/api/limits.ts";
import { durationUntil } from "../../../../contract/api/time/durations.ts";
import { serverNow } from "../../../../contract/api/time/server-time.ts";
import { useDashboard } from "../../dashboard.ts";
import { counted, exactTime } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { Commands } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { filtered, idOf, List, type LoadedList, useList } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { LastUse, When } from "../../parts/time.tsx";
import type { CreatedToken, RevokedTokens, Token } from "../../resources.ts";
import { useFirstSteps } from "../first-steps.tsx";
import { lazyView } from "../load-views.ts";
import { NewToken } from "./new-token.tsx";
import { scopesInWords, TokenForm, useMaxDays } from "./token-form.tsx";

type Open =
  | { readonly what: "create" }
  | { readonly what: "replace"; readonly token: Token }
  | { readonly what: "created"; readonly token: CreatedToken }
  | { readonly what: "revoke"; readonly token: Token }
  | { readonly what: "revoke all" }
  | { readonly what: "revoked all"; readonly result: RevokedTokens };

/** Number of tokens above which they can be searched. */
const manyTokens = 8;

export function Tokens() {
  const [open, setOpen] = useState<Open>();
  const [showsInactive, setShowsInactive] = useState(false);
  const active = useTokens("active", true);
  // If none is active, whether there were any decides what the page says.
  const inactive = useTokens("inactive", showsInactive || active.items?.length === 0);
  const row = useCallback((token: Token) => <TokenRow token={token} onOpen={setOpen} />, []);
  const reload = () => Promise.all([active.reload(), inactive.reload()]);
  // First the lists, so that the focus goes back to a row that stays. The person may have opened something else by then.
  const done = async () => {
    await reload();
    setOpen((now) => (now === open ? undefined : now));
  };
  const revokedAll = async (result: RevokedTokens) => {
    if (result.publishers.length === 0) return await done();
    await reload();
    setOpen({ what: "revoked all", result });
  };
  const hasInactive = (inactive.items?.length ?? 0) > 0;
  const hasAny = hasInactive || (active.items?.length ?? 0) > 0;
  const isUndecided = active.items?.length === 0 && inactive.items === undefined && inactive.problem === undefined;
  return (
    <Page
      title="Tokens"
      lead="A token lets a machine publish in your name, until it expires or you revoke it."
      action={
        <Button kind="primary" onClick={() => setOpen({ what: "create" })}>
          New token
        </Button>
      }
    >
      <FoundByName
        list={isUndecided ? { ...active, items: undefined } : active}
        label="Active tokens"
        find="Find by name"
        row={row}
        empty={<NoTokens hadSome={hasInactive} />}
      />
      {active.items && active.items.length > 0 && (
        <div class="after-list">
          <Button kind="quiet" risky onClick={() => setOpen({ what: "revoke all" })}>
            Revoke all tokens
          </Button>
        </div>
      )}
      {hasAny && (
        <details
          class="fold"
          open={showsInactive}
          onToggle={({ currentTarget }) => setShowsInactive(currentTarget.open)}
        >
          <summary>Revoked and expired</summary>
          {showsInactive && (
            <FoundByName
              list={inactive}
              label="Revoked and expired tokens"
              find="Find a revoked or expired one by name"
              row={row}
              empty={<p class="hint">None.</p>}
            />
          )}
        </details>
      )}
      {open?.what === "create" && (
        <Dialog title="New token" onClose={() => setOpen(undefined)}>
          <TokenForm onCreated={(token) => setOpen({ what: "created", token })} onCancel={() => setOpen(undefined)} />
        </Dialog>
      )}
      {open?.what === "created" && (
        <Dialog title="Copy your token now" modal="must decide" onClose={done}>
          <NewToken token={open.token} onDone={done} />
        </Dialog>
      )}
      {open?.what === "replace" && (
        <Dialog title={`Replace ${open.token.name}?`} onClose={() => setOpen(undefined)}>
          <ReplaceToken
            token={open.token}
            onReplaced={(token) => setOpen({ what: "created", token })}
            onCancel={() => setOpen(undefined)}
          />
        </Dialog>
      )}
      {open?.what === "revoke" && (
        <Dialog title={`Revoke ${open.token.name}?`} onClose={() => setOpen(undefined)}>
          <RevokeToken token={open.token} onRevoked={done} onCancel={() => setOpen(undefined)} />
        </Dialog>
      )}
      {open?.what === "revoke all" && (
        <Dialog title="Revoke all tokens?" onClose={() => setOpen(undefined)}>
          <RevokeAll onRevoked={revokedAll} onCancel={() => setOpen(undefined)} />
        </Dialog>
      )}
      {open?.what === "revoked all" && (
        <Dialog title="CI jobs that can still publish" onClose={() => setOpen(undefined)}>
          <RemainingPublishers of={open.result} onDone={() => setOpen(undefined)} />
        </Dialog>
      )}
    </Page>
  );
}

interface FoundByNameProps extends Pick<Parameters<typeof List<Token>>[0], "list" | "label" | "row" | "empty"> {
  /** The label of the field. */
  readonly find: string;
}

/** A list of tokens, and above a long one a field to search it. They come together, so that nothing on the page moves. */
function FoundByName({ list, find, empty, ...rest }: FoundByNameProps) {
  const [wanted, setWanted] = useState("");
  const text = wanted.trim().toLowerCase();
  const shown = text === "" ? list : filtered(list, ({ name }) => name.toLowerCase().includes(text));
  return (
    <>
      {((list.items?.length ?? 0) > manyTokens || wanted !== "") && (
        <div class="filter">
          <TextField label={find} value={wanted} onValue={setWanted} spellcheck={false} />
        </div>
      )}
      <List
        {...rest}
        list={shown}
        keyOf={idOf}
        empty={text === "" ? empty : <p class="hint">No token’s name contains this.</p>}
      />
    </>
  );
}

function useTokens(status: "active" | "inactive", isWanted: boolean): LoadedList<Token> {
  const { api, account } = useDashboard();
  const { role } = account.user;
  const load = async (cursor: string | undefined) => {
    if (role !== "dev") return { items: [], nextCursor: null };
    const page = await api.call("GET /tokens", { query: { cursor, status } });
    return { items: page.tokens, nextCursor: page.next_cursor };
  };
  return useList(`${status} tokens of a ${role}`, load, isWanted);
}

const RemainingPublishers = lazyView(({ RemainingPublishers }) => RemainingPublishers);
const ReplaceToken = lazyView(({ ReplaceToken }) => ReplaceToken);
const RevokeToken = lazyView(({ RevokeToken }) => RevokeToken);
const RevokeAll = lazyView(({ RevokeAll }) => RevokeAll);

function TokenRow({ token, onOpen }: { token: Token; onOpen: (open: Open) => void }) {
  const { name, scopes, projects, status, last_used_at: lastUsed, created_at: created, hint } = token;
  return (
    <>
      <div class="row-main">
        <h2>{name}</h2>
        <p>
          {scopes.map((scope) => scopesInWords[scope].title).join(", ")}
          {projects ? ` in ${projects.join(", ")}` : ", all projects"}
        </p>
        <p class="meta">
          <code>pat_…{hint}</code>
          <When it="created" at={created} />
          <span>
            <LastUse at={lastUsed} />
          </span>
        </p>
      </div>
      <div class="row-side">
        <TokenState token={token} />
        {status === "active" && (
          <div class="row-actions">
            <Button kind="quiet" aria-label={`Replace ${name}`} onClick={() => onOpen({ what: "replace", token })}>
              Replace
            </Button>
            <Button kind="quiet" risky aria-label={`Revoke ${name}`} onClick={() => onOpen({ what: "revoke", token })}>
              Revoke
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

function TokenState({ token: { status, expires_at: expiresAt } }: { token: Token }) {
  const maxDays = useMaxDays();
  if (status !== "active") return <span class="badge off">{status === "revoked" ? "Revoked" : "Expired"}</span>;
  const daysLeft = (Date.parse(expiresAt) - serverNow()) / dayMilliseconds;
  // A new token has a few seconds more, if the clocks differ.
  const isAboveLimit = daysLeft > maxDays + 0.01;
  return (
    <>
      <span class={daysLeft < 7 || isAboveLimit ? "badge soon" : "badge on"} title={exactTime(expiresAt)}>
        {durationUntil(expiresAt, serverNow())} left
      </span>
      {isAboveLimit && <span class="hint">more than the {counted(maxDays, "day")} of new tokens</span>}
    </>
  );
}

function NoTokens({ hadSome }: { hadSome: boolean }) {
  const firstSteps = useFirstSteps();
  return (
    <div class="empty">
      <h2>{hadSome ? "No active token" : "No tokens yet"}</h2>
      <p>You rarely need this page: signing in from a terminal creates a token for that machine.</p>
      <Commands steps={[...firstSteps, { title: "See who you are there", command: "svc whoami" }]} />
    </div>
  );
}

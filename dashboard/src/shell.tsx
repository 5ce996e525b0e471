import { useEffect, useState } from "preact/hooks";
import { clockError } from "../../contract/api/time/server-time.ts";
import { useDashboard } from "./dashboard.ts";
import { optionOfTab, tabNamed } from "./option.ts";
import { Avatar } from "./parts/avatar.tsx";
import { Footer } from "./parts/footer.tsx";
import { Mark } from "./parts/mark.tsx";
import { Notice } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { projectPlace } from "./project-place.ts";
import { followLink, useReturn, useUrl } from "./router.ts";
import { AccountPage } from "./views/account/account.tsx";
import { lazyView } from "./views/load-views.ts";
import { ApproveAuthorization, ApproveDevice } from "./views/login/approve.tsx";
import { ProjectPage } from "./views/projects/project.tsx";
import { Projects } from "./views/projects/projects.tsx";
import { useDrop } from "./views/publishing/drop-area.tsx";
import { Tokens } from "./views/tokens/tokens.tsx";

/** The frame around every view of a person who is signed in. */
export function Shell() {
  const { account, configuration, publishing, publish, toast } = useDashboard();
  const url = useUrl();
  const clock = clockError();
  const [isSearching, setSearching] = useState(false);
  useSearchKeys(() => setSearching(true));
  useReturn();
  const isOver = useDrop((picked) => publish(undefined, picked));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: it hears the clicks of links, which the keyboard makes too
    // biome-ignore lint/a11y/noStaticElementInteractions: the same
    <div class="shell" onClick={followLink}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <div>
          <a class="brand" href="/">
            <Mark />
            <span>svc</span>
            {configuration.stage !== "production" && <span class="stage">{configuration.stage}</span>}
          </a>
          <nav aria-label="Main">
            <NavLink href="/" path={url.pathname} also="/projects/">
              Projects
            </NavLink>
            <NavLink href="/tokens" path={url.pathname}>
              Tokens
            </NavLink>
            <NavLink href="/account" path={url.pathname}>
              <Avatar name={account.user.name} ownPicture={account.user.avatar} />
              <span>Account</span>
            </NavLink>
            {/* In a tab of its own, because an upload goes on as long as this one is open. */}
            <a href={helpFor(url.pathname)} target="_blank" rel="noreferrer">
              Help
            </a>
          </nav>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {clock && <Notice kind="note">This device’s clock is {clock}. svc goes by its own; set this one right.</Notice>}
        <View url={url} />
      </main>
      <Footer operator={configuration.operator} />
      {isOver && <div class="drop-veil">Drop it: you see what changes before it goes live</div>}
      {isSearching && <CommandPalette path={url.pathname} onClose={() => setSearching(false)} />}
      {/* Always there: a screen reader hears what comes into it. */}
      <div class="toasts" role="status">
        {toast && <ShownToast key={toast} toast={toast} />}
      </div>
      {publishing.length > 0 && (
        <div class="uploads">
          {publishing.map((one) => (
            <PublishPicked key={one.id} {...one} />
          ))}
        </div>
      )}
    </div>
  );
}

const CommandPalette = lazyView(({ CommandPalette }) => CommandPalette, null);
const ShownToast = lazyView(({ ShownToast }) => ShownToast, null);
const PublishPicked = lazyView(({ PublishPicked }) => PublishPicked);

/** Ctrl+K, or ⌘K, opens the search of everything; / goes to the search of the view, if it has one. Neither while something is typed or decided. */
function useSearchKeys(onSearch: () => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const isEverything = event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey) && !event.altKey;
      const isTyping = (event.target as Element).closest("input:not([type=radio], [type=checkbox]), textarea") !== null;
      if (document.querySelector("dialog[open]") || !(isEverything || (event.key === "/" && !isTyping))) return;
      const field = document.querySelector<HTMLElement>("input[type=search]");
      if (!isEverything && !field) return;
      event.preventDefault();
      if (isEverything) onSearch();
      else field?.focus();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
}

/** The page of help that fits a view: dashboard/help.ts makes these pages of docs/. */
function helpFor(path: string): string {
  const [, view = ""] = /^\/projects\/[^/]+\/([a-z]+)/.exec(path) ?? [];
  const option = optionOfTab(tabNamed(view));
  if (option) return `/help/${option.name}.html`;
  return ["/tokens", "/authorize", "/device"].includes(path) ? "/help/cli.html" : "/help/publish-your-game.html";
}

interface NavLinkProps {
  readonly href: string;
  readonly path: string;
  /** Paths that begin with one of these belong to it too. */
  readonly also?: string;
  readonly children: preact.ComponentChildren;
}

function NavLink({ href, path, also, children }: NavLinkProps) {
  const isCurrent = path === href || (also !== undefined && path.startsWith(also));
  return (
    <a href={href} aria-current={isCurrent ? "page" : undefined}>
      {children}
    </a>
  );
}

function View({ url }: { url: URL }) {
  const { configuration } = useDashboard();
  const { pathname } = url;
  if (pathname === "/account") return <AccountPage />;
  const [, invited, invitation] = /^\/invitations\/([a-z0-9-]+)\/([\w-]+)$/.exec(pathname) ?? [];
  if (invited && invitation) return <AcceptInvitation key={invitation} slug={invited} id={invitation} />;
  if (pathname === "/authorize") return <ApproveAuthorization query={url.searchParams} />;
  if (pathname === "/device") return <ApproveDevice query={url.searchParams} />;
  if (pathname === "/") return <Projects key={url.search.includes("new")} />;
  if (pathname === "/tokens") return <Tokens />;
  if (pathname === "/people") return <People />;
  const place = projectPlace(url, configuration.leftOut);
  if (place) return <ProjectPage key={place.slug} place={place} />;
  return <NotFound />;
}

const People = lazyView(({ People }) => People);
const AcceptInvitation = lazyView(({ AcceptInvitation }) => AcceptInvitation);

function NotFound() {
  return (
    <Page title="There is no such page" narrow>
      <p>
        Go on at <a href="/">your projects</a>.
      </p>
    </Page>
  );
}

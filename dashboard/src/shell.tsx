import { clockError } from "../../contract/api/time/server-time.ts";
import { useDashboard } from "./dashboard.ts";
import { optionOfTab, tabNamed } from "./option-tabs.ts";
import { Avatar } from "./parts/avatar.tsx";
import { Footer } from "./parts/footer.tsx";
import { lazy } from "./parts/lazy.tsx";
import { Mark } from "./parts/mark.tsx";
import { Notice } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { followLink, useUrl } from "./router.ts";
import { AccountPage } from "./views/account/account.tsx";
import { ApproveAuthorization, ApproveDevice } from "./views/login/approve.tsx";
import { ProjectPage, type ProjectPlace } from "./views/projects/project.tsx";
import { type Tab, tabs } from "./views/projects/project-header.tsx";
import { Projects } from "./views/projects/projects.tsx";
import { useDrop } from "./views/publishing/drop-area.tsx";
import { Tokens } from "./views/tokens/tokens.tsx";

/** The frame around every view of a person who is signed in. */
export function Shell() {
  const { account, configuration, publishing, publish } = useDashboard();
  const url = useUrl();
  const clock = clockError();
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
              <Avatar name={account.user.name} own={account.user.avatar} />
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

const PublishPicked = lazy(async () => (await import("./views/lazy-views.ts")).PublishPicked);

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
  if (pathname === "/") return <Projects />;
  if (pathname === "/tokens") return <Tokens />;
  const place = projectPlace(url, configuration.leftOut);
  if (place) return <ProjectPage key={place.slug} place={place} />;
  return <NotFound />;
}

/** The place in a project that a URL names. */
function projectPlace({ pathname, searchParams }: URL, leftOut: readonly string[] = []): ProjectPlace | undefined {
  const [, slug, name, inside] = /^\/projects\/([a-z0-9-]+)(?:\/([a-z]+)(?:\/(\w+))?)?$/.exec(pathname) ?? [];
  if (slug === undefined) return undefined;
  if (name === "history") return { slug, tab: "overview", inside: name, other: undefined };
  const tab = tabNamed(name ?? "overview");
  const option = optionOfTab(tab);
  const isLeftOut = option !== undefined && leftOut.includes(option.name);
  if (!Object.hasOwn(tabs, tab) || isLeftOut || (inside && !option?.hasInside)) return undefined;
  return { slug, tab: tab as Tab, inside, other: searchParams.get("with") ?? undefined };
}
const AcceptInvitation = lazy(async () => (await import("./views/lazy-views.ts")).AcceptInvitation);

function NotFound() {
  return (
    <Page title="There is no such page" narrow>
      <p>
        Go on at <a href="/">your projects</a>.
      </p>
    </Page>
  );
}

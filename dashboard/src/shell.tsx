import { clockError } from "../../contract/api/server-time.ts";
import { useDashboard } from "./dashboard.ts";
import { Avatar } from "./parts/avatar.tsx";
import { lazy } from "./parts/lazy.tsx";
import { Mark } from "./parts/mark.tsx";
import { Notice } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { followLink, useUrl } from "./router.ts";
import { AccountPage } from "./views/account/account.tsx";
import { BecomeDeveloper } from "./views/account/become-developer.tsx";
import { ApproveAuthorization, ApproveDevice } from "./views/login/approve.tsx";
import { ProjectPage } from "./views/projects/project.tsx";
import { Projects } from "./views/projects/projects.tsx";
import { Tokens } from "./views/tokens/tokens.tsx";

/** The frame around every view of a person who is signed in. */
export function Shell() {
  const { account, configuration, publishing } = useDashboard();
  const url = useUrl();
  const clock = clockError();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: it hears the clicks of links, which the keyboard makes too
    // biome-ignore lint/a11y/noStaticElementInteractions: the same
    <div class="shell" onClick={followLink}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="bar">
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
      </header>
      <main id="main" tabIndex={-1}>
        {clock && <Notice kind="note">This device’s clock is {clock}. svc goes by its own; set this one right.</Notice>}
        <View url={url} isDeveloper={account.user.role === "dev"} />
      </main>
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
  const [, view] = /^\/projects\/[^/]+\/(statistics|profiles)\b/.exec(path) ?? [];
  if (view !== undefined) return `/help/${view}.html`;
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

function View({ url, isDeveloper }: { url: URL; isDeveloper: boolean }) {
  const { pathname } = url;
  if (pathname === "/account") return <AccountPage />;
  const [, invited, invitation] = /^\/invitations\/([a-z0-9-]+)\/([\w-]+)$/.exec(pathname) ?? [];
  // Also for somebody who is no developer yet.
  if (invited && invitation) return <AcceptInvitation key={invitation} slug={invited} id={invitation} />;
  if (!isDeveloper) return <BecomeDeveloper />;
  if (pathname === "/authorize") return <ApproveAuthorization query={url.searchParams} />;
  if (pathname === "/device") return <ApproveDevice query={url.searchParams} />;
  if (pathname === "/") return <Projects />;
  if (pathname === "/tokens") return <Tokens />;
  const slug = /^\/projects\/([a-z0-9-]+)$/.exec(pathname)?.[1];
  if (slug !== undefined) return <ProjectPage key={slug} slug={slug} />;
  const played = /^\/projects\/([a-z0-9-]+)\/statistics$/.exec(pathname)?.[1];
  if (played !== undefined) return <StatisticsPage key={played} slug={played} />;
  const [, profiled, profile] = /^\/projects\/([a-z0-9-]+)\/profiles(?:\/(\w+))?$/.exec(pathname) ?? [];
  if (profiled && profile)
    return <ProfilePage key={profile} slug={profiled} id={profile} other={url.searchParams.get("with") ?? undefined} />;
  if (profiled) return <ProfilesPage key={profiled} slug={profiled} />;
  return <NotFound />;
}

const StatisticsPage = lazy(async () => (await import("./views/lazy-views.ts")).StatisticsPage);
const ProfilesPage = lazy(async () => (await import("./views/lazy-views.ts")).ProfilesPage);
const ProfilePage = lazy(async () => (await import("./views/lazy-views.ts")).ProfilePage);
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

import { Globe, Play, PowerOff, Share2 } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { publicPagePath } from "../../../../contract/api/projects/public-page.ts";
import { useDashboard } from "../../dashboard.ts";
import { optionOfTab } from "../../option.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { useHeading } from "../../parts/page.tsx";
import { tabs, tabUrl } from "../../project-place.ts";
import type { Project } from "../../resources.ts";
import { isPublisher } from "../members/roles.ts";

interface ProjectHeaderProps {
  readonly slug: string;
  /** Undefined until it is read. */
  readonly project: Project | undefined;
  readonly tab: string;
  /** The title of a view inside of the tab. */
  readonly inside?: string | undefined;
  readonly onShare?: () => void;
  readonly onTakeOffline?: () => void;
}

/** Stays in sight above each tab of a project: which game it is, whether it is live, and how one plays it. */
export function ProjectHeader({
  slug,
  project,
  tab,
  inside = tabs()[tab],
  onShare,
  onTakeOffline,
}: ProjectHeaderProps) {
  const name = project?.name ?? slug;
  const heading = useHeading(tab === "overview" ? name : `${inside} · ${name}`, ".project");
  const isLive = project?.current_release && !project.suspension;
  const url = isLive ? project.play_url : null;
  return (
    <header class="project-header">
      <div>
        <div class="project-id">
          <GamePicture project={project ?? { name, picture_url: null }} isDecoration />
          <div>
            <h1 ref={heading} tabIndex={-1} dir="auto">
              {name}
            </h1>
            <Status project={project} url={url} />
          </div>
          {/* Its place is kept until it is known that there is none. */}
          {(isLive || !project) && (
            <div class="project-actions">
              {url && (
                <>
                  <Button icon={Share2} onClick={onShare}>
                    Share
                  </Button>
                  <LinkButton kind="primary" href={url} icon={Play}>
                    Play
                  </LinkButton>
                </>
              )}
              {isLive && (
                <Menu of={name}>
                  {url && (
                    <LinkButton kind="quiet" href={new URL(publicPagePath, url).href} icon={Globe}>
                      Public page
                    </LinkButton>
                  )}
                  {isPublisher(project) && (
                    <Button kind="quiet" icon={PowerOff} risky onClick={onTakeOffline}>
                      Take offline
                    </Button>
                  )}
                </Menu>
              )}
            </div>
          )}
        </div>
        <Tabs slug={slug} tab={tab} />
      </div>
    </header>
  );
}

function Status({ project, url }: { project: Project | undefined; url: string | null }) {
  const [state, look] = project?.suspension
    ? ["Suspended", "bad"]
    : project?.current_release
      ? ["Live", "on"]
      : [project ? "Not live" : "Loading…", "off"];
  return (
    <p class="status">
      <span class={`dot ${look}`} />
      <span>{state}</span>
      {url && (
        <a class="status-url" href={url} target="_blank" rel="noreferrer">
          {url.replace(/^https?:\/\//, "").replace(/\/$/, "")}
        </a>
      )}
    </p>
  );
}

function Tabs({ slug, tab: current }: { slug: string; tab: string }) {
  const { leftOut = [] } = useDashboard().configuration;
  const row = useRef<HTMLElement>(null);
  // On a narrow page the row is scrolled sideways: the tab that is open is in sight.
  useEffect(() => {
    const open = row.current?.querySelector<HTMLElement>("[aria-current]");
    if (row.current && open)
      row.current.scrollLeft = open.offsetLeft - row.current.clientWidth / 2 + open.clientWidth / 2;
  }, [current]);
  return (
    <nav ref={row} class="tabs" aria-label="Project">
      {Object.entries(tabs())
        .filter(([tab]) => !leftOut.includes(optionOfTab(tab)?.name ?? ""))
        .map(([tab, title]) => (
          <a key={tab} class="tab" href={tabUrl(slug, tab)} aria-current={tab === current ? "page" : undefined}>
            {title}
          </a>
        ))}
    </nav>
  );
}

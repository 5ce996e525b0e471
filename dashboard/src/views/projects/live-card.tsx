import { publicPagePath } from "../../../../contract/api/public-page.ts";
import { bytesInWords, counted } from "../../format.ts";
import { GamePicture } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { When } from "../../parts/time.tsx";
import type { Project, Release } from "../../resources.ts";
import { titleOf } from "../releases/make-live.tsx";

interface LiveCardProps {
  readonly project: Project;
  readonly live: Release | undefined;
  readonly onShare: () => void;
  readonly onTakeOffline: () => void;
}

/** Which release players get now, and where. */
export function LiveCard({ project, live, onShare, onTakeOffline }: LiveCardProps) {
  const { current_release: current, play_url: url } = project;
  return (
    <section class="card live" aria-label="Live release">
      <div class="pictured">
        <GamePicture project={project} />
        <div>
          <span class="badge on">Live</span>
          {url && (
            <p class="live-url">
              <a href={url} target="_blank" rel="noreferrer">
                {url.replace(/^https?:\/\//, "").replace(/\/$/, "")}
              </a>
            </p>
          )}
          <p class="meta">
            {current && <When it="live since" at={current.published_at} />}
            {live && <bdi>{titleOf(live)}</bdi>}
            {url && (
              <a href={new URL(publicPagePath, url).href} target="_blank" rel="noreferrer">
                Page about it
              </a>
            )}
            {live && (
              <span>
                {counted(live.files, "file")}, {bytesInWords(live.bytes)}
              </span>
            )}
          </p>
        </div>
      </div>
      <div class="row-side">
        <Button kind="quiet" risky onClick={onTakeOffline}>
          Take offline
        </Button>
        {url && (
          <>
            <Button onClick={onShare}>Share</Button>
            <a class="button primary" href={url} target="_blank" rel="noreferrer">
              Play
            </a>
          </>
        )}
      </div>
    </section>
  );
}

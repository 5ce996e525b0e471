import { useRef } from "preact/hooks";
import { serverNow } from "../../../../contract/api/time/server-time.ts";
import { ApiError } from "../../../../contract/api-error.ts";
import { useDashboard } from "../../dashboard.ts";
import { useWatch, WatchProblem } from "../../parts/watch.tsx";
import { announceProject } from "../../projects.ts";
import type { ListedRelease } from "../../resources.ts";
import { titleOf } from "../releases/release-titles.ts";
import { EventSentence, type ProjectEvent } from "./history.tsx";

/** A response's date has whole seconds, and takes a moment. */
const toleranceMilliseconds = 5_000;
/** The maximum number of events that are read after a change; of more, the page says what the latest did. */
const maxEvents = 20;

const gone: readonly ApiError["code"][] = ["project_not_found", "project_deleted"];

interface ProjectChangesProps {
  readonly slug: string;
  /** For the titles of what went live; undefined until they are read. */
  readonly releases: readonly ListedRelease[] | undefined;
  /** Reads the page anew. */
  readonly onChanged: () => Promise<void>;
}

/** Watches the newest event of a project: if there is another one, the page is read anew, and says what others have done. */
export function ProjectChanges({ slug, releases = [], onChanged }: ProjectChangesProps) {
  const { account, showToast } = useDashboard();
  const start = useRef(serverNow() - toleranceMilliseconds);
  const newestId = useRef("");
  const titles = useRef(releases);
  titles.current = releases;
  const isNew = ({ id, at }: ProjectEvent) => id > newestId.current && Date.parse(at) > start.current;
  const problem = useWatch(async (client) => {
    const read = async (limit: number) => {
      const call = client.call("GET /projects/:slug/events", { params: { slug }, query: { limit: String(limit) } });
      return (await call).events.filter(isNew);
    };
    const latest = await read(1).catch(async (error: unknown) => {
      // It is deleted, or they are not a member any more: the page reads which.
      if (error instanceof ApiError && gone.includes(error.code)) await onChanged();
      throw error;
    });
    if (latest.length === 0) return;
    const events = await read(maxEvents);
    newestId.current = events[0]?.id ?? newestId.current;
    await onChanged();
    announceProject(slug);
    const others = events.filter(({ by, token_id: token }) => by?.uid !== account.user.uid || token !== undefined);
    const [event] = others;
    if (event === undefined) return;
    const title = (id: string) => {
      const release = titles.current.find((one) => one.id === id);
      return release ? titleOf(release) : "a release";
    };
    showToast({
      text: (
        <>
          <EventSentence slug={slug} event={event} titleOf={title} />
          {others.length > 1 && (
            <>
              {", and "}
              <a href={`/projects/${slug}/history`}>{others.length - 1} more</a>
            </>
          )}
        </>
      ),
    });
  });
  return <WatchProblem text={problem} />;
}

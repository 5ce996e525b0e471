import type { Api } from "../../api.ts";
import { useDashboard } from "../../dashboard.ts";
import { RowButton } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { useSubmission } from "../../parts/form.ts";
import type { ListPage } from "../../parts/list.tsx";
import { Problem } from "../../parts/notice.tsx";
import { Time } from "../../parts/time.tsx";
import type { Edge, ListedRelease, Preview } from "../../resources.ts";
import { titleOf } from "./make-live.tsx";

/** A page of a project's releases. Previews are of open releases alone, so the others cost no second request. */
export async function releasesPage(
  api: Api,
  slug: string,
  cursor: string | undefined,
): Promise<ListPage<ListedRelease>> {
  const path = "/projects/:slug/releases";
  const page = await api.call("listReleases", { method: "GET", path, params: { slug }, query: { cursor } });
  const previews = page.releases.some(({ status }) => status === "open") ? await previewsOf(api, slug) : [];
  const items = page.releases.map((release) => ({
    ...release,
    previews: previews.filter((preview) => preview.release.id === release.id),
  }));
  return { items, nextCursor: page.next_cursor };
}

async function previewsOf(api: Api, slug: string): Promise<readonly Preview[]> {
  const path = "/projects/:slug/previews";
  return (await api.call("listPreviews", { method: "GET", path, params: { slug } })).previews;
}

interface PreviewActionsProps {
  readonly slug: string;
  readonly release: ListedRelease;
  /** @param edge whether the preview's URL has the change by now */
  readonly onChanged: (edge: Edge) => Promise<void>;
  readonly onMakeLive: () => void;
}

/** What can be done with an open release: its preview is opened, or played, made live and ended. */
export function PreviewActions({ slug, release, onChanged, onMakeLive }: PreviewActionsProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const [preview] = release.previews;
  const path = "/projects/:slug/releases/:id/preview";
  const params = { slug, id: release.id };
  const toggle = () =>
    submission.run(async () => {
      const { edge } = preview
        ? await api.call("endPreview", { method: "DELETE", path, params })
        : await api.call("openPreview", { method: "POST", path, params });
      await onChanged(edge);
    });
  return (
    <>
      <div class="row-actions">
        {preview?.url && (
          <a class="button quiet" href={preview.url} target="_blank" rel="noreferrer">
            Play<span class="visually-hidden"> the preview of {titleOf(release)}</span>
          </a>
        )}
        {preview && <RowButton label="Make live" of={titleOf(release)} onClick={onMakeLive} />}
        <RowButton
          // The same element before and after, so that it keeps the keyboard's focus.
          key="toggle"
          label={preview ? "End preview" : "Open preview"}
          doing={preview ? "Ending…" : "Opening…"}
          busy={submission.busy}
          of={titleOf(release)}
          onClick={toggle}
        />
      </div>
      <Problem of={submission} />
    </>
  );
}

interface PreviewListProps {
  readonly slug: string;
  readonly previews: readonly Preview[];
  readonly onChanged: (edge: Edge) => Promise<void>;
}

/** Where previews of a release are played, to be sent to others, and until when. */
export function PreviewList({ previews, ...rest }: PreviewListProps) {
  return previews.map((preview) => <PreviewFacts key={preview.name ?? ""} preview={preview} {...rest} />);
}

function PreviewFacts({ slug, preview, onChanged }: Omit<PreviewListProps, "previews"> & { preview: Preview }) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const { name, url, kept, expires_at: expires, release } = preview;
  const path = "/projects/:slug/previews/:preview";
  const params = { slug, preview: name ?? release.id };
  const keep = () =>
    submission.run(async () => {
      const { edge } = await api.call("updatePreview", { method: "PATCH", path, params, body: { kept: !kept } });
      await onChanged(edge);
    });
  return (
    <>
      <p class="meta">
        {name && (
          <span>
            preview <b>{name}</b>
          </span>
        )}
        <span>
          ends <Time at={expires} />
        </span>
        <RowButton
          label={kept ? "Keep no longer" : "Keep for 30 days"}
          doing="Saving…"
          busy={submission.busy}
          of={name ? `the preview ${name}` : `the preview of ${titleOf(release)}`}
          onClick={keep}
        />
      </p>
      {url && <Copy text={url} label={name ? `the URL of the preview ${name}` : "the preview’s URL"} />}
      <Problem of={submission} />
    </>
  );
}

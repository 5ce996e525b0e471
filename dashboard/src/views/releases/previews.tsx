import type { Api } from "../../api.ts";
import { useDashboard } from "../../dashboard.ts";
import { RowButton } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { useSubmission } from "../../parts/form.ts";
import type { ListPage } from "../../parts/list.tsx";
import { Problem } from "../../parts/notice.tsx";
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
    preview: previews.find((preview) => preview.release.id === release.id),
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
  const { preview } = release;
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

/** Where a preview is played, to be sent to others. */
export function PreviewUrl({ preview }: { preview: ListedRelease["preview"] }) {
  return preview?.url ? <Copy text={preview.url} label="the preview’s URL" /> : null;
}

import type { Api } from "../../api.ts";
import { useDashboard } from "../../dashboard.ts";
import { RowButton } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { useSubmission } from "../../parts/form.ts";
import type { ListPage } from "../../parts/list.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Problem } from "../../parts/notice.tsx";
import { Time } from "../../parts/time.tsx";
import type { Edge, ListedRelease, Preview, Release } from "../../resources.ts";
import { titleOf } from "./make-live.tsx";

/** A page of a project's releases. A list of what is live or deleted alone costs no second request. */
export async function releasesPage(
  api: Api,
  slug: string,
  cursor: string | undefined,
): Promise<ListPage<ListedRelease>> {
  const page = await api.call("GET /projects/:slug/releases", { params: { slug }, query: { cursor } });
  const previews = page.releases.some(({ status }) => status === "open" || status === "published")
    ? (await api.call("GET /projects/:slug/previews", { params: { slug } })).previews
    : [];
  const items = page.releases.map((release) => ({
    ...release,
    previews: previews.filter((preview) => preview.release.id === release.id),
  }));
  return { items, nextCursor: page.next_cursor };
}

interface ReleaseActionsProps {
  readonly slug: string;
  readonly release: ListedRelease;
  /** Whether a release can be played before it goes live. */
  readonly hasPreviews: boolean;
  readonly canDelete: boolean;
  /** @param edge whether the preview's URL has the change by now */
  readonly onPreview: (edge: Edge) => Promise<void>;
  readonly onMakeLive: (release: Release) => void;
  readonly onDelete: (release: Release) => void;
}

/** Actions for a release that is not live: look at it by a preview, make it live, go on with it, or delete it. */
export function ReleaseActions({ slug, release, hasPreviews, canDelete, ...on }: ReleaseActionsProps) {
  const { onPreview, onMakeLive, onDelete } = on;
  const { api } = useDashboard();
  const submission = useSubmission();
  const [preview] = release.previews;
  const isOpen = release.status === "open";
  const title = titleOf(release);
  const params = { slug, id: release.id };
  const toggle = () =>
    submission.run(async () => {
      const { edge } = preview
        ? await api.call("DELETE /projects/:slug/releases/:id/preview", { params })
        : await api.call("POST /projects/:slug/releases/:id/preview", { params });
      await onPreview(edge);
    });
  const toggleButton = hasPreviews && (
    <RowButton
      // The same element before and after, so that it keeps the keyboard's focus.
      key="toggle"
      label={preview ? "End preview" : "Open preview"}
      doing={preview ? "Ending…" : "Opening…"}
      busy={submission.busy}
      of={title}
      onClick={toggle}
    />
  );
  const more = [
    !isOpen && toggleButton,
    isOpen && !preview && <RowButton key="continue" label="Continue" of={title} onClick={showDropArea} />,
    canDelete && <RowButton key="delete" label="Delete release" risky of={title} onClick={() => onDelete(release)} />,
  ];
  return (
    <>
      <div class="row-actions">
        {preview?.url && (
          <a class="button quiet" href={preview.url} target="_blank" rel="noreferrer">
            Play<span class="visually-hidden"> the preview of {title}</span>
          </a>
        )}
        {(preview || !isOpen) && <RowButton label="Make live" of={title} onClick={() => onMakeLive(release)} />}
        {isOpen && toggleButton}
        {more.some(Boolean) && <Menu of={title}>{more}</Menu>}
      </div>
      <Problem of={submission} />
    </>
  );
}

/** The same files, chosen again, go on with the release. */
function showDropArea() {
  const button = document.querySelector<HTMLElement>(".drop button");
  button?.scrollIntoView({ block: "center" });
  button?.focus();
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
  const params = { slug, preview: name ?? release.id };
  const keep = () =>
    submission.run(async () => {
      const { edge } = await api.call("PATCH /projects/:slug/previews/:preview", { params, body: { kept: !kept } });
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
          {name ? "ends" : "preview ends"} <Time at={expires} />
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

import { Copy as CopyIcon, Eye, EyeOff, Pencil, Trash2 } from "lucide";
import { useDashboard } from "../../dashboard.ts";
import { RowButton } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { useSubmission } from "../../parts/form.ts";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Problem } from "../../parts/notice.tsx";
import { Time } from "../../parts/time.tsx";
import { announceReleases } from "../../publish/publishing.ts";
import type { Edge, ListedRelease, Preview, Project, Release } from "../../resources.ts";
import { isAdmin, isPublisher } from "../members/roles.ts";
import { titleOf } from "./release-titles.ts";

/** A release of a list, and what opens for it. */
export interface ReleaseActionsProps {
  readonly project: Project;
  readonly release: ListedRelease;
  /** @param edge whether the preview's URL has the change by now */
  readonly onPreview: (edge: Edge) => Promise<void>;
  /** After a change of the schedule. */
  readonly onScheduled: () => Promise<void>;
  readonly onMakeLive: (release: Release) => void;
  readonly onEditNotes: (release: Release) => void;
  readonly onDelete: (release: Release) => void;
}

/** The buttons of a release: the next step, and everything else in a menu. Without those that change one if the project is suspended, or the person a viewer. */
export function ReleaseActions({
  project,
  release,
  onPreview,
  onScheduled,
  onMakeLive,
  onEditNotes,
  onDelete,
}: ReleaseActionsProps) {
  const { api, showToast } = useDashboard();
  const submission = useSubmission();
  const [preview] = release.previews;
  const isUnfinished = release.status === "open" && !preview && !release.waiting && !release.schedule;
  const isChangeable =
    project.suspension === null && ["open", "published"].includes(release.status) && isPublisher(project);
  const title = titleOf(release);
  const params = { slug: project.slug, id: release.id };
  const toggle = () =>
    submission.run(async () => {
      const { edge } = preview
        ? await api.call("DELETE /projects/:slug/releases/:id/preview", { params })
        : await api.call("POST /projects/:slug/releases/:id/preview", { params });
      await onPreview(edge);
      // One with a name, anew, may have another URL.
      const undo = { act: { label: "Undo", doing: "Undoing…", run: reopen } };
      if (preview) showToast({ text: "The preview has ended.", ...(preview.name === null && undo) });
    });
  /** At its URL of before, which is that of its files. */
  const reopen = async () => {
    const { edge } = await api.call("POST /projects/:slug/releases/:id/preview", { params });
    if (preview?.kept) {
      const place = { slug: project.slug, preview: release.id };
      await api.call("PATCH /projects/:slug/previews/:preview", { params: place, body: { kept: true } });
    }
    announceReleases(project.slug, edge);
    showToast({ text: "The preview is open again." });
  };
  const cancel = () =>
    submission.run(async () => {
      await api.call("DELETE /projects/:slug/releases/:id/schedule", { params });
      await onScheduled();
    });
  const copyId = () => submission.run(() => navigator.clipboard.writeText(release.id));
  return (
    <>
      <div class="row-actions">
        <PlayPreview project={project} release={release} />
        {isChangeable && !isUnfinished && !release.schedule && (
          <RowButton kind="secondary" label="Make live" of={title} onClick={() => onMakeLive(release)} />
        )}
        {isChangeable && release.schedule && (
          <RowButton
            kind="secondary"
            label="Cancel schedule"
            doing="Cancelling…"
            busy={submission.busy}
            of={title}
            onClick={cancel}
          />
        )}
        {isChangeable && isUnfinished && (
          <RowButton kind="secondary" label="Continue" of={title} onClick={showDropArea} />
        )}
        <Menu of={title}>
          {isChangeable && release.schedule && (
            <RowButton label="Make live" of={title} onClick={() => onMakeLive(release)} />
          )}
          {isChangeable && project.play_url !== null && (
            <RowButton
              label={preview ? "End preview" : "Open preview"}
              icon={preview ? EyeOff : Eye}
              doing={preview ? "Ending…" : "Opening…"}
              busy={submission.busy}
              of={title}
              onClick={toggle}
            />
          )}
          {project.suspension === null && isPublisher(project) && release.status !== "withdrawn" && (
            <RowButton label="Edit what is new" icon={Pencil} of={title} onClick={() => onEditNotes(release)} />
          )}
          <RowButton label="Copy ID" icon={CopyIcon} of={title} onClick={copyId} />
          {isChangeable && isAdmin(project) && (
            <RowButton label="Delete release" icon={Trash2} risky of={title} onClick={() => onDelete(release)} />
          )}
        </Menu>
      </div>
      <Problem of={submission} />
    </>
  );
}

/** The link to the preview of a release, for everybody who sees the release; nothing without one, or if nobody can play it. */
export function PlayPreview({ project, release }: Pick<ReleaseActionsProps, "project" | "release">) {
  const url = release.previews[0]?.url;
  if (!url || project.suspension !== null) return null;
  return (
    <a class="button secondary" href={url} target="_blank" rel="noreferrer">
      <Icon of={Eye} />
      Play<span class="visually-hidden"> the preview of {titleOf(release)}</span>
    </a>
  );
}

/** The same files, chosen again, go on with the release. */
function showDropArea() {
  const button = document.querySelector<HTMLElement>(".drop button");
  button?.scrollIntoView({ block: "center" });
  button?.focus();
}

interface PreviewListProps {
  readonly project: Project;
  readonly previews: readonly Preview[];
  readonly onChanged: (edge: Edge) => Promise<void>;
}

/** Links to previews of a release, to be sent to others, with their expiry. */
export function PreviewList({ previews, ...rest }: PreviewListProps) {
  return previews.map((preview) => <PreviewFacts key={preview.name ?? ""} preview={preview} {...rest} />);
}

function PreviewFacts({ project, preview, onChanged }: Omit<PreviewListProps, "previews"> & { preview: Preview }) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const { name, url, kept, expires_at: expires, release } = preview;
  const params = { slug: project.slug, preview: name ?? release.id };
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
        {isPublisher(project) && project.suspension === null && (
          <RowButton
            label={kept ? "Keep no longer" : "Keep for 30 days"}
            doing="Saving…"
            busy={submission.busy}
            of={name ? `the preview ${name}` : `the preview of ${titleOf(release)}`}
            onClick={keep}
          />
        )}
      </p>
      {url && <Copy text={url} label={name ? `the URL of the preview ${name}` : "the preview’s URL"} />}
      <Problem of={submission} />
    </>
  );
}

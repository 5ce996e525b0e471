import type { ResponseBody } from "../api.ts";
import { useDashboard } from "../dashboard.ts";
import { bytesInWords, counted } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { useSubmission } from "../parts/form.ts";
import { Notice } from "../parts/notice.tsx";
import { Time } from "../parts/time.tsx";

export type Release = ResponseBody<"listReleases">["releases"][number];

interface RollBackProps {
  readonly slug: string;
  /** The id of the live release; the API refuses where another has gone live meanwhile. */
  readonly current: string | null;
  readonly live: Release | undefined;
  readonly target: Release;
  readonly onDone: () => Promise<void>;
  readonly onCancel: () => void;
}

/** Shows the live release beside the earlier one, then makes the earlier one live. */
export function RollBack({ slug, current, live, target, onDone, onCancel }: RollBackProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const rollBack = () =>
    submission.run(async () => {
      const path = "/projects/:slug/releases/:id/publish";
      const params = { slug, id: target.id };
      await api.call("publishRelease", { method: "POST", path, params, body: { expect_current: current } });
      await onDone();
    });
  return (
    <>
      <table class="comparison">
        <thead>
          <tr>
            <td />
            <th scope="col">Live now</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          <Row
            title="Published"
            of={({ published_at: at }) => (at ? <Time at={at} /> : "never")}
            live={live}
            target={target}
          />
          <Row title="Message" of={({ message }) => message ?? "–"} live={live} target={target} />
          <Row title="Commit" of={({ source }) => source?.commit.slice(0, 7) ?? "–"} live={live} target={target} />
          <Row title="Files" of={({ files }) => counted(files, "file")} live={live} target={target} />
          <Row title="Size" of={({ bytes }) => bytesInWords(bytes)} live={live} target={target} />
        </tbody>
      </table>
      <p class="hint">Players get it with their next visit. The release that is live now stays in the list.</p>
      {submission.problem && <Notice kind="problem">{submission.problem}</Notice>}
      <div class="actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" busy={submission.busy} onClick={rollBack}>
          Roll back
        </Button>
      </div>
    </>
  );
}

interface RowProps {
  readonly title: string;
  readonly of: (release: Release) => preact.ComponentChildren;
  readonly live: Release | undefined;
  readonly target: Release;
}

function Row({ title, of, live, target }: RowProps) {
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>{live ? of(live) : "–"}</td>
      <td>{of(target)}</td>
    </tr>
  );
}

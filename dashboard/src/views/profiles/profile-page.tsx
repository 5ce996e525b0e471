import { useMemo } from "preact/hooks";
import { chromeTraceOf } from "../../../../contract/api/chrome-trace.ts";
import { useDashboard } from "../../dashboard.ts";
import { Button } from "../../parts/button.tsx";
import { useSubmission } from "../../parts/form.ts";
import { ListSkeleton } from "../../parts/list.tsx";
import { Notice, Problem } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { saveJson } from "../../parts/save.ts";
import { ExactTime } from "../../parts/time.tsx";
import { type Analysis, analysisOf } from "./analysis.ts";
import { Figures } from "./figures.tsx";
import { Errors, LongFrames, SlowInputs } from "./frames-and-errors.tsx";
import { OtherProfiles } from "./other-profiles.tsx";
import { FramePlots, MemoryPlot } from "./plots.tsx";
import { useReleaseTitles } from "./release-titles.ts";
import { type MeasuredProfile, useProfile } from "./use-profile.ts";
import { Waterfall } from "./waterfall.tsx";

interface ProfilePageProps {
  readonly slug: string;
  readonly id: string;
  /** The id of the profile beside which it is shown. */
  readonly other: string | undefined;
}

/** Measurements of a release on a device, also while they are still being made. */
export function ProfilePage({ slug, id, other: otherId }: ProfilePageProps) {
  const { measured, problem, reload } = useProfile(slug, id);
  const { measured: other, problem: otherProblem } = useProfile(slug, otherId);
  const titleOf = useReleaseTitles(slug);
  const analysis = useMemo(() => measured && analysisOf(measured.records), [measured]);
  const otherAnalysis = useMemo(() => other && analysisOf(other.records), [other]);
  const nameOf = ({ profile }: MeasuredProfile) =>
    `${titleOf(profile.release)} on ${profile.device ?? "no device yet"}`;
  return (
    <Page
      title={measured ? titleOf(measured.profile.release) : "Profile"}
      above={{ href: `/projects/${slug}/profiles`, title: `Profiles of ${slug}` }}
      lead={measured?.profile.device ?? undefined}
      action={measured && <Actions slug={slug} measured={measured} onEnded={reload} />}
    >
      {[problem, otherProblem].map(
        (each) =>
          each && (
            <Notice key={each} kind="problem">
              {each}
            </Notice>
          ),
      )}
      {measured && <State measured={measured} />}
      {measured === undefined && problem === undefined && <ListSkeleton />}
      {analysis?.summary === undefined && measured && (
        <NothingMeasured reason={analysis?.unmeasured} isOpen={measured.profile.grant_ends_at !== null} />
      )}
      {measured && analysis && measured.records.length > 0 && (
        <>
          <Figures
            analysis={analysis}
            name={nameOf(measured)}
            {...(other && otherAnalysis && { other: { analysis: otherAnalysis, name: nameOf(other) } })}
          />
          <Details analysis={analysis} />
          <OtherProfiles slug={slug} id={id} other={otherId} titleOf={titleOf} />
        </>
      )}
    </Page>
  );
}

function Details({ analysis }: { analysis: Analysis }) {
  return (
    <>
      {analysis.summary && <FramePlots analysis={analysis} />}
      <LongFrames analysis={analysis} />
      <SlowInputs analysis={analysis} />
      <Waterfall load={analysis.load} />
      <MemoryPlot analysis={analysis} />
      <Errors errors={analysis.errors} />
    </>
  );
}

function State({ measured: { profile } }: { measured: MeasuredProfile }) {
  return (
    <p class="meta">
      {profile.grant_ends_at !== null && <span class="badge on">Link works</span>}
      <span>
        made <ExactTime at={profile.created_at} />
      </span>
      <span>
        deleted <ExactTime at={profile.expires_at} />
      </span>
    </p>
  );
}

function NothingMeasured({ reason, isOpen }: { reason: Analysis["unmeasured"]; isOpen: boolean }) {
  const waiting = isOpen ? "Waiting for the first frames" : "No frame was measured";
  const next = isOpen
    ? "Open the link on the device and play. They appear here within seconds."
    : "Make another link, open it on a device and play.";
  const [title, text] = reason === undefined ? [waiting, next] : unmeasuredTexts[reason];
  return (
    <div class="empty section">
      <h2>{title}</h2>
      <p>{text}</p>
    </div>
  );
}

const unmeasuredTexts = {
  no_request: ["The game asks for no frames here", "It may draw by a timer, or refuse to run in a frame."],
  worker: ["A worker draws this game", "Its frames cannot be measured from the page."],
} as const;

interface ActionsProps {
  readonly slug: string;
  readonly measured: MeasuredProfile;
  readonly onEnded: () => void;
}

function Actions({ slug, measured: { profile, records }, onEnded }: ActionsProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const params = { slug, id: profile.id };
  const end = () =>
    submission.run(async () => {
      await api.call("DELETE /projects/:slug/telemetry-grants/:id", { params });
      onEnded();
    });
  return (
    <div class="row-side">
      <Problem of={submission} />
      {profile.grant_ends_at !== null && (
        <Button kind="quiet" busy={submission.busy} doing="Ending…" onClick={end}>
          End the link
        </Button>
      )}
      <Button onClick={() => saveJson(chromeTraceOf(records), `${slug}-${profile.id}.trace.json`)}>
        Download trace
      </Button>
    </div>
  );
}

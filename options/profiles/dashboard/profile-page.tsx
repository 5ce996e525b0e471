import { useMemo } from "preact/hooks";
import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { Button } from "../../../dashboard/src/parts/button.tsx";
import { useSubmission } from "../../../dashboard/src/parts/form.ts";
import { ListSkeleton } from "../../../dashboard/src/parts/list.tsx";
import { Notice, Problem } from "../../../dashboard/src/parts/notice.tsx";
import { saveJson } from "../../../dashboard/src/parts/save.ts";
import { When } from "../../../dashboard/src/parts/time.tsx";
import { tabUrl } from "../../../dashboard/src/project-place.ts";
import type { Project } from "../../../dashboard/src/resources.ts";
import { isPublisher } from "../../../dashboard/src/views/members/roles.ts";
import { useReleaseTitles } from "../../../dashboard/src/views/releases/release-titles.ts";
import { chromeTraceOf } from "../contract/chrome-trace.ts";
import { type Analysis, analysisOf } from "./analysis.ts";
import { Figures } from "./figures.tsx";
import { Errors, LongFrames, SlowInputs } from "./frames-and-errors.tsx";
import { OtherProfiles } from "./other-profiles.tsx";
import { FrameHistogram, FramePlot, MemoryPlot, type NamedAnalysis } from "./plots.tsx";
import { shortDevice } from "./short-device.ts";
import { type MeasuredProfile, useProfile } from "./use-profile.ts";
import { Verdict } from "./verdict.tsx";
import { Waterfall } from "./waterfall.tsx";

interface ProfilePageProps {
  readonly project: Project;
  readonly id: string;
  /** The id of the profile beside which it is shown. */
  readonly other: string | undefined;
}

/** Measurements of a release on a device, also while they are still being made. */
export function ProfilePage({ project, id, other: otherId }: ProfilePageProps) {
  const { slug } = project;
  const { measured, problem, reload } = useProfile(slug, id);
  const { measured: other, problem: otherProblem } = useProfile(slug, otherId);
  const titleOf = useReleaseTitles(slug);
  const analysis = useMemo(() => measured && analysisOf(measured.records), [measured]);
  const otherAnalysis = useMemo(() => other && analysisOf(other.records), [other]);
  const nameOf = ({ profile }: MeasuredProfile) =>
    `${titleOf(profile.release)} on ${profile.device ? shortDevice(profile.device) : "no device yet"}`;
  const beside = other && otherAnalysis && { analysis: otherAnalysis, name: nameOf(other) };
  return (
    <div class="grid">
      <p>
        <a href={tabUrl(slug, "performance")}>All profiles</a>
      </p>
      {[problem, otherProblem].map(
        (each) =>
          each && (
            <Notice key={each} kind="problem">
              {each}
            </Notice>
          ),
      )}
      {measured && (
        <div class="titled">
          <div class="row-main">
            <h2>{titleOf(measured.profile.release)}</h2>
            <State measured={measured} />
          </div>
          <Actions project={project} measured={measured} onEnded={reload} />
        </div>
      )}
      {measured === undefined && problem === undefined && <ListSkeleton />}
      {analysis?.summary === undefined && measured && (
        <NothingMeasured reason={analysis?.unmeasured} isOpen={measured.profile.grant_ends_at !== null} />
      )}
      {measured && analysis && measured.records.length > 0 && (
        <>
          <Verdict
            analysis={analysis}
            device={measured.profile.device ? shortDevice(measured.profile.device) : undefined}
          />
          <Details of={{ analysis, name: nameOf(measured) }} other={beside} />
          <OtherProfiles slug={slug} id={id} other={otherId} titleOf={titleOf} />
        </>
      )}
    </div>
  );
}

function Details({ of, other }: { of: NamedAnalysis; other: NamedAnalysis | undefined }) {
  const { analysis } = of;
  return (
    <>
      {analysis.summary && <FramePlot of={of} other={other} />}
      <Figures {...of} {...(other && { other })} />
      <LongFrames analysis={analysis} />
      <SlowInputs analysis={analysis} />
      <Errors errors={analysis.errors} />
      <Waterfall load={analysis.load} />
      <div class="grid even">
        {analysis.summary && <FrameHistogram analysis={analysis} />}
        <MemoryPlot analysis={analysis} />
      </div>
    </>
  );
}

function State({ measured: { profile } }: { measured: MeasuredProfile }) {
  return (
    <p class="meta">
      {profile.grant_ends_at !== null && <span class="badge on">Link works</span>}
      {profile.device && <bdi>{profile.device}</bdi>}
      <When it="made" at={profile.created_at} />
      <When it="deleted" at={profile.expires_at} />
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
    <div class="empty">
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
  readonly project: Project;
  readonly measured: MeasuredProfile;
  readonly onEnded: () => void;
}

function Actions({ project, measured: { profile, records }, onEnded }: ActionsProps) {
  const { api } = useDashboard();
  const submission = useSubmission();
  const { slug } = project;
  const params = { slug, id: profile.id };
  const end = () =>
    submission.run(async () => {
      await api.call("DELETE /projects/:slug/telemetry-grants/:id", { params, empty: true });
      onEnded();
    });
  return (
    <div class="row-side">
      <Problem of={submission} />
      {profile.grant_ends_at !== null && isPublisher(project) && (
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

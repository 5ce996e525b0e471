import { useEffect, useState } from "preact/hooks";
import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { messageOf } from "../../../dashboard/src/messages.ts";
import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import type { Profile } from "./resources.ts";

/** A profile with what was recorded. */
export interface MeasuredProfile {
  readonly profile: Profile;
  readonly records: readonly TelemetryRecord[];
}

/** The page that measures sends every three seconds; a large profile is read less often. */
const pauseOf = ({ bytes }: Profile) => 3_000 + bytes / 100;
const pauseAfterProblem = 10_000;

/** Reads a profile, and again while its link works: also after a problem, once it was there. Undefined: none. */
export function useProfile(slug: string, id: string | undefined) {
  const { api } = useDashboard();
  const [measured, setMeasured] = useState<MeasuredProfile>();
  const [problem, setProblem] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: Profile | undefined;
    const stopped = new AbortController();
    const read = async (profileId: string) => {
      let pause = pauseAfterProblem;
      try {
        if (document.hidden && last) return again(profileId, pauseOf(last));
        const response = await api.call("GET /projects/:slug/profiles/:id", { params: { slug, id: profileId } });
        if (stopped.signal.aborted) return;
        setProblem(undefined);
        const isChanged =
          response.profile.bytes !== last?.bytes || response.profile.grant_ends_at !== last.grant_ends_at;
        last = response.profile;
        if (isChanged) setMeasured({ profile: last, records: response.records as unknown as TelemetryRecord[] });
        pause = pauseOf(last);
      } catch (error) {
        if (stopped.signal.aborted) return;
        setProblem(messageOf(error));
      }
      if (last && last.grant_ends_at !== null) again(profileId, pause);
    };
    const again = (profileId: string, pause: number) => {
      timer = setTimeout(() => void read(profileId), pause);
    };
    setProblem(undefined);
    if (id !== undefined) void read(id);
    return () => {
      stopped.abort();
      clearTimeout(timer);
    };
  }, [api, slug, id, attempt]);
  // Until the next one is there, none is shown in its place.
  const isThis = measured?.profile.id === id;
  return { measured: isThis ? measured : undefined, problem, reload: () => setAttempt(attempt + 1) };
}

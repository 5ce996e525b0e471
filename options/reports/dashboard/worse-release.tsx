import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { useLoaded } from "../../../dashboard/src/parts/loaded.ts";
import { Notice } from "../../../dashboard/src/parts/notice.tsx";
import { releaseTitle } from "../contract/rates.ts";
import { readCrashes } from "./resources.ts";

/** Says on the overview that the live release crashes clearly more often than the one before it. */
export function WorseRelease({ slug }: { slug: string }) {
  const { api } = useDashboard();
  const { value: read } = useLoaded(() => readCrashes(api, slug), [api, slug]);
  if (!read?.worse) return null;
  const { of, before } = read.worse;
  return (
    <Notice kind="problem">
      <p>
        {releaseTitle(of)} crashes clearly more often than {releaseTitle(before)}.{" "}
        <a href={`/projects/${slug}/statistics`}>See how often</a>
      </p>
    </Notice>
  );
}

import type * as z from "zod/mini";
import type { getCrashes } from "../contract/reports.ts";
import type { ProjectCrashes, ReleaseCrashes } from "./release-crashes.ts";

type CrashesView = z.infer<(typeof getCrashes)["responses"][200]>;

export function crashesView({ from, to, releases, worse }: ProjectCrashes): CrashesView {
  return {
    from,
    to,
    releases: releases.map(({ release, crashes, plays, previews, reasons, devices, engines }) => ({
      release: nameView(release),
      ...{ crashes, plays, previews, reasons: { ...reasons }, devices: { ...devices }, engines: { ...engines } },
    })),
    worse: worse ? { of: nameView(worse.release), before: nameView(worse.before) } : null,
  };
}

function nameView({ id, number }: ReleaseCrashes["release"]) {
  return { id, number: number ?? null };
}

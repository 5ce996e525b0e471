import { randomUUID } from "node:crypto";
import { releaseName } from "../../../../edge/project/pointer.ts";
import { Manifest } from "../../../../functions/files/manifests.ts";
import type { Actor } from "../../../../test/support/service/actors.ts";
import { type Folder, manifestOf, publish } from "../../../../test/support/service/steps.ts";

/** A developer with a project. */
type Owner = Actor & { readonly slug: string };

/** The name of a folder's release at the edge. */
export function nameOf(folder: Folder): string {
  return releaseName(Manifest.of(manifestOf(folder)).digest);
}

/** Publishes a new folder. @returns its name at the edge */
export async function publishNamed(owner: Owner): Promise<string> {
  const folder = { "index.html": randomUUID() };
  await publish(owner, owner.slug, folder);
  return nameOf(folder);
}

export const chromiumAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";

/** A crash as Chromium reports it. */
export const crashReport = {
  age: 12,
  body: { is_top_level: true, reason: "oom", visibility_state: "visible" },
  type: "crash",
  url: "https://star-hopper.games.example/?from=ada",
  user_agent: chromiumAgent,
};

export const reportsOperations = {
  sendReports: async (owner: Owner) => ({
    method: "POST",
    path: `/.well-known/svc/reports/${owner.slug}/${await publishNamed(owner)}`,
    headers: { "content-type": "application/reports+json" },
    body: [crashReport],
  }),
  getCrashes: async ({ slug }: Owner) => ({ method: "GET", path: `/projects/${slug}/crashes` }),
};

export const reportsRoutes = {
  needPublish: ["getCrashes"],
  ofPeople: ["getCrashes"],
  ofAnybody: ["sendReports"],
  internal: ["sendReports"],
} as const;

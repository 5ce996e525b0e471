import type { Actor } from "../../../../test/support/service/actors.ts";

/** A new telemetry grant for the live release, as the page that measures knows it. */
export async function grantOf(owner: Actor, slug: string, release?: string) {
  const { status, body } = await owner.post(`/projects/${slug}/telemetry-grants`, { release });
  if (status !== 201) throw new Error(`Creating a telemetry grant responded with ${status}: ${JSON.stringify(body)}`);
  const { origin, hash } = new URL(body.url);
  const [grant = ""] = hash.slice(1).split(".");
  return { id: String(body.profile.id), grant, origin };
}

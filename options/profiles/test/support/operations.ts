import { randomUUID } from "node:crypto";
import type { Actor } from "../../../../test/support/service/actors.ts";
import { liveRelease, publish } from "../../../../test/support/service/steps.ts";
import { grantOf } from "./grant.ts";

/** A developer with a project. */
type Owner = Actor & { readonly slug: string };

export const profileOperations = {
  createTelemetryGrant: async (owner: Owner) => {
    await readyToProfile(owner);
    return { method: "POST", path: `/projects/${owner.slug}/telemetry-grants`, body: {} };
  },
  endTelemetryGrant: async (owner: Owner) => ({
    method: "DELETE",
    path: `/projects/${owner.slug}/telemetry-grants/${(await newGrant(owner)).id}`,
  }),
  sendTelemetry: async (owner: Owner) => {
    const { grant, origin } = await newGrant(owner);
    const body = { page: randomUUID(), first: 0, records: [{ type: "start", at: 0 }] };
    // In place of the caller's credential: the route takes none of an account.
    return { method: "POST", path: "/telemetry", body, headers: { authorization: `Bearer ${grant}`, origin } };
  },
  listProfiles: async ({ slug }: Owner) => ({ method: "GET", path: `/projects/${slug}/profiles` }),
  getProfile: async (owner: Owner) => ({
    method: "GET",
    path: `/projects/${owner.slug}/profiles/${(await newGrant(owner)).id}`,
  }),
};

export const profileLists = {
  needPublish: ["createTelemetryGrant", "endTelemetryGrant", "getProfile", "listProfiles"],
  ofOwners: ["createTelemetryGrant"],
  ofPublishers: ["endTelemetryGrant"],
  ofPeople: ["getProfile", "listProfiles"],
  ofGrants: ["sendTelemetry"],
  internal: ["sendTelemetry"],
} as const;

/** Lets something be played, and ends the grants that the account has: it has ten at most. */
async function readyToProfile(owner: Owner): Promise<void> {
  if ((await liveRelease(owner, owner.slug)) === undefined)
    await publish(owner, owner.slug, { "index.html": randomUUID() });
  for (const { id, grant_ends_at } of (await owner.get(`/projects/${owner.slug}/profiles`)).body.profiles)
    if (grant_ends_at !== null) await owner.delete(`/projects/${owner.slug}/telemetry-grants/${id}`);
}

async function newGrant(owner: Owner) {
  await readyToProfile(owner);
  return await grantOf(owner, owner.slug);
}

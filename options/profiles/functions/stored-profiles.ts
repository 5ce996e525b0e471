import type { StoredItems } from "../../../functions/domain/projects/stored-items.ts";
import { readWhole } from "../../../functions/table/read.ts";
import { profileRanges } from "./keys.ts";
import { profileView } from "./profile-views.ts";
import { countProfiles, eraseProfiles, profilesAmount } from "./swept-profiles.ts";

/** The profiles of projects, which the sweep counts and deletes, and the export of an account shows. */
export const storedProfiles: StoredItems = {
  amountOf: async (slug, now) => profilesAmount(await countProfiles(slug, now)),
  erase: eraseProfiles,
  exported: async (slug, now) => {
    const all = await readWhole(profileRanges.profiles(slug));
    return all.map((profile) => ({ kind: "profile", project: slug, profile: profileView(profile, now) }));
  },
};

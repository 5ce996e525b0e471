import type { RulesOption } from "../../../functions/option.ts";
import { readWhole } from "../../../functions/table/read.ts";
import { profileRanges } from "./keys.ts";
import { profileView } from "./profile-views.ts";
import { countProfiles, eraseProfiles, profilesAmount } from "./swept-profiles.ts";

export const profiles: RulesOption = {
  name: "profiles",
  stored: {
    amountOf: async (slug, now) => profilesAmount(await countProfiles(slug, now)),
    erase: eraseProfiles,
    exported: async (slug, now) => {
      const all = await readWhole(profileRanges.profiles(slug));
      return all.map((profile) => ({ kind: "profile", project: slug, profile: profileView(profile, now) }));
    },
  },
};

import { addCommandPart } from "../cli/src/command-parts.ts";
import { addProjectPlaces, COMMANDS as coreCommands } from "../cli/src/index.ts";
import { Profile } from "../options/profiles/cli/profile.ts";
import { compareCrashes, showCrashes } from "../options/reports/cli/crashes.ts";
import { SavesPage } from "../options/saves/cli/page.ts";
import { comparePlays } from "../options/statistics/cli/rollback.ts";
import { Stats } from "../options/statistics/cli/stats.ts";

export { main, SvcHelp } from "../cli/src/index.ts";

addProjectPlaces({ statistics: "how it is played", profiles: "its performance on devices" });

addCommandPart("stats", showCrashes);
addCommandPart("rollback", comparePlays);
addCommandPart("rollback", compareCrashes);

/** Every command of svc, those of options too, by its oclif id. cli/package.json names this object in `oclif.commands`. */
export const COMMANDS = {
  ...coreCommands,
  profile: Profile,
  "saves:page": SavesPage,
  stats: Stats,
};

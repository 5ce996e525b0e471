import { sweepWith } from "../../../functions/jobs/sweep.ts";
import { storedProfiles } from "../functions/stored-profiles.ts";

export const handler = sweepWith([storedProfiles]);

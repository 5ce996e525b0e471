import { exportMeWith } from "../../../functions/handlers/export-me.ts";
import { storedProfiles } from "../functions/stored-profiles.ts";

export const handler = exportMeWith([storedProfiles]);

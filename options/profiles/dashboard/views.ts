import type { OptionViews } from "../../../dashboard/src/option.ts";
import { ProfilePage } from "./profile-page.tsx";
import { ProfilesTab } from "./profiles-tab.tsx";

export const profiles: OptionViews = { name: "profiles", Tab: ProfilesTab, Inside: ProfilePage };

import type { LocalOption } from "../../local/option.ts";
import { profilePagePath } from "./contract/profile-page.ts";

export const profiles: LocalOption = { name: "profiles", pages: [profilePagePath] };

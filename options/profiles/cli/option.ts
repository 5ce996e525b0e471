import type { CliOption } from "../../../cli/src/option.ts";
import { Profile } from "./profile.ts";

export const profiles: CliOption = { name: "profiles", commands: { profile: Profile } };

import type { ResponseBody } from "../../../contract/client.ts";

/** A profile of a release, without its records. */
export type Profile = ResponseBody<"listProfiles">["profiles"][number];

import type { Route } from "./route.ts";

/**
 * How far each part of the service is, as the specification labels it: `staging` runs on a staging environment, `source-preview` is in a
 * preview of the API's and the command line's source.
 */
export const availability = {
  accounts: "staging",
  tokens: "source-preview",
  publishing: "source-preview",
  command_line: "source-preview",
} as const;

type Availability = (typeof availability)[keyof typeof availability];

/** The same for the routes of a tag. Those of the service itself have no label. */
export const availabilityOfTag: { readonly [Tag in Route["tag"]]?: Availability } = {
  Accounts: availability.accounts,
  Tokens: availability.tokens,
  Approvals: availability.command_line,
  Projects: availability.publishing,
  Members: availability.publishing,
  Publishers: availability.publishing,
  Releases: availability.publishing,
  Profiles: availability.publishing,
  Webhooks: availability.publishing,
};

import type { ResponseBody } from "../../contract/client.ts";

/* Response types of the API, by the names that the page uses. */

export type Project = ResponseBody<"getProject">;

/** Role of a person in a project. */
export type ProjectRole = NonNullable<Project["role"]>;

export type Member = ResponseBody<"listMembers">["members"][number];

/** An invitation that can be accepted, as those see it who can withdraw it. */
export type Invitation = ResponseBody<"listMembers">["invitations"][number];

/** Profile of a user, as everybody sees it. */
export type PublicProfile = ResponseBody<"findUser">;

export type Release = ResponseBody<"listReleases">["releases"][number];

export type Preview = ResponseBody<"listPreviews">["previews"][number];

/** A release of a list, with the previews that show it. */
export type ListedRelease = Release & { readonly previews: readonly Preview[] };

/** Differences that there would be from the live release. */
export type ReleaseChanges = Omit<
  ResponseBody<"compareRelease">,
  "choices" | "compared_with" | "copies" | "decided" | "pictures"
>;

/** The same, and the copies that players may get in the place of files. */
export type ReviewedChanges = ReleaseChanges & Pick<ResponseBody<"compareRelease">, "copies">;

/** Whether the hosts where games are played have a change. */
export type Edge = ResponseBody<"publishRelease">["edge"];

export type Publisher = ResponseBody<"listPublishers">["publishers"][number];

export type PendingPublisher = ResponseBody<"listPendingPublishers">["publishers"][number];

export type RevokedTokens = ResponseBody<"revokeTokens">;

/** A publisher with its project, which does not exist yet if the publisher is pending. */
export type TrustedPublisher = RevokedTokens["publishers"][number];

export type Token = ResponseBody<"listTokens">["tokens"][number];

/** A token of one of the people of a project, as its owner sees it. */
export type ProjectToken = ResponseBody<"updateProjectToken">;

export type Scope = Token["scopes"][number];

/** A token with its raw value; for a replacement, also when the old token expires. */
export type CreatedToken = ResponseBody<"createToken"> & Partial<Pick<ResponseBody<"rotateToken">, "replaces">>;

/** The settings of a token that is about to be created. */
export interface TokenSettings {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null: all projects of the account. */
  readonly projects: readonly string[] | null;
  readonly days: string;
}

import * as z from "zod/mini";
import { eventFields, publicProfile } from "../accounts/accounts.ts";
import { limits } from "../limits.ts";
import { about, defineRoute, nextCursor, pageQuery, pathParameter, time } from "../route.ts";
import { byAdminsInPerson, byPeople, changedProject, project, projectRole, slugParams } from "./projects.ts";
import { publisher } from "./publishers.ts";

/** The roles of a project that several people can have. */
export const memberRole = z.enum(["admin", "publisher", "viewer"]);

const person = about("Who; null if the account is deleted.", z.nullable(publicProfile));

const member = z.strictObject({
  id: about("Names the member in this project; null for its owner.", z.nullable(z.string()), "00VbbMCZ9xVv0PpQj3rD2s"),
  user: person,
  role: about("What the person may do.", projectRole, "publisher"),
  since: about("Since when.", time),
});

const invitationFields = {
  id: about("Part of the link; who knows it can look at the invitation.", z.string(), "2rJ6mTq0bXw9KfLh3vYcZa"),
  role: about("What the person is after accepting it.", projectRole, "publisher"),
  expires_at: about("When it expires.", time),
};

const invitation = z.strictObject({
  ...invitationFields,
  to: about("The uid of the only user who can accept it; null for a link.", z.nullable(z.string()), "b81d44f0"),
  from: person,
});

/** Invitation as shown on the page on which a person accepts it. */
const receivedInvitation = z.strictObject({
  ...invitationFields,
  project: about("What everybody may see of it.", project),
  from: person,
});

const memberParams = z.extend(slugParams, {
  member: about("The member's id, or `me`.", pathParameter, "00VbbMCZ9xVv0PpQj3rD2s"),
});

const invitationParams = z.extend(slugParams, {
  invitation: about("The invitation's id.", pathParameter, "2rJ6mTq0bXw9KfLh3vYcZa"),
});

export const listMembers = defineRoute({
  method: "GET",
  path: "/projects/:slug/members",
  summary: `The people of a project, its owner first, and for owner and admins the open invitations: at most ${limits.membersPerProject} together`,
  tag: "Members",
  ...byPeople,
  scope: "publish",
  params: slugParams,
  responses: {
    200: z.strictObject({
      members: about("All of them, in the order in which they joined.", z.array(member)),
      invitations: about("Those that can be accepted; for owner and admins alone.", z.array(invitation)),
    }),
  },
});

export const updateMember = defineRoute({
  method: "PATCH",
  otherMethods: ["DELETE"],
  path: "/projects/:slug/members/:member",
  summary: "Change the role of a member; the next request of the person has the new one",
  tag: "Members",
  ...byAdminsInPerson,
  personMakesLive: "session",
  params: memberParams,
  body: z.strictObject({ role: about("What the member may do from now on.", memberRole, "admin") }),
  responses: { 200: member },
  errors: ["member_not_found"],
});

export const removeMember = defineRoute({
  method: "DELETE",
  path: "/projects/:slug/members/:member",
  summary:
    "Remove a member of a project, or leave it oneself with `me`: the next request of the person, by any credential, is refused",
  tag: "Members",
  credential: "idToken",
  project: "viewer",
  suspended: "allowed",
  personMakesLive: "free",
  params: memberParams,
  query: z.strictObject({
    publishers: about(
      "What becomes of the trusted publishers that the member added. Owner and admins alone may remove them.",
      z._default(z.enum(["keep", "remove"]), "keep"),
    ),
  }),
  responses: {
    200: z.strictObject({
      publishers: about(
        "The trusted publishers that the member added: each still publishes, unless the request removes it.",
        z.array(publisher),
      ),
    }),
  },
  errors: ["project_role_required", "member_not_found", "owner_stays"],
});

export const createInvitation = defineRoute({
  method: "POST",
  path: "/projects/:slug/invitations",
  summary: `Invite somebody to a project, for ${limits.invitationDays} days: a user by the uid, or whoever opens a link first. The role \`owner\` hands the project over`,
  details:
    "The link is the dashboard's `/invitations/<slug>/<id>#<secret>`. An invitation with the role `owner` names a user, only the owner makes it, and it replaces an earlier one; one to a user replaces an earlier one to the same user, and one that is the same stays. A member whose role changes keeps no invitation that needs the old one.",
  tag: "Members",
  ...byAdminsInPerson,
  personMakesLive: "session",
  params: slugParams,
  body: z.strictObject({
    role: about("What the person is after accepting it.", projectRole, "publisher"),
    to: about(
      "The uid of the only user who can accept it; without it there is a link.",
      z.optional(pathParameter),
      "b81d44f0",
    ),
  }),
  responses: {
    200: z.extend(invitation, {
      secret: about(
        "The part of the link that nobody sees again, for `acceptInvitation`; null for a user who is named.",
        z.nullable(z.string()),
        null,
      ),
    }),
  },
  errors: ["user_not_found", "member_limit_reached"],
});

export const listInvitations = defineRoute({
  method: "GET",
  path: "/invitations",
  summary: "The invitations to the caller by the uid, by the slugs of their projects",
  tag: "Members",
  credential: "idToken",
  query: pageQuery,
  responses: {
    200: z.strictObject({
      invitations: about("A page of them.", z.array(receivedInvitation)),
      next_cursor: nextCursor,
    }),
  },
  errors: ["invalid_cursor"],
});

export const getInvitation = defineRoute({
  method: "GET",
  otherMethods: ["DELETE"],
  path: "/projects/:slug/invitations/:invitation",
  summary: "An invitation that the caller can accept: who invites, to what, as what",
  tag: "Members",
  credential: "idToken",
  project: "invited",
  params: invitationParams,
  responses: { 200: receivedInvitation },
});

export const lookUpInvitation = defineRoute({
  method: "POST",
  path: "/projects/:slug/invitations/:invitation/lookup",
  summary: "An invitation as who has its link sees it before they sign in",
  tag: "Members",
  credential: "none",
  params: invitationParams,
  body: z.strictObject({
    secret: about("The last part of the link.", pathParameter, "q0VtL6mS2bXw9KfLh3vYcZaR8dTjN1pGuE5oI7kAxCw"),
  }),
  responses: { 200: receivedInvitation },
  errors: ["invitation_not_found"],
});

export const acceptInvitation = defineRoute({
  method: "POST",
  path: "/projects/:slug/invitations/:invitation/acceptance",
  summary:
    "Join a project; with the role `owner` take it over: tokens, CI jobs, previews and invitations of the previous owner can do nothing in it any more, and members stay",
  details: "With each role but `viewer` the account must be a developer's.",
  tag: "Members",
  credential: "idToken",
  project: "invited",
  storage: true,
  personMakesLive: "session",
  params: invitationParams,
  body: z.strictObject({
    secret: about("The last part of the link; not for a user who is named.", z.optional(pathParameter)),
  }),
  bodyOptional: true,
  responses: { 200: changedProject },
  errors: ["already_member", "developer_required", "project_limit_reached", "quota_exceeded"],
});

export const deleteInvitation = defineRoute({
  method: "DELETE",
  path: "/projects/:slug/invitations/:invitation",
  summary: "End an invitation, as owner or admin, or refuse it, as the user whom it names",
  tag: "Members",
  credential: "idToken",
  project: "invited",
  personMakesLive: "free",
  params: invitationParams,
  responses: { 204: null },
  errors: ["project_role_required"],
});

const projectEvent = z.strictObject({
  ...eventFields,
  by: about("Who did it; null for a CI job, the operator, or an account that is deleted.", z.nullable(publicProfile)),
  member: about("The person that it happened to.", z.optional(z.nullable(publicProfile))),
  role: about("The role that the person has from then on, or is invited to.", z.optional(projectRole)),
});

export const listProjectEvents = defineRoute({
  method: "GET",
  path: "/projects/:slug/events",
  summary: "Who did what in a project, newest first: releases, settings, members and publishers",
  details: "A viewer does not see what tokens are called.",
  tag: "Members",
  ...byPeople,
  scope: "projects",
  params: slugParams,
  query: pageQuery,
  responses: {
    200: z.strictObject({
      events: about("Newest first.", z.array(projectEvent)),
      next_cursor: nextCursor,
    }),
  },
  errors: ["invalid_cursor"],
});

import * as z from "zod/mini";
import { eventFields, publicProfile } from "../accounts/accounts.ts";
import { limits } from "../limits.ts";
import { about, defineRoute, listOf, nextCursor, pageQuery, pathParameter, time, unique } from "../route.ts";
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
  by_team: about(
    "Whether the person came with the project's creation, as one of the owner's team.",
    z.boolean(),
    false,
  ),
});

const invitationFields = {
  id: about("Part of the link; who knows it can look at the invitation.", z.string(), "2rJ6mTq0bXw9KfLh3vYcZa"),
  role: about("What the person is after accepting it.", projectRole, "publisher"),
  expires_at: about("When it expires.", time),
  more_projects: about(
    "The slugs of the other projects that it is to; only for who made it and who can accept it, by a link with the whole link.",
    z.array(z.string()),
    ["dunes"],
  ),
  future: about("Whether it is also to each project that who invites creates from then on.", z.boolean(), false),
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

/** What came of an invitation in one of its projects. */
const joinedProject = z.strictObject({
  slug: about("Its slug.", z.string(), "dunes"),
  result: about(
    "joined; already_member: with the role that the person had; member_limit_reached: it has no room; unavailable: deleted, suspended, or no longer owned by who invites.",
    z.enum(["joined", "already_member", "member_limit_reached", "unavailable"]),
    "joined",
  ),
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
    "The link is the dashboard's `/invitations/<slug>/<id>#<secret>`. With `projects` or `future` the caller must own each project; who accepts joins those that the caller still owns then. An invitation with the role `owner` names a user, only the owner makes it, and it replaces an earlier one; one to a user replaces an earlier one to the same user, and one that is the same stays. A member whose role changes keeps no invitation that needs the old one.",
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
    projects: about(
      "The slugs of other projects of the caller that it is to as well.",
      z.optional(listOf(pathParameter, limits.projectsPerAccount, "project").check(...unique("a project"))),
      ["dunes"],
    ),
    future: about(
      "Whether it is also to each project that the caller creates from then on: the person becomes one of the caller's team.",
      z._default(z.boolean(), false),
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
  errors: [
    "user_not_found",
    "member_limit_reached",
    "project_not_found",
    "project_role_required",
    "project_deleted",
    "project_suspended",
  ],
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
  details:
    "With each role but `viewer` the account must be a developer's. One to several projects is accepted project by project; a call that stopped halfway is sent again, and continues.",
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
  responses: {
    200: z.extend(changedProject, {
      more_projects: about("What came of the other projects that it is to.", z.array(joinedProject)),
      future: about("Whether the person is one of the team of who invites now.", z.boolean(), false),
    }),
  },
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

const teamPerson = z.strictObject({
  user: person,
  future: about(
    "The role that the person gets in each project that the caller creates; null: none.",
    z.nullable(memberRole),
  ),
  projects: about(
    "Those of the caller in which the person has a role.",
    z.array(
      z.strictObject({
        slug: about("Its slug.", z.string(), "star-hopper"),
        role: about("What the person may do.", memberRole, "publisher"),
      }),
    ),
  ),
});

export const listTeam = defineRoute({
  method: "GET",
  otherMethods: ["DELETE"],
  path: "/team",
  summary:
    "Who has a role in the caller's own projects, or gets one in those to come; the open invitations to several; and whose team the caller is in",
  details: "A token that is narrowed to projects sees those alone.",
  tag: "Members",
  credential: "any",
  scope: "publish",
  responses: {
    200: z.strictObject({
      people: about("In the order of their names.", z.array(teamPerson)),
      invitations: about(
        "Those to several projects, or to projects to come, that can be accepted.",
        z.array(
          z.strictObject({
            project: about("The project that its link names.", z.string(), "star-hopper"),
            invitation: about("What it is.", invitation),
          }),
        ),
      ),
      teams: about(
        "Teams that the caller is in: each project that their owner creates has the caller as a member.",
        z.array(
          z.strictObject({
            owner: person,
            role: about("What the caller is in these projects.", memberRole, "publisher"),
            since: about("Since when.", time),
          }),
        ),
      ),
    }),
  },
  errors: ["project_not_in_token"],
});

export const leaveTeam = defineRoute({
  method: "DELETE",
  path: "/team",
  summary:
    "Remove somebody from all own projects, also deleted ones, and from those to come, with their invitations; or leave the team of somebody",
  details: "A call that stopped halfway is sent again, and continues. A link that nobody has used yet stays open.",
  tag: "Members",
  credential: "idToken",
  suspended: "allowed",
  query: z.strictObject({
    uid: about("Whom to remove.", z.optional(pathParameter), "b81d44f0"),
    owner: about(
      "In place of `uid`: whose team the caller leaves. Projects that exist stay.",
      z.optional(pathParameter),
      "ada",
    ),
    projects: about(
      "keep: the person loses no project, and gets no new one.",
      z._default(z.enum(["keep", "remove"]), "remove"),
    ),
    publishers: about(
      "What becomes of the trusted publishers that the person added.",
      z._default(z.enum(["keep", "remove"]), "keep"),
    ),
  }),
  responses: {
    200: z.strictObject({
      projects: about("The slugs of the projects in which this request ended a role.", z.array(z.string()), ["dunes"]),
      publishers: about(
        "The trusted publishers that the person added there: each still publishes, unless the request removes it.",
        z.array(
          z.strictObject({
            project: about("The slug of its project.", z.string(), "dunes"),
            publisher: about("Which jobs are trusted.", publisher),
          }),
        ),
      ),
    }),
  },
  errors: ["invalid_parameters"],
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

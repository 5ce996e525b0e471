import { expect, test } from "@jest/globals";
import { optionRoutesThat } from "../../test/support/option-lists.ts";
import { type RouteName, routes } from "../../test/support/routes.ts";
import type { Route } from "./route.ts";

/*
 * Lists of the routes that each kind of caller may use, written by hand: a change of one word in the contract changes a list here. A route
 * that is on no list needs an ID token, of any age, of an account that is not suspended.
 */

const namesOf = (isListed: (route: Route) => unknown) =>
  (Object.keys(routes) as RouteName[]).filter((name) => isListed(routes[name])).toSorted();

const withoutScope = [
  "compareRelease",
  "getMe",
  "getRelease",
  "listPreviews",
  "listProjects",
  "listReleases",
  "revokeCurrentToken",
];

const withToken = {
  "need the scope preview": [
    ...["continueUpload", "createRelease", "createUploads", "deletePreview", "endPreview", "openPreview"],
    ...["unpackFiles"],
  ],
  "need the scope publish": [
    ...["listFiles", "listMembers", "listTeam"],
    ...["cancelSchedule", "publishRelease", "scheduleRelease", "unpublishProject", "updatePreview", "updateRelease"],
    ...optionRoutesThat("needPublish"),
  ].toSorted(),
  "need the scope projects": [
    "createProject",
    "listPendingPublishers",
    "listProjectEvents",
    "listPublishers",
    "updateProject",
  ],
  "need no scope": withoutScope.toSorted(),
};

test("a personal access token is accepted by these routes alone: nothing that they create outlives it", () => {
  const listed = (scope: string | undefined) =>
    namesOf((route) => ["any", "token"].includes(route.credential) && route.scope === scope);
  expect({
    "need the scope preview": listed("preview"),
    "need the scope publish": listed("publish"),
    "need the scope projects": listed("projects"),
    "need no scope": listed(undefined),
  }).toEqual(withToken);
});

test.each<[string, (route: Route) => unknown, string[]]>([
  [
    "accept the token of a CI job",
    ({ ciJobs }) => ciJobs === "allowed",
    [
      ...["compareRelease", "continueUpload", "createRelease", "createUploads", "deletePreview", "endPreview"],
      ...["getRelease", "listPreviews", "listReleases", "openPreview", "publishRelease", "revokeCurrentToken"],
      ...["unpackFiles"],
    ],
  ],
  [
    "need a recent sign-in",
    ({ recentSignIn }) => recentSignIn,
    [
      ...[
        "answerDeviceRequest",
        "approveAuthorization",
        "createInvitation",
        "createPendingPublisher",
        "createPublisher",
        "createToken",
      ],
      ...["deleteMe", "deleteProject", "rotateToken", "updateMember", "updateProjectToken", "withdrawRelease"],
      ...optionRoutesThat("ofRecentSignIns"),
    ].toSorted(),
  ],
  [
    "need a person who has just signed in where a person makes live",
    ({ personMakesLive }) => personMakesLive === "session",
    [
      ...["acceptInvitation", "cancelSchedule", "createInvitation", "deleteProject", "restoreProject"],
      ...[
        "scheduleRelease",
        "unpublishProject",
        "updateMember",
        "updateProject",
        "updateProjectToken",
        "updateRelease",
        "withdrawRelease",
      ],
    ],
  ],
  [
    "leave a release waiting there, if a token calls them",
    ({ personMakesLive }) => personMakesLive === "waits",
    ["publishRelease"],
  ],
  ["need a recent sign-in at every stage", ({ recentSignIn }) => recentSignIn === "always", ["deleteMe"]],
  [
    "are open to a suspended account",
    ({ suspended }) => suspended === "allowed",
    [
      ...[
        "deletePendingPublisher",
        "deletePublisher",
        "exportMe",
        "getMe",
        "leaveTeam",
        "listTokens",
        "removeMember",
        "revokeCurrentToken",
      ],
      ...["revokeToken", "revokeTokens"],
      ...optionRoutesThat("ofSuspended"),
    ].toSorted(),
  ],
  ["are open to a person without an account", ({ account }) => account, ["createSession", "deleteMe"]],
  [
    "need no credential",
    ({ credential }) => credential === "none",
    [
      ...["discloseTokens", "exchangeGrant", "findUser"],
      ...["getAgentGuide", "getAgentSkill", "getAuthorizationServer", "getFile"],
      ...["getHealth", "getOpenApi", "getProject", "getProtectedResource", "getRoot", "getUser"],
      ...["lookUpInvitation", "requestDeviceCode", "revokeTokenByForm"],
      ...optionRoutesThat("ofAnybody"),
    ].toSorted(),
  ],
  [
    "are for accounts that are no developer's too",
    ({ credential, role }) => ["any", "idToken"].includes(credential) && role !== "dev",
    [
      ...["acceptInvitation", "createSession", "deleteInvitation", "deleteMe", "exportMe", "getInvitation", "getMe"],
      ...["leaveTeam", "listEvents", "listInvitations", "listProjects", "listTeam", "listTokens"],
      ...["removeMember", "updateMe"],
      // What a viewer sees.
      ...["compareRelease", "getRelease", "listFiles", "listMembers", "listPreviews", "listProjectEvents"],
      ...["listReleases"],
      ...optionRoutesThat("ofPeople"),
    ].toSorted(),
  ],
  [
    "are for the owner alone",
    ({ project }) => project === "owner",
    [
      ...optionRoutesThat("ofOwners"),
      "deleteProject",
      "listProjectTokens",
      "restoreProject",
      "updateProjectToken",
    ].toSorted(),
  ],
  [
    "are for owner and admins",
    ({ project }) => project === "admin",
    [
      ...["createInvitation", "createPublisher", "deletePublisher", "updateMember", "updateProject", "withdrawRelease"],
      ...optionRoutesThat("ofAdmins"),
    ].toSorted(),
  ],
  [
    "are for all people of a project but viewers",
    ({ project }) => project === "publisher",
    [
      ...["cancelSchedule", "continueUpload", "createRelease", "createUploads"],
      ...["scheduleRelease"],
      ...["deletePreview", "endPreview"],
      ...optionRoutesThat("ofPublishers"),
      ...["listPublishers"],
      ...["openPreview", "publishRelease", "unpackFiles", "unpublishProject", "updatePreview", "updateRelease"],
    ].toSorted(),
  ],
  [
    "are for all people of a project: they read, or leave",
    ({ project }) => project === "viewer",
    [
      ...["compareRelease", "getRelease", "listFiles", "listMembers", "listPreviews", "listProjectEvents"],
      ...["listReleases"],
      ...["removeMember"],
      ...optionRoutesThat("ofPeople"),
    ].toSorted(),
  ],
  [
    "are for who is invited",
    ({ project }) => project === "invited",
    ["acceptInvitation", "deleteInvitation", "getInvitation"],
  ],
  [
    "take a telemetry grant, and nothing else",
    ({ credential }) => credential === "grant",
    optionRoutesThat("ofGrants"),
  ],
  ["are left out of the API's documents", ({ internal }) => internal, optionRoutesThat("internal").toSorted()],
  ["accept a deleted project", ({ deletedProject }) => deletedProject, ["restoreProject"]],
  [
    "take an idempotency key",
    ({ idempotencyKey }) => idempotencyKey,
    ["answerDeviceRequest", "createProject", "createRelease", "createToken", "rotateToken"],
  ],
])("these routes %s", (_, isListed, names) => {
  expect(namesOf(isListed)).toEqual(names);
});

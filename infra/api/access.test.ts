import "../../programs/stack-options.ts";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { kebabCase, type RouteName, routes } from "../../test/support/routes.ts";
import { withGames } from "../../test/support/synthesis/settings.ts";
import { bundleFolderOf } from "../bundle.ts";
import { environmentOf, settingsOf } from "../lambda/function-environment.ts";
import { readStage } from "../settings/stage.ts";
import { accessOf } from "../settings/stage-option.ts";
import { stages } from "../stages.ts";

/*
 * Each function is told the settings that its code reads, and no others. esbuild leaves out what a bundle does not use, and
 * functions/environment.ts has a function for each variable, so a bundle contains the names of those that its code reads.
 */

/** Every setting of a stage that a function may be told. */
const stage = readStage("staging", {
  staging: {
    ...stages["staging"],
    identityProvider: {
      issuer: "https://id.example.com",
      audience: "svc",
      jwksUri: "https://id.example.com/jwks",
      trustedAudiences: ["project-1"],
      authorizedParties: ["android"],
      tenant: "players",
      tokenLifetimeHours: 1.5,
      signInMinutes: 15,
      acrValues: ["phr"],
    },
    domain: {
      name: "api.staging.example.com",
      certificateArn: "arn:aws:acm:us-east-1:111111111111:certificate/66666666-7777-8888-9999-000000000000",
    },
    ...withGames("staging"),
    reportUrl: "https://example.com/report?game={slug}",
    developers: { emailDomains: ["example.com"], claim: { name: "groups", value: "makers" }, approval: true },
    jobIssuers: { gitlab: ["https://gitlab.example.com"] },
    maxTokenDays: 30,
    quota: { projectMebibytes: 1, projectObjects: 2, accountMebibytes: 3, accountObjects: 4 },
    traffic: { projectGigabytes: 1, accountGigabytes: 2, onlyTell: true },
  },
});

/**
 * The names of table, bucket and the edge's store, and how often it is written, belong to the permissions, whose tests hold them; the endpoints and GitHub's keys only the
 * local service sets; two are for the guard against the emulator; Lambda sets its region, and only a function at the edge reads from
 * another one; every function is told which options the stage leaves out, whether something delivers notices, and where players move their saved games.
 */
const noSettings = new Set([
  ...["TABLE_NAME", "BUCKET_NAME", "GAMES_STORE_ARN", "DIRECT_POINTER_WRITES_PER_MINUTE"],
  ...["DYNAMODB_ENDPOINT", "S3_ENDPOINT", "GAMES_STORE_ENDPOINT"],
  ...["IDP_AUTH_EMULATOR_HOST", "SVC_STAGE"],
  ...["AWS_REGION", "STAGE_REGION"],
  ...["LEFT_OUT_OPTIONS", "NOTICES", "SAVES_PAGE", "SVC_WEBHOOKS_LOCAL"],
]);

const known = [...readFileSync("functions/environment.ts", "utf8").matchAll(/"([A-Z][A-Z_0-9]+)"/g)]
  .map(([, name = ""]) => name)
  .filter((name) => !noSettings.has(name));

const codeOf = (route: RouteName) => readFileSync(`${bundleFolderOf(kebabCase(route))}/index.mjs`, "utf8");

function readBy(route: RouteName): string[] {
  const code = codeOf(route);
  return known.filter((variable) => new RegExp(`["'\`]${variable}["'\`]`).test(code));
}

test.each(Object.keys(routes) as RouteName[])("%s is told the settings that its code reads, and no others", (route) => {
  const told = Object.keys(environmentOf(stage, settingsOf(route))).filter((name) => !noSettings.has(name));
  expect(told.toSorted()).toEqual(readBy(route).toSorted());
});

test("those that write pointers, and no others, are told the store of the games' edge", () => {
  const names = Object.keys(routes) as RouteName[];
  const reading = names.filter((route) => codeOf(route).includes("GAMES_STORE_ARN"));
  expect(reading).toEqual(names.filter((route) => "pointers" in accessOf(route)));
});

test("a function that authenticates, one that shows projects and one that does neither read what they should", () => {
  expect(readBy("listEvents")).toHaveLength(10);
  expect(readBy("getProject").toSorted()).toEqual(["GAMES_DOMAIN", "REPORT_URL"]);
  expect(readBy("getHealth")).toEqual([]);
});

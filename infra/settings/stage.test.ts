import "../../programs/stack-options.ts";
import { expect, test } from "@jest/globals";
import { withBackup, withDomain, withGames } from "../../test/support/synthesis/settings.ts";
import { stages } from "../stages.ts";
import { readStage } from "./stage.ts";

const staging = stages["staging"];
const provider = staging?.identityProvider as object;

function sentenceFor(changes: object): string {
  try {
    readStage("staging", { staging: { ...staging, ...changes } });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("The stage was accepted");
}

test("every stage of the file is valid and has its name", () => {
  for (const name of Object.keys(stages)) expect(readStage(name, stages)).toMatchObject({ ...stages[name], name });
});

test("no stage, and one that the file does not have, are refused with the names that it has", () => {
  expect(() => readStage(undefined, stages)).toThrow(
    "Say which stage: -c stage=NAME, where NAME is one of staging, production.",
  );
  expect(() => readStage("prod", stages)).toThrow('infra/stages.ts has no stage "prod"; it has staging, production.');
  expect(() => readStage("toString", stages)).toThrow('has no stage "toString"');
});

test("a stage needs its account, region, provider and address for alarms, and everything else has a default", () => {
  const { account, region, identityProvider, alarmEmail } = staging ?? {};
  expect(readStage("trial", { trial: { account, region, identityProvider, alarmEmail } })).toEqual({
    ...{ name: "trial", account, region, identityProvider, alarmEmail },
    ...{ webOrigins: [], monthlyBudgetDollars: 50, logRetentionDays: 30, backupDays: 35, tracing: false },
    ...{ concurrentExecutions: 10, requestsPerSecond: 1_000 },
  });
});

test("a self-hosted issuer of CI jobs may have a port and a path", () => {
  const jobIssuers = { gitlab: ["https://gitlab.example.com:8443/git"], github: ["https://ghe.example.com:8443"] };
  expect(readStage("staging", { staging: { ...staging, jobIssuers } }).jobIssuers).toEqual(jobIssuers);
});

test("a stage cannot be called local, because functions of the stage local accept the emulator", () => {
  expect(() => readStage("local", { local: staging })).toThrow('"local" in infra/stages.ts cannot be a stage\'s name');
});

test.each(["alarms", "certificates", "games-log", "games-0a1b2c3d", "monitoring", "pipeline"])(
  "a stage cannot be called x-%s, because ending the stage x would end it",
  (end) => {
    expect(() => readStage(`x-${end}`, { [`x-${end}`]: staging })).toThrow(
      `the stack svc-x-${end} would be one of the stage "x".`,
    );
  },
);

const { domain } = withDomain("staging");
const { backup: copy } = withBackup;
const games = { name: "games.example.net", certificateArn: "arn:aws:acm:us-east-1:111111111111:certificate/1" };

test.each([
  [{ account: undefined }, 'Stage "staging" in infra/stages.ts: account is missing.'],
  [{ account: "1234" }, "account must be the 12 digits of an AWS account."],
  [{ region: "Virginia" }, "region must be an AWS region such as us-east-1."],
  [{ region: "cn-north-1" }, "region must not be a region of China or GovCloud."],
  [
    { identityProvider: { ...provider, jwksUri: "http://keys.example.com" } },
    "identityProvider.jwksUri must be an https URL.",
  ],
  [{ identityProvider: { ...provider, audience: "" } }, "identityProvider.audience must not be empty."],
  [
    { identityProvider: { ...provider, issuer: "http://id.example.com" } },
    "identityProvider.issuer must be an https URL.",
  ],
  [
    { identityProvider: { ...provider, trustedAudiences: ["a,b"] } },
    "identityProvider.trustedAudiences.0 must be a name without commas and white space.",
  ],
  [
    { identityProvider: { ...provider, authorizedParties: [""] } },
    "identityProvider.authorizedParties.0 must be a name without commas and white space.",
  ],
  [{ identityProvider: { ...provider, tenant: "" } }, "identityProvider.tenant must not be empty."],
  [
    { identityProvider: { ...provider, tokenLifetimeHours: 0 } },
    "identityProvider.tokenLifetimeHours must be above 0.",
  ],
  [{ identityProvider: { ...provider, signInMinutes: -1 } }, "identityProvider.signInMinutes must be above 0."],
  ...['p"hr', "p\\hr", "p hr", "p,hr", ""].map((acr): [object, string] => [
    { identityProvider: { ...provider, acrValues: [acr] } },
    "identityProvider.acrValues.0 must be printable ASCII without white space, commas, quotes and backslashes.",
  ]),
  [{ identityProvider: undefined }, "identityProvider is missing."],
  [{ identityProvider: "okta" }, 'identityProvider must be "cognito", or issuer, audience and jwksUri of a provider.'],
  [{ identityProvider: { ...provider, pool: "x" } }, "identityProvider.pool is not a setting of a stage."],
  [
    { identityProvider: "cognito" },
    'dashboard.firebase and dashboard.clientId are of another provider than "cognito": leave them out.',
  ],
  [{ developers: {} }, "developers needs emailDomains, claim or approval: leave it out if everybody may become one."],
  [{ developers: { emailDomains: [] } }, "developers.emailDomains must have a domain or be left out."],
  [{ developers: { emailDomains: ["@example.com"] } }, "developers.emailDomains.0 must be a domain name such as"],
  [{ developers: { claim: { name: "groups" } } }, "developers.claim.value is missing."],
  [{ webOrigins: ["https://example.com/"] }, "webOrigins.0 must be an https origin"],
  [{ webOrigins: ["*"] }, "webOrigins.0 must be an https origin"],
  [{ webOrigins: ["http://example.com"] }, "webOrigins.0 must be an https origin"],
  [
    { region: "ap-southeast-3", gamesDomain: games, dashboard: undefined },
    "ap-southeast-3 is near no region of Origin Shield",
  ],
  [{ operator: { name: "Games", terms: "javascript:1" } }, "operator.terms must be an https or mailto URL"],
  [{ reportUrl: "abuse@example.com" }, "reportUrl must be an https or mailto URL such as mailto:abuse@example.com"],
  [{ gamesDomain: { ...games, isPublicSuffix: false } }, "gamesDomain.isPublicSuffix must be true or left out."],
  [{ gamesDomain: { ...games, name: "*.games.example.net" } }, "gamesDomain.name must be a domain name such as"],
  [
    { gamesDomain: { ...games, certificateArn: "arn:aws:acm:eu-west-1:111111111111:certificate/1" } },
    "gamesDomain.certificateArn must be a certificate of account 111111111111 in us-east-1.",
  ],
  [
    { gamesDomain: { ...games, certificateArn: `${games.certificateArn}\n` } },
    "gamesDomain.certificateArn must be a certificate of account 111111111111 in us-east-1.",
  ],
  ...["games.example.net", "api.games.example.net", "example.net", "api.example.net"].map((name): [object, string] => [
    { domain: { ...domain, name }, gamesDomain: games },
    `${name} and the games domain games.example.net must not share a domain above: games set cookies there.`,
  ]),
  [
    { dashboard: { domain: { ...domain, name: "a.games.example.net" } }, gamesDomain: games },
    "a.games.example.net and the games domain games.example.net must not share a domain above",
  ],
  [
    { domain: { ...domain, name: "a.github.io" }, gamesDomain: { ...games, name: "github.io" } },
    "a.github.io and the games domain github.io must not share a domain above",
  ],
  [
    { gamesDomain: { ...games, isPublicSuffix: true } },
    "games.example.net is not in the Public Suffix List of the installed tldts. Leave out isPublicSuffix, or run npm update tldts.",
  ],
  [
    { ...withGames("staging"), statistics: false, traffic: { projectGigabytes: 1 } },
    "traffic needs statistics, which count it.",
  ],
  [{ traffic: { projectGigabytes: 1 } }, "traffic needs gamesDomain, whose traffic is counted."],
  [{ ...withGames("staging"), traffic: { accountGigabytes: 0 } }, "traffic.accountGigabytes must be at least 1."],
  [{ ...withGames("staging"), traffic: { onlyTell: false } }, "traffic.onlyTell must be true or left out."],
  [{ backup: { ...copy, vaultArn: "svc-copies" } }, "backup.vaultArn must be the ARN of a backup vault such as"],
  [
    { backup: { ...copy, vaultArn: copy.vaultArn.replace("333333333333", "1") } },
    "backup.vaultArn must be the ARN of a backup vault",
  ],
  [
    { backup: { ...copy, vaultArn: "arn:aws:backup:us-east-1:111111111111:backup-vault:svc" } },
    "backup.vaultArn must be of another account or region than the stage's.",
  ],
  [{ backup: { ...copy, bucket: "arn:aws:s3:::x" } }, "backup.bucket must be the name of a bucket without dots."],
  [{ backup: { ...copy, days: 0 } }, "backup.days must be at least 1."],
  [{ healthChecks: true }, "healthChecks needs domain, the name that is checked."],
  [{ restoredTable: "a table" }, "restoredTable must be the name of a table"],
  [{ alarmEmail: "nobody" }, "alarmEmail must be an email address."],
  [{ mailFrom: "nobody" }, "mailFrom must be an email address in lower case, or a name and one such as svc <no-reply@"],
  [{ mailFrom: "svc <no-reply@example.com>, x@example.com" }, "mailFrom must be an email address"],
  [{ mailFrom: "svc\r\nBcc: <no-reply@example.com>" }, "mailFrom must be an email address"],
  [{ mailFrom: "*@example.com" }, "mailFrom must be an email address"],
  [{ logRetentionDays: 31 }, "logRetentionDays must be one of 1, 3, 5,"],
  [{ backupDays: "7" }, "backupDays must be a whole number."],
  [{ monthlyBudgetDollars: 0 }, "monthlyBudgetDollars must be at least 1."],
  [{ backupDays: 36 }, "backupDays must be at most 35."],
  [{ backupDays: 30, keptReleaseDays: 29 }, "keptReleaseDays must be at least backupDays, 30:"],
  [{ concurrentExecutions: 9 }, "concurrentExecutions must be at least 10."],
  [{ requestsPerSecond: 20_000 }, "requestsPerSecond must be at most 10000"],
  [{ tracing: "yes" }, "tracing must be true or false."],
  [
    { repository: "https://github.com/example/svc" },
    "repository must be a GitHub repository such as owner@1234567/name@89012345.",
  ],
  [{ repository: "example@1/svc" }, "repository must be a GitHub repository such as"],
  [{ idpAuthEmulatorHost: "localhost:9099" }, "idpAuthEmulatorHost is not a setting of a stage."],
  [
    { domain: { name: "api.example.com", certificateArn: "arn:aws:acm:eu-west-1:111111111111:certificate/1" } },
    "domain.certificateArn must be a certificate of account 111111111111 in us-east-1.",
  ],
  [
    { dashboard: { domain: { name: "dashboard", certificateArn: "arn:aws:acm:" } } },
    "dashboard.domain.name must be a domain name such as dashboard.example.com",
  ],
  [
    { dashboard: { ...staging?.dashboard, firebase: { apiKey: "", authDomain: "x" } } },
    "dashboard.firebase.apiKey must not be empty; dashboard.firebase.authDomain must be a domain name",
  ],
  [{ dashboard: { ...staging?.dashboard, clientId: "" } }, "dashboard.clientId must not be empty."],
  [{ dashboard: { ...staging?.dashboard, origins: ["*"] } }, "dashboard.origins.0 must be an https origin"],
  [
    {
      region: "eu-west-1",
      dashboard: {
        domain: {
          name: "dashboard.example.com",
          certificateArn: "arn:aws:acm:eu-west-1:111111111111:certificate/1",
        },
      },
    },
    "dashboard.domain.certificateArn must be a certificate of account 111111111111 in us-east-1.",
  ],
])("%j is refused in one sentence that names the place", (changes, sentence) => {
  expect(sentenceFor(changes)).toContain(sentence);
});

test("a games domain of the Public Suffix List may be beside the API's name below one registered domain", () => {
  const listed = { ...games, name: "s3.amazonaws.com", isPublicSuffix: true };
  const stage = { ...staging, domain: { ...domain, name: "api.amazonaws.com" }, gamesDomain: listed };
  expect(readStage("staging", { staging: stage as never }).gamesDomain).toEqual(listed);
});

test("everything that is wrong stands in one sentence", () => {
  expect(sentenceFor({ account: "1", region: "2" })).toBe(
    'Stage "staging" in infra/stages.ts: account must be the 12 digits of an AWS account; region must be an AWS region such as us-east-1.',
  );
});

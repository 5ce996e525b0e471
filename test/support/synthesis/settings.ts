import { stages } from "../../../infra/stages.ts";

/** Changes that give a stage a host name for its API. */
export function withDomain(stageName: string, region = "us-east-1") {
  const certificateArn = `arn:aws:acm:${region}:${stages[stageName]?.account}:certificate/1`;
  return { region, domain: { name: "api.example.com", certificateArn } };
}

/** Changes that give a stage a games' edge. */
export function withGames(stageName: string) {
  const certificateArn = `arn:aws:acm:us-east-1:${stages[stageName]?.account}:certificate/2`;
  // In the Public Suffix List, as a games domain should be: without it synth warns.
  return { gamesDomain: { name: "github.io", certificateArn, isPublicSuffix: true as const } };
}

/** Changes that let a stage in us-east-1 make the certificates and records of its host names. */
export function withHostedZones(stageName: string) {
  const dashboard = stages[stageName]?.dashboard || {};
  return {
    hostedZones: { "example.com": "Z1EXAMPLECOM", "github.io": "Z2GITHUBIO" },
    domain: { name: "api.example.com" },
    dashboard: { ...dashboard, domain: { name: "dashboard.example.com" } },
    gamesDomain: { name: "github.io", isPublicSuffix: true as const },
  };
}

/** Changes that give a stage a copy in another account. */
export const withBackup = {
  backup: { vaultArn: "arn:aws:backup:eu-central-1:333333333333:backup-vault:svc-copies", bucket: "svc-files-copy" },
};

/** Changes that give a stage a user pool of its own. */
export function withUserPool(stageName: string) {
  return { identityProvider: "cognito", dashboard: { domain: (stages[stageName]?.dashboard || undefined)?.domain } };
}

/** Changes that switch on whatever a stage can have and the examples do not all have. */
export function everyOption(stageName: string): object {
  return {
    ...withDomain(stageName),
    ...withGames(stageName),
    ...withBackup,
    ...withUserPool(stageName),
    healthChecks: true,
    mailFrom: "svc <no-reply@example.com>",
  };
}

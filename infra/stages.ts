import type { StageInput } from "./settings/stage.ts";

/**
 * Examples of deployed stages by their names: `cdk deploy -c stage=staging --all`. Write your own into `svc.stages.ts`, which exports
 * `stages` as this file does, or into `svc.stages.json` (infra/settings/configured-stages.ts). infra/settings/stage.ts says what each value means, and
 * checks it at synth.
 */
export const stages: Readonly<Record<string, StageInput>> = {
  /** People sign in with Firebase Authentication. */
  staging: {
    account: "111111111111",
    region: "us-east-1",
    identityProvider: {
      issuer: "https://securetoken.google.com/svc-staging",
      audience: "svc-staging",
      jwksUri: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    },
    webOrigins: ["https://dashboard.staging.example.com", "http://localhost:5173"],
    dashboard: {
      domain: {
        name: "dashboard.staging.example.com",
        certificateArn: "arn:aws:acm:us-east-1:111111111111:certificate/11111111-2222-3333-4444-555555555555",
      },
      firebase: { apiKey: "AIzaSyExampleExampleExampleExampleExample", authDomain: "svc-staging.firebaseapp.com" },
    },
    reportUrl: "mailto:svc-staging-abuse@example.com?subject=Report%20of%20{slug}",
    alarmEmail: "svc-staging-alarms@example.com",
    monthlyBudgetDollars: 50,
    logRetentionDays: 30,
    backupDays: 7,
    concurrentExecutions: 10,
    requestsPerSecond: 1_000,
    tracing: true,
    repository: "example@1234567/svc@89012345",
  },
  /** People sign in with Amazon Cognito. */
  production: {
    account: "222222222222",
    region: "us-east-1",
    identityProvider: {
      issuer: "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE12",
      audience: "1example23456789",
      jwksUri: "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE12/.well-known/jwks.json",
    },
    webOrigins: ["https://dashboard.example.com"],
    dashboard: {
      domain: {
        name: "dashboard.example.com",
        certificateArn: "arn:aws:acm:us-east-1:222222222222:certificate/66666666-7777-8888-9999-000000000000",
      },
      // Cognito's token endpoint is on the pool's own domain.
      origins: ["https://svc-production.auth.us-east-1.amazoncognito.com"],
    },
    domain: {
      name: "api.example.com",
      certificateArn: "arn:aws:acm:us-east-1:222222222222:certificate/11111111-2222-3333-4444-555555555555",
    },
    reportUrl: "https://example.com/report?game={slug}",
    operator: {
      name: "Example Games",
      terms: "https://example.com/terms",
      privacy: "https://example.com/privacy",
      status: "https://status.example.com/",
      contact: "mailto:svc@example.com",
    },
    alarmEmail: "svc-alarms@example.com",
    monthlyBudgetDollars: 500,
    logRetentionDays: 365,
    backupDays: 35,
    concurrentExecutions: 1_000,
    requestsPerSecond: 5_000,
    repository: "example@1234567/svc@89012345",
  },
};

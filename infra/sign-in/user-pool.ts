import { createHash } from "node:crypto";
import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
  UserPoolClientIdentityProvider,
} from "aws-cdk-lib/aws-cognito";
import type { Construct } from "constructs";
import { dashboardOf, dashboardOriginOf, type Stage, userPoolOutputs } from "../settings/stage.ts";
import { addOutput } from "../stacks/output.ts";

/**
 * The stage with the values of its identity provider. `identityProvider: "cognito"` adds a user pool to the stack, in which everybody
 * can sign up with an address that they verify, and its sign-in pages if there is a dashboard for which people sign in. The pool stays
 * if the stack is deleted, because an account belongs to a user of its pool: a new pool makes everybody a stranger.
 */
export function withUserPool(scope: Construct, stage: Stage): Stage {
  if (stage.identityProvider !== "cognito") return stage;
  const pool = createPool(scope, stage);
  const { region } = stage;
  const dashboard = dashboardOf(stage);
  const client = addClient(pool, stage);
  const prefix = domainPrefix(stage);
  if (dashboard) addPages(scope, { pool, client, prefix });
  const issuer = `https://cognito-idp.${region}.amazonaws.com/${pool.userPoolId}`;
  const audience = client.userPoolClientId;
  addOutput(pool, userPoolOutputs.pool, pool.userPoolId, "The user pool in which people sign in");
  addOutput(pool, userPoolOutputs.client, audience, "Its client, for which ID tokens are issued");
  addOutput(pool, userPoolOutputs.issuer, issuer, "Exactly the iss of its ID tokens");
  return {
    ...stage,
    identityProvider: { issuer, audience, jwksUri: `${issuer}/.well-known/jwks.json` },
    // Its token endpoint is there, not at the issuer.
    ...(dashboard && {
      dashboard: {
        ...dashboard,
        origins: [...(dashboard.origins ?? []), `https://${prefix}.auth.${region}.amazoncognito.com`],
      },
    }),
  };
}

function createPool(scope: Construct, { name, disposable }: Stage): UserPool {
  const pool = new UserPool(scope, "UserPool", {
    userPoolName: `svc-${name}`,
    selfSignUpEnabled: true,
    signInAliases: { email: true },
    signInCaseSensitive: false,
    // Nobody can sign in before the address is verified, also after it was changed.
    autoVerify: { email: true },
    keepOriginal: { email: true },
    // Without a name the account would be called by its random id. Cognito cannot require an attribute later.
    standardAttributes: { email: { required: true, mutable: true }, fullname: { required: true, mutable: true } },
    accountRecovery: AccountRecovery.EMAIL_ONLY,
    mfa: Mfa.OPTIONAL,
    mfaSecondFactor: { otp: true, sms: false },
    passwordPolicy: {
      minLength: 12,
      requireLowercase: true,
      requireUppercase: true,
      requireDigits: true,
      requireSymbols: true,
    },
    // The plan of managed login, which alone knows `prompt=none` and `prompt=login`.
    featurePlan: FeaturePlan.ESSENTIALS,
    deletionProtection: disposable !== true,
    // Not RETAIN_ON_UPDATE_OR_DELETE: what is protected cannot be deleted, and a first deployment that fails would end as ROLLBACK_FAILED.
    removalPolicy: disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  });
  Validations.of(pool).acknowledge(
    { id: "AwsSolutions-COG2", reason: "A second factor is each person's choice, as at other identity providers." },
    { id: "AwsSolutions-COG8", reason: "The plan with threat protection costs $0.02 for each person and month." },
  );
  return pool;
}

/** A public client. Who has no AWS credentials signs in at the pages or by SRP, so that a password is never sent as it is. */
function addClient(pool: UserPool, stage: Stage): UserPoolClient {
  const page = dashboardOriginOf(stage);
  return pool.addClient("Client", {
    userPoolClientName: `svc-${stage.name}`,
    generateSecret: false,
    authFlows: { userSrp: true, adminUserPassword: true },
    preventUserExistenceErrors: true,
    supportedIdentityProviders: [UserPoolClientIdentityProvider.COGNITO],
    refreshTokenRotationGracePeriod: Duration.minutes(1),
    ...(page === undefined
      ? { disableOAuth: true }
      : {
          oAuth: {
            flows: { authorizationCodeGrant: true },
            scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
            callbackUrls: [`${page}/signed-in`],
            logoutUrls: [`${page}/`],
          },
        }),
  });
}

interface Pages {
  readonly pool: UserPool;
  readonly client: UserPoolClient;
  /** First label of their host name. */
  readonly prefix: string;
}

/** The pages on which people sign up, sign in and choose a new password, as Cognito makes them. */
function addPages(scope: Construct, { pool, client, prefix }: Pages): void {
  pool.addDomain("Domain", {
    cognitoDomain: { domainPrefix: prefix },
    managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
  });
  // Without a style the pages of managed login respond with an error.
  new CfnManagedLoginBranding(scope, "UserPoolPages", {
    userPoolId: pool.userPoolId,
    clientId: client.userPoolClientId,
    useCognitoProvidedValues: true,
  });
}

/**
 * All accounts of a region share one list of these names, so it is made of the account's number, which it does not tell. A digest
 * has none of the words that Cognito refuses in it: aws, amazon, cognito.
 */
function domainPrefix({ account, name }: Stage): string {
  return `svc-${createHash("sha256").update(`${account}/${name}`).digest("hex").slice(0, 16)}`;
}

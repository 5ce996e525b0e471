import type { JobProvider } from "../../contract/api/projects/ci-jobs.ts";

/** Facts about its stage that the page must know: they stand in it, and the stage serves them as `/configuration.json`. */
export interface Configuration {
  /** The API's origin. */
  readonly api: string;
  readonly stage: string;
  /** Package that npm installs the command line from. */
  readonly commandLine: string;
  /** URL of games, with `{slug}` for the slug; absent if the stage has no domain for them. */
  readonly games?: string;
  /** Operator of the stage; absent if it does not say. */
  readonly operator?: Operator;
  /** The options that the stage leaves out. */
  readonly leftOut?: readonly string[];
  /** The longest lifetime of a new token in days; absent if the stage does not limit it. */
  readonly maxTokenDays?: number;
  /** The stage's self-hosted issuers of CI jobs' identity tokens. */
  readonly jobIssuers?: { readonly [Provider in JobProvider]?: readonly string[] | undefined };
  readonly identityProvider: OpenIdConnectProvider | FirebaseProvider;
}

/** Name of who runs a stage, and the URLs of the pages about it. */
export interface Operator {
  readonly name: string;
  readonly terms?: string | undefined;
  readonly privacy?: string | undefined;
  readonly status?: string | undefined;
  readonly contact?: string | undefined;
}

/** Any provider that speaks OpenID Connect with PKCE for public clients. */
export interface OpenIdConnectProvider {
  readonly kind: "openIdConnect";
  readonly issuer: string;
  readonly clientId: string;
}

/** Firebase's web configuration, which is public: https://firebase.google.com/docs/web/setup#config-object */
export interface FirebaseProvider {
  readonly kind: "firebase";
  readonly apiKey: string;
  readonly authDomain: string;
  readonly projectId: string;
  /** The Authentication emulator's origin; only the local service has one. */
  readonly emulator?: string;
}

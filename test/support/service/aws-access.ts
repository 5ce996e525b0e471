import { dummyCredentials } from "../../../local/credentials.ts";

/** A stage in a cloud on which the shared services of the tests stand for the local one (lab/cloud/suites). */
export interface Deployment {
  readonly region: string;
  readonly credentials: typeof dummyCredentials;
  /** The endpoint that plays its games, by their Host. */
  readonly edge: string;
  idToken(claims: Readonly<Record<string, unknown>>): Promise<string>;
}

declare global {
  /** Undefined: the tests use local services. */
  var deployment: Deployment | undefined;
}

/** Region and credentials with which tests look into the table and the store of a service. */
export const awsAccess: Pick<Deployment, "region" | "credentials"> = globalThis.deployment ?? {
  region: "eu-central-1",
  credentials: dummyCredentials,
};

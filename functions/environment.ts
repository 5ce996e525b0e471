/*
 * The configuration of a function: its environment variables, each read when it is first needed, because a function
 * has only those that its route uses.
 */

/** @throws Error naming the variable that is missing: a deployment mistake, never a caller's */
function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`The environment variable ${name} is not set`);
  return value;
}

function optional(name: string): string | undefined {
  return process.env[name] || undefined;
}

export const environment = {
  get stage() {
    return required("SVC_STAGE");
  },
  get tableName() {
    return required("TABLE_NAME");
  },
  /** Another engine than the region's DynamoDB. */
  get dynamodbEndpoint() {
    return optional("DYNAMODB_ENDPOINT");
  },
  get bucketName() {
    return required("BUCKET_NAME");
  },
  /** Another store than the region's S3. */
  get s3Endpoint() {
    return optional("S3_ENDPOINT");
  },
  get idpIssuer() {
    return required("IDP_ISSUER");
  },
  get idpAudience() {
    return required("IDP_AUDIENCE");
  },
  get idpJwksUri() {
    return required("IDP_JWKS_URI");
  },
  /** Set: unsigned ID tokens of the emulator are accepted, so anybody can be anybody. Works on the local stage alone. */
  get idpAuthEmulatorHost() {
    return optional("IDP_AUTH_EMULATOR_HOST");
  },
};

/** @throws Error where emulator authentication is switched on outside the local stage (specification, Authentication 4) */
export function refuseEmulatorOutsideLocalStage(): void {
  if (environment.idpAuthEmulatorHost !== undefined && process.env["SVC_STAGE"] !== "local")
    throw new Error("IDP_AUTH_EMULATOR_HOST accepts unsigned ID tokens and must not be set on a deployed stage");
}

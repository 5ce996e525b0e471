/*
 * The environment variables of a function. Each is read when it is needed, because a function has only those that its
 * route uses.
 */

/** @throws Error that names the missing variable: a mistake of the deployment */
function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`The environment variable ${name} is not set`);
  return value;
}

function optional(name: string): string | undefined {
  return process.env[name] || undefined;
}

export const environment = {
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
  /** Where it is set, unsigned ID tokens of the emulator are accepted: anybody can be anybody. Local service only. */
  get idpAuthEmulatorHost() {
    return optional("IDP_AUTH_EMULATOR_HOST");
  },
};

/** @throws Error where the emulator is switched on anywhere but in the local service */
export function refuseEmulatorOutsideLocalStage(): void {
  if (environment.idpAuthEmulatorHost !== undefined && process.env["SVC_STAGE"] !== "local")
    throw new Error("IDP_AUTH_EMULATOR_HOST accepts unsigned ID tokens and must not be set on a deployed stage");
}

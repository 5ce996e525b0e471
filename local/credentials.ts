/** Credentials that only the embedded engine and store accept. */
export const dummyCredentials = { accessKeyId: "local", secretAccessKey: "local-secret" };

/**
 * Sets the AWS credentials of this process, with which the functions sign their requests: those of the environment for an
 * engine or store that is not embedded, else the dummy ones.
 *
 * @returns the credentials
 */
export function setCredentials(isOwnEndpoint: boolean): typeof dummyCredentials {
  const { env } = process;
  env["AWS_REGION"] ||= "eu-central-1";
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (isOwnEndpoint && accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  env["AWS_ACCESS_KEY_ID"] = dummyCredentials.accessKeyId;
  env["AWS_SECRET_ACCESS_KEY"] = dummyCredentials.secretAccessKey;
  delete env["AWS_SESSION_TOKEN"];
  return dummyCredentials;
}

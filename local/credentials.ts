/** Credentials that the embedded engine and store know; they open nothing else. */
export const dummyCredentials = { accessKeyId: "local", secretAccessKey: "local-secret" };

/**
 * Sets the AWS credentials of this process: the person's own where they name an engine or a store of their own, and
 * otherwise the dummy ones, so that the embedded parts never see real ones.
 */
export function setCredentials(isOwnEndpoint: boolean): void {
  process.env["AWS_REGION"] ||= "eu-central-1";
  if (isOwnEndpoint && process.env["AWS_ACCESS_KEY_ID"]) return;
  process.env["AWS_ACCESS_KEY_ID"] = dummyCredentials.accessKeyId;
  process.env["AWS_SECRET_ACCESS_KEY"] = dummyCredentials.secretAccessKey;
  delete process.env["AWS_SESSION_TOKEN"];
}

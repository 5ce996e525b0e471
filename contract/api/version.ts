export const apiVersion = "1.0.0";

/** Version of the service, as in package.json and CHANGELOG.md: all that is deployed together. */
export const serviceVersion = "0.1.0";

export const apiVersion = "1.0.0";

/** Of the service, as in package.json and CHANGELOG.md: what is deployed together. */
export const serviceVersion = "0.1.0";

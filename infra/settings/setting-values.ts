import * as z from "zod/mini";

/* Rules for settings of a stage. The sentence behind "must be" follows the setting's name. */

export const text = z.string().check(z.minLength(1, "must not be empty"));

/** Set or left out: to leave it out is the only way to say no. */
export const flag = z.optional(z.literal(true, "must be true or left out"));

export const positive = z.number("must be a number").check(z.positive("must be above 0"));

export const atLeastOne = z.int("must be a whole number").check(z.minimum(1, "must be at least 1"));

export const httpsUrl = z
  .string()
  .check(z.refine((value) => URL.canParse(value) && new URL(value).protocol === "https:", "must be an https URL"));

/** An origin as browsers send it: no path, no trailing slash; plain http on the developer's own machine alone. */
export const origin = z
  .string()
  .check(z.refine(isWebOrigin, "must be an https origin such as https://dashboard.example.com"));

function isWebOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return url.origin === value && (url.protocol === "https:" || url.hostname === "localhost");
}

/** @param example of what stands there */
export function domainName(example: string) {
  return z.string().check(z.regex(/^(?:[a-z0-9-]+\.)+[a-z]{2,}$/, `must be a domain name such as ${example}`));
}

/** Whether a value is known when the stack is deployed: the CDK's text for a property of a construct of the app. */
export function isKnownLater(value: string): boolean {
  return value.startsWith("${Token[");
}

/** A certificate of AWS Certificate Manager. */
export const certificateArn = z
  .string()
  .check(
    z.refine(
      (value) => value.startsWith("arn:aws:acm:") || isKnownLater(value),
      "must be the ARN of an ACM certificate",
    ),
  );

/** Id of a public hosted zone of Route 53. */
export const hostedZoneId = z
  .string()
  .check(
    z.refine(
      (value) => /^Z[0-9A-Z]{1,31}$/.test(value) || isKnownLater(value),
      "must be the id of a hosted zone such as Z0123456789ABCDEFGHIJ",
    ),
  );

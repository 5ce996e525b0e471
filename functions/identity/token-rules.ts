import type { JwtHeader } from "aws-jwt-verify/jwt-model";

/*
 * Rules that every signed token must meet to be accepted by the service: tokens of people and of CI jobs.
 */

/** Difference that the clocks of the provider and of this function may have. */
export const graceSeconds = 60;

/** Why a token is refused: a claim and a rule, never a value, so that it can be logged. */
export class TokenRefusal extends Error {
  override readonly name = "TokenRefusal";
}

/** A reason, and whether it applies. */
export type Rule<Part> = readonly [reason: string, isBroken: (part: Part) => boolean];

const headerRules: readonly Rule<JwtHeader & { typ?: unknown; crit?: unknown }>[] = [
  // Access tokens, logout tokens and other tokens of the provider name their type (RFC 8725, section 3.11).
  ["typ (header): another type of token", ({ typ = "JWT" }) => typeof typ !== "string" || typ.toUpperCase() !== "JWT"],
  // RFC 7515, section 4.1.11
  ["crit (header): extensions are not understood", ({ crit }) => crit !== undefined],
];

/**
 * Refuses other kinds of tokens by their header.
 *
 * @throws TokenRefusal
 */
export function assertHeader(header: JwtHeader): void {
  assertAll(headerRules, header);
}

/** @throws TokenRefusal for the first rule that is broken */
export function assertAll<Part>(rules: readonly Rule<Part>[], part: Part): void {
  const broken = rules.find(([, isBroken]) => isBroken(part));
  if (broken !== undefined) throw new TokenRefusal(broken[0]);
}

/** Whether a claim is a time in the future, even if the clocks differ. */
export function isFuture(time: unknown): boolean {
  return typeof time === "number" && time - graceSeconds > Date.now() / 1_000;
}

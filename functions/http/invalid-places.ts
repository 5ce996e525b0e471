import type * as z from "zod/mini";
import { limits } from "../../contract/api/limits.ts";
import type { InvalidPlace } from "../domain/service-error.ts";

/**
 * The invalid places of a request as JSON Pointers (RFC 6901), each once and with a sentence. At most 100, because a body
 * could have millions.
 */
export function invalidPlaces(issues: readonly z.core.$ZodIssue[]): InvalidPlace[] {
  const places = new Map<string, InvalidPlace>();
  for (const place of placesOf(issues)) {
    places.set(JSON.stringify(place), place);
    if (places.size === limits.invalidPlacesListed) break;
  }
  return [...places.values()];
}

function* placesOf(issues: readonly z.core.$ZodIssue[]): Generator<InvalidPlace> {
  for (const issue of issues)
    if (issue.code === "unrecognized_keys")
      for (const key of issue.keys) yield { pointer: pointer([...issue.path, key]), detail: "is not a known field" };
    else yield { pointer: pointer(issue.path), detail: detailOf(issue) };
}

/** The schema's own sentence, else one for zod's check. */
function detailOf(issue: z.core.$ZodIssue): string {
  if (issue.message !== "Invalid input") return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "is required"
        : `must be ${typeNames[issue.expected] ?? `a ${issue.expected}`}`;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    default:
      return "is not valid";
  }
}

const typeNames: Record<string, string> = {
  array: "an array",
  int: "a whole number",
  number: "a number",
  object: "an object",
  string: "a string",
};

function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1").slice(0, 200)}`).join("");
}

import { expect } from "@jest/globals";
import type { Actor, Actors } from "./actors.ts";
import type { CheckedResponse } from "./checked-request.ts";

/**
 * Checks how a route for developers refuses callers who are not developers, and tokens without its scope, whatever else
 * the request contains.
 */
export async function expectRefusals(
  actors: Actors,
  call: (actor: Actor) => Promise<CheckedResponse>,
  scope?: "projects",
): Promise<void> {
  const refusal = async (actor: Actor) => {
    const { status, body } = await call(actor);
    return `${status} ${body.code}`;
  };
  expect(await refusal(actors.anonymous)).toBe("401 credential_missing");
  expect(await refusal(actors.bearer("pat_mistyped"))).toBe("401 token_invalid");
  expect(await refusal(await actors.stranger())).toBe("403 account_required");
  expect(await refusal(await actors.user())).toBe("403 developer_required");
  if (scope === undefined) return;
  const { status, headers, body } = await call(await actors.token("publish"));
  expect({ status, code: body.code }).toEqual({ status: 403, code: "insufficient_scope" });
  expect(body.detail).toBe(
    `This needs the scope ${scope}; the personal access token has publish. Create one that has it.`,
  );
  expect(headers.get("www-authenticate")).toContain(`Bearer realm="svc", error="insufficient_scope", scope="${scope}"`);
}

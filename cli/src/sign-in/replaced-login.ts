import { maskToken } from "../../../contract/api/tokens/token-format.ts";
import type { Client, ResponseBody } from "../../../contract/client.ts";
import type { UserError } from "../errors.ts";
import { asUserError, isRefusedToken } from "../http/problem.ts";

export type Account = Pick<ResponseBody<"getMe">["user"], "uid" | "name">;

/** The token that a login replaces on this machine. It still works. */
export interface ReplacedLogin {
  readonly client: Client;
  readonly user: Account;
  /** The token, masked. */
  readonly hint: string;
}

/** @returns undefined if the API refuses the old token, or does not say whose it is: then nothing is lost */
export async function replacedLogin(client: Client, token: string): Promise<ReplacedLogin | undefined> {
  try {
    return { client, user: (await client.call("GET /me")).user, hint: maskToken(token) };
  } catch (error) {
    if (asUserError(error)) return undefined;
    throw error;
  }
}

/** Revokes a token, by itself. @returns why it still works, or undefined */
export async function revokeItself(client: Client): Promise<UserError | undefined> {
  try {
    await client.call("DELETE /tokens/current", { empty: true });
    return undefined;
  } catch (error) {
    const problem = asUserError(error);
    if (problem === undefined) throw error;
    return isRefusedToken(error) ? undefined : problem;
  }
}

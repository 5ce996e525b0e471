import { maskToken } from "../../../contract/api/token-format.ts";
import type { Client, ResponseTo } from "../client.ts";
import { UserError } from "../errors.ts";
import { isRefusal } from "../http/problem.ts";

export type Account = Pick<ResponseTo<"getMe">["user"], "uid" | "name">;

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
    return { client, user: (await client.call("getMe")).user, hint: maskToken(token) };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Revokes a token, by itself. @returns why it still works, or undefined */
export async function revokeItself(client: Client): Promise<UserError | undefined> {
  try {
    await client.call("revokeCurrentToken");
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return isRefusal(error) ? undefined : error;
  }
}

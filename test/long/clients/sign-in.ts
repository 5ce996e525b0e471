import { describe, expect, test } from "@jest/globals";
import {
  type AuthorizationRequest,
  authorizationResponseUrl,
  decideAuthorizationRequest,
} from "../../../contract/api/login/authorization-request.ts";
import { actorsOf, type Developer } from "../../support/service/actors.ts";
import { useService } from "../../support/service/suite.ts";
import type { Client, Outcome } from "./client.ts";

/**
 * Declares tests in which clients that were not written for this service sign in to it over a real socket: discovery, then the code
 * flow and the device flow, approved and denied. A person with the dashboard is played by the same two functions that the dashboard
 * calls. A client with a reason to skip it is skipped.
 */
export function testClients(clients: readonly (readonly [string, Client, skipped?: string | undefined])[]): void {
  const service = useService();
  const actors = actorsOf(service);

  /** The person opens the authorization URL, and approves or denies. */
  function browse(person: Developer, isApproved: boolean) {
    return async (url: URL): Promise<string> => {
      const decision = decideAuthorizationRequest(url.searchParams, service.api);
      if (decision.kind !== "ask") return decision.kind === "redirect" ? decision.url : decision.detail;
      const { request } = decision;
      if (!isApproved) return authorizationResponseUrl(request, { error: "access_denied" }, service.api);
      const { body } = await person.post("/oauth/approvals", approvalOf(request));
      return body.redirect_to;
    };
  }

  function approvalOf({ redirectUri, state, codeChallenge }: AuthorizationRequest) {
    const asked = {
      client_id: "svc-cli",
      redirect_uri: redirectUri,
      code_challenge: codeChallenge,
      ...(state && { state }),
    };
    return { ...asked, code_challenge_method: "S256", name: "foreign", scopes: ["publish"] };
  }

  /** The person types the code that a machine shows, and approves or denies. */
  function enter(person: Developer, isApproved: boolean) {
    return async (userCode: string): Promise<void> => {
      const answer = isApproved ? { decision: "approve", name: "foreign", scopes: ["publish"] } : { decision: "deny" };
      expect((await person.post(`/oauth/device/${userCode}`, answer)).status).toBe(204);
    };
  }

  async function expectToken(outcome: Outcome): Promise<void> {
    expect(outcome).toEqual({ access_token: expect.stringMatching(/^pat_/) });
    const me = await actors.bearer("access_token" in outcome ? outcome.access_token : "").get("/me");
    expect(me.body.auth).toMatchObject({ kind: "token", name: "foreign", scopes: ["publish"] });
  }

  for (const [name, { code, device }, skipped] of clients)
    describe(name, () => {
      const testWhere = skipped === undefined ? test : test.skip;
      if (code !== undefined) {
        testWhere("gets a token by the code flow", async () => {
          await expectToken(await code(service.api, browse(await actors.developer(), true)));
        });
        testWhere("is told that the person denied", async () => {
          const outcome = await code(service.api, browse(await actors.developer(), false));
          expect(outcome).toEqual({ error: "access_denied" });
        });
      }
      if (device !== undefined) {
        testWhere("gets a token by the device flow", async () => {
          await expectToken(await device(service.api, enter(await actors.developer(), true)));
        });
        testWhere("is told that the person denied at the device's code", async () => {
          const outcome = await device(service.api, enter(await actors.developer(), false));
          expect(outcome).toEqual({ error: "access_denied" });
        });
      }
    });
}

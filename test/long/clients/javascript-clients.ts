import * as oauth4webapi from "oauth4webapi";
import * as openidClient from "openid-client";
import { oauthClientId } from "../../../contract/api/login/authorization-request.ts";
import type { Client, Outcome } from "./client.ts";

const redirectUri = "http://127.0.0.1:49152/callback?own=%7e";
const scope = "publish projects";
const state = "the state";

/** OAuth's error of a library, or the library's own message. */
async function outcomeOf(tokens: Promise<{ access_token: string }>): Promise<Outcome> {
  return await tokens.then(
    ({ access_token }) => ({ access_token }),
    (error: { error?: string; message: string }) => ({ error: error.error ?? error.message }),
  );
}

/** oauth4webapi: each step of the protocol is a call. */
export const byOauth4webapi: Client = {
  async code(issuer, browse) {
    const { server, client, options } = await discover(issuer);
    const verifier = oauth4webapi.generateRandomCodeVerifier();
    const url = new URL(String(server.authorization_endpoint));
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: oauthClientId,
      redirect_uri: redirectUri,
      scope,
      state,
      code_challenge: await oauth4webapi.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).toString();
    const redirect = new URL(await browse(url));
    const exchange = async () => {
      const valid = oauth4webapi.validateAuthResponse(server, client, redirect, state);
      const none = oauth4webapi.None();
      return await oauth4webapi
        .authorizationCodeGrantRequest(server, client, none, valid, redirectUri, verifier, options)
        .then((response) => oauth4webapi.processAuthorizationCodeResponse(server, client, response));
    };
    return await outcomeOf(exchange());
  },
  async device(issuer, enter) {
    const { server, client, options } = await discover(issuer);
    const none = oauth4webapi.None();
    const codes = await oauth4webapi
      .deviceAuthorizationRequest(server, client, none, { scope }, options)
      .then((response) => oauth4webapi.processDeviceAuthorizationResponse(server, client, response));
    await enter(codes.user_code);
    const response = await oauth4webapi.deviceCodeGrantRequest(server, client, none, codes.device_code, options);
    return await outcomeOf(oauth4webapi.processDeviceCodeResponse(server, client, response));
  },
};

async function discover(issuer: string) {
  const options = { [oauth4webapi.allowInsecureRequests]: true, algorithm: "oauth2" as const };
  const url = new URL(issuer);
  const server = await oauth4webapi.processDiscoveryResponse(url, await oauth4webapi.discoveryRequest(url, options));
  return { server, client: { client_id: oauthClientId }, options };
}

/** openid-client, which polls by itself. */
export const byOpenidClient: Client = {
  async code(issuer, browse) {
    const configuration = await discoverConfiguration(issuer);
    const verifier = openidClient.randomPKCECodeVerifier();
    const url = openidClient.buildAuthorizationUrl(configuration, {
      // The library drops the URI's own query when it exchanges the code.
      redirect_uri: redirectUri.replace(/\?.*/, ""),
      scope,
      state,
      code_challenge: await openidClient.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const redirect = new URL(await browse(url));
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    return await outcomeOf(openidClient.authorizationCodeGrant(configuration, redirect, checks));
  },
  async device(issuer, enter) {
    const configuration = await discoverConfiguration(issuer);
    const codes = await openidClient.initiateDeviceAuthorization(configuration, { scope });
    const polling = outcomeOf(openidClient.pollDeviceAuthorizationGrant(configuration, codes));
    await enter(codes.user_code);
    return await polling;
  },
};

function discoverConfiguration(issuer: string) {
  return openidClient.discovery(new URL(issuer), oauthClientId, undefined, openidClient.None(), {
    algorithm: "oauth2",
    execute: [openidClient.allowInsecureRequests],
  });
}

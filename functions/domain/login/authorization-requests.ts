import { grantTypes } from "../../../contract/api/login/oauth-metadata.ts";
import { ServiceError } from "../service-error.ts";
import { exchangeCode, type IssuedToken } from "./authorization-codes.ts";
import { exchangeDeviceCode } from "./device-requests.ts";

/** A request to exchange a grant, as it came. */
export interface GrantExchange {
  readonly grantType: string;
  readonly code: string | undefined;
  readonly redirectUri: string | undefined;
  readonly verifier: string | undefined;
  readonly deviceCode: string | undefined;
}

/**
 * Exchanges a grant for a token.
 *
 * @throws ServiceError `unsupported_grant_type`, `invalid_request` if a parameter of the grant type is
 *   missing; those of {@link exchangeCode} and {@link exchangeDeviceCode}
 */
export async function exchange(request: GrantExchange, now: Date): Promise<IssuedToken> {
  const { grantType, code, redirectUri, verifier, deviceCode } = request;
  if (grantType === grantTypes.authorizationCode) {
    if (code === undefined || redirectUri === undefined || verifier === undefined)
      throw missing("code, redirect_uri and code_verifier");
    return await exchangeCode({ code, redirectUri, verifier }, now);
  }
  if (grantType !== grantTypes.deviceCode) throw new ServiceError("unsupported_grant_type");
  if (deviceCode === undefined) throw missing("device_code");
  return await exchangeDeviceCode(deviceCode, now);
}

function missing(parameters: string): ServiceError {
  return new ServiceError("invalid_request", { detail: `This grant type needs ${parameters}.` });
}

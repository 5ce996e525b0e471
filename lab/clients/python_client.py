"""Foreign clients of the OAuth routes: authlib and requests-oauthlib, as Debian packages them.

Arguments: library, flow (code or device), issuer. Prints one JSON object a line: first what a person needs, then, after a
line on standard input (of the code flow: the URL of the redirect), the token or OAuth's error.
"""
import json
import os
import sys
import time
from urllib.parse import parse_qsl, urlsplit

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import authlib.integrations.requests_client as authlib_client
import requests
import requests_oauthlib
from authlib.common.errors import AuthlibBaseError
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from oauthlib.oauth2 import OAuth2Error

CLIENT_ID, REDIRECT_URI, SCOPE = "svc-cli", "http://127.0.0.1:49152/callback?own=%7e", "publish projects"
VERIFIER = "v" * 43
CHALLENGE = {"code_challenge": create_s256_code_challenge(VERIFIER), "code_challenge_method": "S256"}
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


def tell(**facts):
    print(json.dumps(facts), flush=True)
    return sys.stdin.readline().strip() if "access_token" not in facts and "error" not in facts else None


def discover(issuer):
    metadata = AuthorizationServerMetadata(requests.get(get_well_known_url(issuer, external=True), timeout=30).json())
    if metadata["issuer"] != issuer:
        raise SystemExit("The metadata name another issuer")
    return metadata


def authlib_session():
    # HTTP Basic with an empty password
    return authlib_client.OAuth2Session(
        CLIENT_ID, "", scope=SCOPE, redirect_uri=REDIRECT_URI, token_endpoint_auth_method="client_secret_basic"
    )


def code_by_authlib(server):
    session = authlib_session()
    url, state = session.create_authorization_url(server["authorization_endpoint"], **CHALLENGE)
    response = tell(authorization_url=url)
    # As the library's own integrations with web frameworks do, before they call it.
    if error := dict(parse_qsl(urlsplit(response).query)).get("error"):
        raise AuthlibBaseError(error)
    return session.fetch_token(
        server["token_endpoint"], authorization_response=response, state=state, code_verifier=VERIFIER
    )


def code_by_requests_oauthlib(server):
    session = requests_oauthlib.OAuth2Session(CLIENT_ID, scope=SCOPE, redirect_uri=REDIRECT_URI)
    url, _ = session.authorization_url(server["authorization_endpoint"], **CHALLENGE)
    response = tell(authorization_url=url)
    # The person has chosen the scopes, which the library takes for an error.
    os.environ["OAUTHLIB_RELAX_TOKEN_SCOPE"] = "1"
    return session.fetch_token(server["token_endpoint"], authorization_response=response, code_verifier=VERIFIER)


def device_by_authlib(server):
    session = authlib_session()
    asked = {"client_id": CLIENT_ID, "scope": SCOPE}
    codes = requests.post(server["device_authorization_endpoint"], data=asked, timeout=30).json()
    tell(user_code=codes["user_code"])
    while True:
        try:
            return session.fetch_token(
                server["token_endpoint"], grant_type=DEVICE_GRANT, device_code=codes["device_code"]
            )
        except AuthlibBaseError as error:
            if error.error != "authorization_pending":
                raise
        time.sleep(codes["interval"])


FLOWS = {
    ("authlib", "code"): code_by_authlib,
    ("authlib", "device"): device_by_authlib,
    ("requests-oauthlib", "code"): code_by_requests_oauthlib,
}

if __name__ == "__main__":
    library, flow, issuer_url = sys.argv[1:]
    try:
        tell(access_token=FLOWS[library, flow](discover(issuer_url))["access_token"])
    except (AuthlibBaseError, OAuth2Error) as refused:
        tell(error=refused.error)

/** The errors of the OAuth routes. RFC 6749, section 5.2, and RFC 8628, section 3.5, give their codes. */
export const oauthErrors = {
  invalid_request: {
    status: 400,
    title: "Invalid request",
    detail: "A parameter of the form is missing, repeated or not valid.",
  },
  invalid_client: {
    status: 401,
    title: "Invalid client",
    detail: "No client has this client_id. Send client_id, or HTTP Basic with it and an empty password.",
  },
  invalid_grant: {
    status: 400,
    title: "Invalid grant",
    detail: "The code is unknown, expired, used already or another client's. Sign in again.",
  },
  unauthorized_client: {
    status: 400,
    title: "Unauthorized client",
    detail: "This stage has no dashboard on which the request could be approved. Create a token with POST /tokens.",
  },
  unsupported_grant_type: {
    status: 400,
    title: "Unsupported grant type",
    detail: "The grant type is not one that the metadata lists.",
  },
  invalid_scope: {
    status: 400,
    title: "Invalid scope",
    detail: "A scope is not one that the metadata lists.",
  },
  invalid_target: {
    status: 400,
    title: "Invalid target",
    detail: "The resource is not the URL of a project that a CI job can publish now.",
  },
  authorization_pending: {
    status: 400,
    title: "Authorization pending",
    detail: "The person has not answered yet. Ask again after the interval.",
  },
  slow_down: {
    status: 400,
    title: "Slow down",
    detail: "Too early. Add 5 seconds to the interval, then ask again.",
  },
  access_denied: {
    status: 400,
    title: "Access denied",
    detail: "The person has denied the request.",
  },
  expired_token: {
    status: 400,
    title: "Expired device code",
    detail: "Nobody approved the code in time. Sign in again.",
  },
} as const;

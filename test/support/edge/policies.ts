import { releasesHeader } from "../../../edge/cache-key.ts";

/** What the template of a games' edge says of its cache, for the model of CloudFront: infra/games-edge.test.ts compares them. */
export const policies = {
  originHeaders: [releasesHeader],
  lifetimes: {
    minimum: 0,
    default: 0,
    maximum: 31_536_000,
    errors: { 403: 1, 404: 0, 416: 0, 500: 1, 502: 1, 503: 1, 504: 1 },
  },
} as const;

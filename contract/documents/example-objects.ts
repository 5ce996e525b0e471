import type * as z from "zod/mini";
import type { publisher as publisherSchema, trustedJobs as trustedJobsSchema } from "../api/publishers.ts";
import type { release as releaseSchema } from "../api/releases.ts";
import type { Route } from "../api/route.ts";
import type { token as tokenSchema } from "../api/tokens.ts";

type Schema = z.core.$ZodType;
type Success<R extends Route> = Exclude<R["responses"][keyof R["responses"]], null>;

/** The body of a request, where the route takes one, and of the successful response, where that has one. */
export type Example<R extends Route> = (R extends { readonly body: infer Body extends Schema }
  ? { readonly request: z.input<Body> }
  : unknown) &
  ([Success<R>] extends [never] ? unknown : { readonly response: z.output<Success<R>> });

/*
 * What the examples of all routes are about: one developer with one token, one project and one release.
 */

/** The second test vector of docs/token-format.md: it is nobody's token. */
export const rawToken = "pat_0123456789ABCDEFGHIJKLabcdefghijklmnopqrstuvwxyzABCDEF1mg9uq";
export const slug = "star-hopper";
export const at = {
  signUp: "2026-11-02T09:30:00.000Z",
  token: "2026-11-20T16:05:12.480Z",
  release: "2026-11-21T10:12:40.112Z",
  live: "2026-11-21T10:15:02.930Z",
};
export const index = { sha256: "0eb547304658805aad788d320f10bf1f292797b5e6d745a3bf617584da017051", size: 1_204 };
export const script = { sha256: "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb", size: 412_090 };
export const scriptInBrotli = {
  sha256: "0daf15e16d0dbcf37e352a0961ae40101e659d414779f6ba1693a228b07d7f16",
  size: 98_311,
};
export const cover = { sha256: "6b1f2c0a9d3e4f58717a2b6c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f80912", size: 84_302 };
const play_url = `https://${slug}.games.example/`;

export const account = {
  user: {
    uid: "6f9b2c1e",
    name: "Ada",
    avatar: "https://images.example/ada.png",
    email: "ada@example.com",
    email_verified: true,
    role: "dev",
    created_at: at.signUp,
  },
  developer: { display_name: "Ada's Games", bio: null, created_at: at.signUp },
} as const;

export const publicProfile = {
  uid: account.user.uid,
  name: account.user.name,
  avatar: account.user.avatar,
  display_name: account.developer.display_name,
  bio: null,
};

export const token = {
  id: "54W7V3bYSTCAkjKudrQ3c0",
  name: "CI",
  scopes: ["publish"],
  projects: [slug],
  created_at: at.token,
  expires_at: "2027-02-18T16:05:12.480Z",
  revoked_at: null,
  status: "active",
  last_used_at: at.live,
  hint: rawToken.slice(-4),
} satisfies z.output<typeof tokenSchema>;

export const newToken = { ...token, last_used_at: null, token: rawToken };

export const release = {
  id: "00VbbL3M8vSKHg8rDkhym8",
  status: "live",
  files: 3,
  bytes: index.size + script.size + cover.size,
  created_at: at.release,
  published_at: at.live,
  expires_at: null,
  play_url,
  picture_url: `${play_url}cover.png`,
  message: "Second world",
  source: { commit: "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88", run_url: null },
  provenance: null,
  published_by: { uid: account.user.uid, token: { id: token.id, name: token.name } },
  first_published_at: at.live,
  first_published_by: { uid: account.user.uid, token: { id: token.id, name: token.name } },
  withdrawn_at: null,
} satisfies z.output<typeof releaseSchema>;

export const withdrawnRelease = {
  ...release,
  id: "00VbWvHSyQF4umoBzMMQnh",
  status: "withdrawn",
  play_url: null,
  picture_url: null,
  message: "First world",
  withdrawn_at: "2026-11-21T10:30:02.518Z",
} satisfies z.output<typeof releaseSchema>;

export const openRelease = {
  ...release,
  status: "open",
  published_at: null,
  expires_at: "2026-11-28T10:12:40.112Z",
  play_url: null,
  picture_url: null,
  published_by: null,
  first_published_at: null,
  first_published_by: null,
} satisfies z.output<typeof releaseSchema>;

export const preview = {
  release: openRelease,
  url: "https://star-hopper--1f0c9d3a6b8e2f4d5a7c.games.example/",
  expires_at: openRelease.expires_at,
};

export const project = {
  slug,
  name: "Star Hopper",
  description: "Hop from star to star.",
  created_at: at.signUp,
  updated_at: at.live,
  current_release: { id: release.id, published_at: at.live },
  play_url,
  picture_url: release.picture_url,
  report_url: `mailto:abuse@games.example?subject=${slug}`,
  deletion: null,
  suspension: null,
  transfer: null,
  show_provenance: true,
  provenance: {
    repository_url: "https://github.com/ada/star-hopper",
    commit: release.source.commit,
    run_url: "https://github.com/ada/star-hopper/actions/runs/22259804324",
    attestation_path: `/projects/${slug}/attestation`,
  },
  storage: { bytes: 1_204_118, objects: 9 },
};

export const trustedJobs = {
  provider: "github",
  repository_id: "512345678",
  repository_owner_id: "1234567",
  workflow: ".github/workflows/publish.yml",
  environment: "production",
  repository: "ada/star-hopper",
} satisfies z.input<typeof trustedJobsSchema>;

export const publisher = {
  id: "00VbbMCZ9xVv0PpQj3rD2s",
  created_at: at.token,
  ...trustedJobs,
  issuer: "https://token.actions.githubusercontent.com",
  events: ["push", "release", "workflow_dispatch"],
  ref_protected: false,
} satisfies z.output<typeof publisherSchema>;

export const event = {
  id: "00VbbLeVeNRmLb04o1YaMd",
  type: "release_published",
  at: at.live,
  token_id: token.id,
  project: slug,
  release_id: release.id,
} as const;

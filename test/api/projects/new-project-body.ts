import { gameUrl } from "../../support/service/play.ts";
import type { TestService } from "../../support/service/service.ts";
import { time } from "../../support/wire-time.ts";

/** A new project as everybody sees it. */
export function newProjectBody(service: TestService, slug: string) {
  return {
    slug,
    name: slug,
    description: null,
    role: null,
    created_at: time,
    updated_at: time,
    current_release: null,
    schedule: null,
    play_url: gameUrl(service, slug),
    picture_url: null,
    report_url: `mailto:abuse@localhost?subject=Report%20of%20${slug}`,
    deletion: null,
    suspension: null,
    traffic_limited_until: null,
    picture: null,
    pictures: null,
    how_to_play: null,
    show_provenance: false,
    refuse_tokens: false,
    person_makes_live: false,
    switched_off: [],
    provenance: null,
    storage: null,
  };
}

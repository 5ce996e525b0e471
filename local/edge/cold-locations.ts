import type { EdgeLocation, EdgeResult, ViewerRequest } from "./edge-location.ts";

/** Several locations, none of which is warm: each request meets the next one. */
export class ColdLocations {
  readonly #locations: readonly EdgeLocation[];
  #requests = 0;

  constructor(count: number, create: () => EdgeLocation) {
    this.#locations = Array.from({ length: count }, create);
  }

  async respond(request: ViewerRequest): Promise<EdgeResult> {
    const location = this.#locations[this.#requests++ % this.#locations.length];
    if (location === undefined) throw new Error("The edge has no location");
    return await location.respond(request);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#locations.map((location) => location.stop()));
  }
}

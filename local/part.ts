/** One running part of the service. */
export interface Part {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** A part that this process has not started, and does not stop. */
export function externalPart(endpoint: string): Part {
  return { endpoint, stop: async () => undefined };
}

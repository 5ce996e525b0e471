/** Bytes that players got of a project, or of all projects of an account, in a month of UTC. */
export interface MonthlyTraffic {
  readonly sentBytes: number;
  /** For a project: bytes of its game by day, `25`, of its previews, `25p`, and of what the store sent players, `25s`. */
  readonly byDay?: Readonly<Record<string, number>>;
  /** For a project: plays of its game by day, `25`. */
  readonly playsByDay?: Readonly<Record<string, number>>;
  /** Set once its owner has had the notice that the limit is near. */
  readonly isWarned?: true;
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl: number;
}

/** How much a run may take. */
export interface Effort {
  /** Few rounds: to see that all works. */
  readonly isQuick: boolean;
}

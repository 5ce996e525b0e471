/** What the local service knows of an option. */
export interface LocalOption {
  readonly name: string;
  /** Environment variables of `npm start`, each with its line of the help. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Functions that run on schedules, by the names of their bundles. */
  readonly schedules?: readonly LocalSchedule[];
}

interface LocalSchedule {
  readonly name: string;
  /** The variable with the seconds between two runs; 0: none. */
  readonly setting: string;
  /** The same if the variable is unset. */
  readonly seconds: number;
}

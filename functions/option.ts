/** Settings of an option for the functions. Each field but the name may be left out. */
export interface FunctionsOption {
  /** Its folder in options/, and its name among the settings of a stage that leave it out. */
  readonly name: string;
  /** Set: it delivers and deletes the notices that the transactions of changes write. */
  readonly takesNotices?: true;
}

/** Functions of an option that the core's rules call. */
export interface RulesOption {
  readonly name: string;
  /** Plays of each project in the last 28 days, by slug; without those that nobody played. */
  readonly recentPlays?: (projects: readonly ListedProject[], now: Date) => Promise<Record<string, number>>;
}

interface ListedProject {
  readonly slug: string;
  readonly createdAt: string;
}

/** What the functions know of an option. Each field but the name may be left out. */
export interface FunctionsOption {
  /** Its folder in options/, and its name among the settings of a stage that leave it out. */
  readonly name: string;
  /** Set: it delivers and deletes the notices that the transactions of changes write. */
  readonly takesNotices?: true;
}

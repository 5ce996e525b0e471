/** A project as it is stored. */
export interface Project {
  readonly slug: string;
  /** The key of the account that owns it. */
  readonly ownerKey: string;
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The release that visitors see. */
  readonly currentRelease?: { readonly id: string; readonly publishedAt: string };
}

/** A link of OpenAPI: the route that comes next, and how its parameters follow from this request and response. */
interface Link {
  readonly operationId: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const slug = "$request.path.slug";

/** The steps of a publication. The one between them, PUT to the store, is no route: `createUploads` describes it. */
export const links: Readonly<Record<string, Readonly<Record<string, Link>>>> = {
  createRelease: {
    createUploads: {
      operationId: "createUploads",
      description: "If files are missing: `sha256` is up to 1,000 entries of `missing`.",
      parameters: { slug, id: "$response.body#/release/id" },
    },
    publishRelease: {
      operationId: "publishRelease",
      description: "If nothing is missing.",
      parameters: { slug, id: "$response.body#/release/id" },
    },
  },
  createUploads: {
    publishRelease: {
      operationId: "publishRelease",
      description: "When each missing file was sent to its URL by PUT.",
      parameters: { slug, id: "$request.path.id" },
    },
  },
};

import { type Bundle, type ShippedPackage, shippedPackages } from "./shipped.ts";

/*
 * `node infra/shipped/sbom.ts`: the software bill of materials, as CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/): every
 * package with code in a bundle, with the names of these bundles.
 */
const bundles: readonly Bundle[] = ["functions", "cli"];

const packages = new Map<string, { shipped: ShippedPackage; bundles: Bundle[] }>();
for (const bundle of bundles)
  for (const shipped of shippedPackages(bundle)) {
    const key = packageUrl(shipped);
    packages.set(key, { shipped, bundles: [...(packages.get(key)?.bundles ?? []), bundle] });
  }

console.log(
  JSON.stringify(
    {
      $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
      bomFormat: "CycloneDX",
      specVersion: "1.5",
      version: 1,
      metadata: { component: { type: "application", name: "svc" } },
      components: [...packages].map(([purl, { shipped, bundles }]) => component(purl, shipped, bundles)),
    },
    undefined,
    2,
  ),
);

function packageUrl({ name, version }: ShippedPackage): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function component(purl: string, { name, version, license, integrity }: ShippedPackage, bundles: readonly Bundle[]) {
  const [algorithm, digest] = integrity?.split("-") ?? [];
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    ...(license && { licenses: [{ license: { id: license } }] }),
    ...(algorithm === "sha512" &&
      digest && { hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }] }),
    properties: bundles.map((bundle) => ({ name: "svc:bundle", value: bundle })),
  };
}

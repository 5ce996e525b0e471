import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { presignedUrl, type Signer } from "../../functions/files/presigned-url.ts";
import { bundleFolderOf, bundleFunctions } from "../../infra/bundle.ts";
import { barChart } from "../harness/chart.ts";
import { type Comparison, compare } from "../harness/comparison.ts";
import type { Effort } from "../harness/effort.ts";
import { inTurn } from "../harness/rounds.ts";
import { number, ratio, type Section, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";
import { functionEnvironment, withService } from "../stage/bench-stage.ts";
import { cases } from "../stage/cases.ts";
import { contextOf, eventOf } from "../stage/invocation.ts";

/** As many as one call of the API gives. */
const count = 1_000;
const mostMicroseconds = 60;

const region = "eu-central-1";
const signer: Signer = {
  accessKeyId: "ASIAEXAMPLE",
  secretAccessKey: "secret",
  sessionToken: "token".repeat(80),
  region,
};

const contents = Array.from({ length: count }, (_, index) => {
  const digest = createHash("sha256").update(`file ${index}`).digest();
  return { key: `projects/my-game/files/${digest.toString("hex")}`, checksum: digest.toString("base64") };
});

/** One address to upload to: by our signer, in the whole function, and by the SDK's presigner. */
export async function addresses({ isQuick }: Effort): Promise<Section> {
  await bundleFunctions();
  return await withService(async (stage) => {
    Object.assign(process.env, functionEnvironment(stage));
    const route = "createUploads";
    const [request] =
      (await cases()
        .find((one) => one.route === route)
        ?.prepare(stage.actors, 1)) ?? [];
    if (request === undefined) throw new Error(`There is no case of ${route}`);
    const { handler } = await import(pathToFileURL(join(bundleFolderOf("create-uploads"), "index.mjs")).href);
    const response = async () => {
      const { statusCode, body } = await handler(eventOf(route, request), contextOf(route));
      if (statusCode !== 200) throw new Error(`${route} answered ${statusCode} ${body}`);
    };
    const series = await inTurn(
      { signer: each(signAll), whole: each(response), sdk: each(signAllBySdk) },
      { rounds: isQuick ? 6 : 21, warmUps: isQuick ? 2 : 6 },
    );
    const { signer: ours, whole, sdk } = series;
    return section(compare(ours.microseconds, sdk.microseconds), compare(whole.microseconds, sdk.microseconds));
  });
}

/** Microseconds of each of the addresses that `action` makes. */
function each(action: () => Promise<void>) {
  return async () => {
    const started = performance.now();
    await action();
    return { microseconds: ((performance.now() - started) * 1_000) / count };
  };
}

async function signAll(): Promise<void> {
  const now = new Date();
  for (const { key, checksum } of contents) {
    const headers = { "content-length": "16384", "x-amz-checksum-sha256": checksum };
    const query = { "x-id": "PutObject" };
    const place = { origin: "https://svc-files.s3.eu-central-1.amazonaws.com", path: `/${key}` };
    presignedUrl({ method: "PUT", ...place, query, headers, expiresInSeconds: 3_600 }, signer, now);
  }
}

const { region: _, ...credentials } = signer;
const client = new S3Client({
  region,
  credentials: { ...credentials, sessionToken: credentials.sessionToken as string },
  requestChecksumCalculation: "WHEN_REQUIRED",
});
const unhoistableHeaders = new Set(["x-amz-checksum-sha256"]);

/** The same addresses, byte for byte; functions/files/signed-address.test.ts holds ours against them. */
async function signAllBySdk(): Promise<void> {
  for (const { key, checksum } of contents) {
    const object = { Bucket: "svc-files", Key: key, ContentLength: 16_384, ChecksumSHA256: checksum };
    await getSignedUrl(client, new PutObjectCommand(object), { expiresIn: 3_600, unhoistableHeaders });
  }
}

function section(signing: Comparison, whole: Comparison): Section {
  const targets = [atMost("an upload address, in the whole function", whole.ours, mostMicroseconds, " µs")];
  return {
    targets,
    markdown: `## An address to upload to

A folder of new files needs an address for each. \`POST …/uploads\` for ${count.toLocaleString("en")} files in this process, the read of its
release and manifest and the JSON of request and response included; our signer alone; and
\`@aws-sdk/s3-request-presigner\` for the same addresses, which is but the signing.

${targetList(targets)}

![Time of an upload address](plots/addresses.svg)

${table(
  ["by", "an address, µs", "beside the SDK"],
  [
    ["svc: the whole function", number(whole.ours), ratio(whole)],
    ["svc: signing alone (`functions/files/presigned-url.ts`)", number(signing.ours), ratio(signing)],
    ["the SDK's presigner", number(signing.theirs), ""],
  ],
)}`,
    plots: {
      "addresses.svg": barChart({
        title: `An upload address takes ${number(whole.ours)} µs; by the SDK's presigner, ${number(signing.theirs)} µs`,
        subtitle: "Microseconds for each of 1,000 addresses; shorter is better",
        categories: ["svc: the whole function", "svc: signing alone", "the SDK's presigner: signing alone"],
        series: { microseconds: [whole.ours, signing.ours, signing.theirs] },
        label: number,
      }),
    },
  };
}

import { randomUUID } from "node:crypto";
import { dummyCredentials } from "../../../local/credentials.ts";
import { measureProcess, type ProcessMeasures } from "../harness/processes.ts";
import type { BenchService } from "./service.ts";
import { bucketName } from "./store-process.ts";

/** A tool that sends a folder. */
export interface Publisher {
  /** Creates an empty target for the runs that follow. */
  prepare(): Promise<void>;
  run(): Promise<ProcessMeasures>;
}

/** Folder that is sent. */
export interface SourceFolder {
  readonly home: string;
  readonly folder: string;
}

/** `svc publish` by the installed program `svc`. @param url of the API, if it is behind a proxy */
export function svcPublisher(
  { home, folder, svc }: SourceFolder & { svc: string },
  { actors, api }: Pick<BenchService, "actors" | "api">,
  url = api,
): Publisher {
  let [slug, token] = ["", ""];
  return {
    prepare: async () => {
      const developer = await actors.developer();
      token = (await developer.token({ scopes: ["publish"] })).credential;
      slug = `game-${randomUUID().slice(0, 8)}`;
      await developer.post("/projects", { slug });
    },
    run: () =>
      measureProcess({
        words: [svc, "publish", folder, "--project", slug],
        env: { HOME: home, SVC_API: url, SVC_TOKEN: token },
        cwd: home,
      }),
  };
}

/** `aws s3 sync` by the program `aws`, to the store at `endpoint`. */
export function syncPublisher({ home, folder, aws }: SourceFolder & { aws: string }, endpoint: string): Publisher {
  const words = [aws, "--endpoint-url", endpoint, "s3", "sync", "--only-show-errors", folder];
  const env = {
    HOME: home,
    AWS_ACCESS_KEY_ID: dummyCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: dummyCredentials.secretAccessKey,
    AWS_REGION: "eu-central-1",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  let prefix = "";
  return {
    prepare: async () => {
      prefix = `sync-${randomUUID()}`;
    },
    run: () => measureProcess({ words: [...words, `s3://${bucketName}/${prefix}/`], env, cwd: home }),
  };
}

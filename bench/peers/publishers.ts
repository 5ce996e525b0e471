import { randomUUID } from "node:crypto";
import { measureProcess, type ProcessMeasures } from "../harness/processes.ts";
import type { BenchService } from "../stage/bench-stage.ts";

export const tools = ["svc publish", "aws s3 sync"] as const;
export type Tool = (typeof tools)[number];

/** A tool, and how it sends a folder. */
export interface Publisher {
  /** Makes a target where nothing has been sent; the runs that follow go there. */
  prepare(): Promise<void>;
  run(): Promise<ProcessMeasures>;
}

/** What is sent with which programs. */
export interface Folder {
  readonly home: string;
  readonly folder: string;
  /** The installed `svc`. */
  readonly svc: string;
  /** The program `aws`; undefined where there is none. */
  readonly aws: string | undefined;
}

/**
 * The tools that send a folder.
 *
 * @param at where the tools find API and store: the stage itself, or proxies before it
 */
export function publishersOf(
  { home, folder, svc, aws }: Folder,
  stage: BenchService,
  at: { readonly api: string; readonly s3Endpoint: string },
): Partial<Record<Tool, Publisher>> {
  let [slug, token, prefix] = ["", "", ""];
  const svcEnvironment = () => ({ HOME: home, SVC_API: at.api, SVC_TOKEN: token });
  const awsEnvironment = {
    HOME: home,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local-secret",
    AWS_REGION: "eu-central-1",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  const words = (program: string) => [
    program,
    "--endpoint-url",
    at.s3Endpoint,
    "s3",
    "sync",
    "--only-show-errors",
    folder,
  ];
  return {
    "svc publish": {
      prepare: async () => {
        const developer = await stage.actors.developer();
        token = (await developer.token({ scopes: ["publish"] })).credential;
        slug = `game-${randomUUID().slice(0, 8)}`;
        await developer.post("/projects", { slug });
      },
      run: () =>
        measureProcess({ words: [svc, "publish", folder, "--project", slug], env: svcEnvironment(), cwd: home }),
    },
    ...(aws && {
      "aws s3 sync": {
        prepare: async () => {
          prefix = `sync-${randomUUID()}`;
        },
        run: () =>
          measureProcess({
            words: [...words(aws), `s3://${stage.bucketName}/${prefix}/`],
            env: awsEnvironment,
            cwd: home,
          }),
      },
    }),
  };
}

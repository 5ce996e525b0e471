import { externalPart } from "../../../local/part.ts";
import { startDynamodbEngine } from "../../../local/table/dynamodb-engine.ts";
import { type DynamodbRecorder, startRecorder } from "../table/dynamodb-recorder.ts";
import { type ServiceOptions, sharedTestService, startService, type TestService } from "./service.ts";
import type { ServiceProcess } from "./service-process.ts";

/** A service whose calls to DynamoDB all pass a recorder. `table` goes to the engine directly. */
export interface RecordedService extends TestService {
  readonly recorder: DynamodbRecorder;
}

/** Starts one with a table of its own. It ends with `stop`, or with this process. */
export async function startRecordedService(options: Pick<ServiceOptions, "env"> = {}): Promise<RecordedService> {
  const given = (await globalThis.sharedEngine?.()) ?? process.env["DYNAMODB_ENDPOINT"];
  const engine = given ? externalPart(given) : await startDynamodbEngine(undefined);
  const recorder = await startRecorder(engine.endpoint);
  const service = await startService({
    ...options,
    dynamodbEndpoint: recorder.endpoint,
    tableEndpoint: engine.endpoint,
  });
  const stop = async () => {
    await service.stop();
    await recorder.stop();
    await engine.stop();
  };
  return { ...service, stop, recorder };
}

/** The one that the test files of a worker share (environment.js). No fault of an earlier file is planned any more. */
export async function shareRecordedService(): Promise<RecordedService> {
  const { recorder, engine, ...running } = await sharedRecordedService();
  recorder.plan(undefined);
  recorder.clear();
  return { ...sharedTestService(running, engine), recorder };
}

declare global {
  var sharedRecordedService: () => Promise<
    ServiceProcess & { readonly recorder: DynamodbRecorder; readonly engine: string }
  >;
}

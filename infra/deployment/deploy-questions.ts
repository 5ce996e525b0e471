import { existsSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { configuredStages, ownJsonFile } from "../settings/configured-stages.ts";
import { ConfigurationError, readStage, type Stage, type StageInput } from "../settings/stage.ts";

type Provider = StageInput["identityProvider"];

/** Asks on the terminal, and returns what was typed or the default. */
export type Ask = (question: string, byDefault?: string) => Promise<string>;

/** Lines that are typed, also before they are asked for. */
let terminal: { readonly lines: Interface; readonly typed: AsyncIterator<string> } | undefined;

/** @throws ConfigurationError if there is nobody who can be asked, or who types no more */
export async function askOnTerminal(question: string, byDefault?: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new ConfigurationError(
      `There is no terminal to ask on: write svc.stages.json first, and add --yes.\n${question}`,
    );
  if (terminal === undefined) {
    const lines = createInterface({ input: process.stdin });
    terminal = { lines, typed: lines[Symbol.asyncIterator]() };
  }
  process.stdout.write(`${question}${byDefault === undefined ? "" : ` [${byDefault}]`} `);
  const { value, done } = await terminal.typed.next();
  if (done) throw new ConfigurationError("Nothing was changed.");
  return value.trim() || (byDefault ?? "");
}

/** Lets the program end. */
export function leaveTerminal(): void {
  terminal?.lines.close();
}

/**
 * The stage of that name in the operator's file. A stage that the file does not have is written into svc.stages.json, after three
 * questions.
 *
 * @param path of the file, if it is another one
 * @throws ConfigurationError what is wrong in the file or in an answer
 */
export async function findOrAskStage(
  name: string,
  { path, account, region, ask }: { path?: string | undefined; account: string; region: string | undefined; ask: Ask },
): Promise<Stage> {
  const isNew = path !== undefined && !existsSync(path);
  const { file, stages, isExample = false } = isNew ? { file: path, stages: {} } : configuredStages(path);
  if (!isExample && Object.hasOwn(stages, name)) return readStage(name, stages, file);
  const target = path ?? ownJsonFile;
  if (!target.endsWith(".json") || !(isExample || file.endsWith(".json")))
    throw new ConfigurationError(`${file} has no stage "${name}": enter it there.`);
  const others = isExample ? [] : Object.keys(stages);
  if (
    others.length > 0 &&
    !/^y(es)?$/i.test(await ask(`${file} has no stage "${name}", only ${others.join(", ")}. Make a new one? [y/N]`))
  )
    throw new ConfigurationError("Nothing was changed.");
  const settings: StageInput = {
    account,
    region: await ask("In which region?", region ?? "us-east-1"),
    identityProvider: await readProvider(
      await ask(
        'Who signs people in? "cognito": the stage makes a user pool; "firebase PROJECT"; or the issuer and the client id of an OpenID Connect provider. Everybody who can sign in there can become a developer and publish, unless `developers` in the file limits it to some, or to those whom you approve.',
        "cognito",
      ),
    ),
    alarmEmail: await ask("To which address do alarms go?"),
  };
  const all = { ...(isExample ? {} : stages), [name]: settings };
  const stage = readStage(name, all, basename(target));
  writeFileSync(target, `${JSON.stringify(all, null, 2)}\n`);
  console.log(
    `Written to ${basename(target)}. infra/settings/stage.ts of the repository says what else a stage may have.`,
  );
  return stage;
}

/** @throws ConfigurationError if the answer is none of them, or the provider's discovery document cannot be read */
async function readProvider(answer: string): Promise<Provider> {
  if (answer === "cognito") return answer;
  const [first = "", audience = "", ...more] = answer.split(/\s+/);
  if (audience === "" || more.length > 0)
    throw new ConfigurationError('The provider is "cognito", "firebase PROJECT" or "https://ISSUER CLIENT-ID".');
  if (first === "firebase")
    return {
      issuer: `https://securetoken.google.com/${audience}`,
      audience,
      jwksUri: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    };
  const url = `${first.replace(/\/$/, "")}/.well-known/openid-configuration`;
  try {
    const { issuer, jwks_uri: jwksUri } = (await (
      await fetch(url, { signal: AbortSignal.timeout(15_000) })
    ).json()) as {
      issuer: string;
      jwks_uri: string;
    };
    // An issuer is compared character by character, so it is taken from the document (OpenID Connect Discovery 1.0, section 4.3).
    return { issuer, audience, jwksUri };
  } catch (error) {
    throw new ConfigurationError(`${url} cannot be read: ${(error as Error).message}.`);
  }
}

import { exitCodes, UserError } from "../errors.ts";

/** Waits for a login; after Ctrl-C throws a UserError that says that nothing was saved. */
export function unlessInterrupted<T>(login: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () =>
      reject(
        new UserError("The login was stopped; nothing was saved.", {
          code: "interrupted",
          exitCode: exitCodes.interrupted,
        }),
      );
    process.once("SIGINT", stop);
    login.then(resolve, reject).finally(() => process.off("SIGINT", stop));
  });
}

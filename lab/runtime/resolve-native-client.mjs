import { registerHooks } from "node:module";

/* Preloaded into the runtime client: it loads native-client.cjs in place of its native addon. */
const replacement = new URL("native-client.cjs", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "./rapid-client.node"
      ? { url: replacement, format: "commonjs", shortCircuit: true }
      : next(specifier, context),
});

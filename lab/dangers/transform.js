import swcJest from "@swc/jest";

/**
 * A transformer for jest that puts one fault into one file while it is loaded, so that the faults of many files can be tried in one
 * process, and none is ever written to a file.
 */
export default {
  createTransformer({ file, find, replace, swc }) {
    const { process, processAsync, getCacheKey } = swcJest.createTransformer(swc);
    const faulty = (source, path) => (path === file ? source.replace(find, () => replace) : source);
    return {
      process: (source, path, options) => process(faulty(source, path), path, options),
      processAsync: (source, path, options) => processAsync(faulty(source, path), path, options),
      getCacheKey: (source, path, options) => getCacheKey(faulty(source, path), path, options),
    };
  },
};

const { readCoveringFiles } = require("./covering-files.js");

/** jest's filter of test files: for a mutant only those that reach it, because loading the others takes most of the time. */
module.exports = async (paths) => {
  const mutant = process.env["__STRYKER_ACTIVE_MUTANT__"];
  const files = mutant === undefined ? paths : (readCoveringFiles().mutants[mutant] ?? paths);
  return { filtered: paths.filter((path) => files.includes(path)) };
};

/**
 * Has Node load a package, once for all the test files of a worker. jest would load its modules anew for each file, and most of
 * the time of the tests went there: the application needs 1,200 of them.
 */
module.exports = {
  process: () => ({ code: 'module.exports = nativeRequire(__filename);' }),
  getCacheKey: () => 'nativeRequire(__filename)',
};

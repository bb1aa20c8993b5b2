module.exports = {
  transform: {},
  testMatch: ["**/*.test.js"],
  watchman: false,
  haste: { forceNodeFilesystemAPI: true },
  modulePaths: ["/usr/local/lib/node_modules", "/usr/lib/node_modules", "/usr/share/nodejs"],
};

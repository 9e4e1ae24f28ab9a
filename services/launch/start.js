// Plain JavaScript, so that an older Node gets as far as this sentence.
const MIN_MAJOR = 24;

if (Number(process.versions.node.split(".", 1)[0]) < MIN_MAJOR) {
  process.stderr.write(
    `guildcal needs Node ${MIN_MAJOR} or newer, and this is ${process.versions.node}. ` +
      "`npm ci` installs one that the npm scripts use on Linux: run `npm start`, not `node`.\n",
  );
  process.exitCode = 1;
} else {
  await import("./compile-cache.js");
  const { main } = await import("./main.ts");
  await main(process.argv.slice(2));
}

// The entry of `npm start` and `npm run openperp`: plain JavaScript, so that a Node that is too old says so in one line.
const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  console.error(
    `openperp: Node ${NEEDED} or newer is needed, this is ${process.versions.node}: install it, or run npm ci where it comes from npm`,
  );
  process.exitCode = 1;
} else {
  if (process.argv[2] === 'start') {
    const { startWithV8Flags } = await import('#host/v8-flags.ts');
    startWithV8Flags();
  }
  await import('./cli/main.ts');
}

/** `npm run compat`, the process: prints what `command.ts` returns. */
import { compat } from './command.ts';

const { status, stdout, stderr } = await compat(process.argv.slice(2), process.env);
if (stdout !== '') console.log(stdout);
if (stderr !== '') console.error(stderr);
process.exitCode = status;
// Checks that still wait for an update would keep the process alive.
if (status === 2) process.exit();
